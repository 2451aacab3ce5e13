// An app that imports SyncLog also gets the types of the replica and of the log; the library `Macrolog` says why by
// these lines.
@_exported public import MacrologEngine
@_exported public import MacrologEvents
