package import MacrologEvents
package import MacrologLog

extension Conflict {
    /// The conflicts of all entities.
    package static func all(in store: inout Store) throws(LogError) -> [Conflict] {
        var found: [Conflict] = []
        for (entity, conflicts) in try store.conflicts() {
            found += try of(entity, conflicts, in: &store)
        }
        return found
    }

    /// The conflicts of an entity, with the events that wrote the values.
    package static func of(
        _ entity: EntityKey, _ conflicts: [CellConflict], in store: inout Store
    ) throws(LogError) -> [Conflict] {
        try conflicts.map { conflict throws(LogError) in
            try Conflict(of: entity, conflict, losersMax: .max, in: &store)
        }
    }

    /// The conflict of a cell, with the events that wrote the values.
    ///
    /// - Parameter losersMax: How many of the values that lost it has; each has the clock of its event.
    package init(
        of entity: EntityKey, _ conflict: CellConflict, losersMax: Int, in store: inout Store
    ) throws(LogError) {
        let (cell, winner) = (conflict.cell, conflict.winner)
        self.init(
            entity: entity, cell: cell,
            // What survived a deletion is a write of any cell, which says that the entity exists.
            winner: try winner.side(saying: cell == .life ? true : winner.value, in: &store),
            losers: try conflict.losers.prefix(losersMax).map { loser throws(LogError) in
                try loser.side(saying: loser.value, in: &store)
            })
    }
}

extension LogEntry {
    /// The event with the vector clock that says what it had seen.
    package func logged(in store: inout Store) throws(LogError) -> LoggedEvent {
        let log = store.log
        return LoggedEvent(
            event: event, seal: seal, clock: try log.clock(of: stamp, in: &store.db),
            isCompacted: isCompacted)
    }
}

extension [LogEntry] {
    /// The events with their vector clocks.
    package func logged(in store: inout Store) throws(LogError) -> [LoggedEvent] {
        try map { entry throws(LogError) in try entry.logged(in: &store) }
    }
}

extension EntityState.Write {
    fileprivate func side(
        saying value: Value, in store: inout Store
    ) throws(LogError) -> Conflict.Side {
        let log = store.log
        guard let entry = try log.entry(stamp.dot, in: &store.db) else {
            throw LogError(.noSuchEvent)
        }
        return Conflict.Side(value: value, logged: try entry.logged(in: &store))
    }
}
