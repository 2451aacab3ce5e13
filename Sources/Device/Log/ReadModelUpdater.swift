package import MacrologEvents
import MacrologSQLite

/// Derives read models from entities, inside the transaction that changed them.
///
/// The log knows events and entities but not what they mean; an updater knows.
package protocol ReadModelUpdater {
    /// Notes that an entity has changed.
    ///
    /// - Parameters:
    ///   - old: Its state before; `nil` when nothing was known of it.
    ///   - new: Its state now, which may not be stored yet.
    mutating func update(
        _ entity: EntityKey, from old: EntityState?, to new: EntityState, in db: inout LogConnection
    ) throws(LogError)

    /// Brings every read model up to date. Called once, after all changes have been noted.
    mutating func flush(in db: inout LogConnection) throws(LogError)

    /// Empties every read model, before everything is folded again.
    mutating func clear(in db: inout LogConnection) throws(LogError)
}
