package import MacrologEvents
package import MacrologLog

/// Reading the log itself.
extension Store {
    /// The last events, newest first.
    package mutating func latest(_ limit: Int) throws(LogError) -> [LogEntry] {
        try log.latest(limit, in: &db)
    }

    /// One event; `nil` when it is not held.
    package mutating func event(_ dot: Dot) throws(LogError) -> Event? {
        try log.entry(dot, in: &db)?.event
    }

    /// Every device in the order of its first admitted event.
    package mutating func devices() throws(LogError) -> [Identifier] {
        try log.devices(in: &db)
    }

    /// The generic state of an entity of any kind.
    package mutating func state(of entity: EntityKey) throws(LogError) -> EntityState? {
        try EntityTable.state(of: entity, in: &db)
    }

    /// The events that touched an entity, oldest first.
    package mutating func history(of entity: EntityKey) throws(LogError) -> [LogEntry] {
        try log.history(of: entity, in: &db)
    }

    /// The entities with a conflict.
    package mutating func conflicts() throws(LogError) -> [(
        entity: EntityKey, conflicts: [CellConflict]
    )] {
        try EntityTable.conflicts(in: &db)
    }
}
