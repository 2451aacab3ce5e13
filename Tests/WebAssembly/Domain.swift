/// `docs/protocol/domain.json`, as this module writes it.
@_expose(wasm, "domain") @_cdecl("domain")
public func domain() -> UInt64 { lent(DomainDocument.text()) }
