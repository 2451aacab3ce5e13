package import MacrologEvents
import MacrologLog
package import MacrologNutrition
import MacrologReadModels

/// Reading the log itself: which device recorded what, in which order, and what it had seen.
extension Diary {
    /// The last events, newest first: this device's unsealed ones, then those of every device.
    package mutating func latestEvents(_ limit: Int = 20) throws(DiaryError) -> [LoggedEvent] {
        try withStore { store throws(LogError) in
            let log = store.log
            return try log.latest(limit, in: &store.db).logged(in: &store)
        }
    }

    /// What other devices recorded among the events with these numbers: each type with its count,
    /// in the order of first occurrence.
    package mutating func received(
        _ numbers: ClosedRange<Int64>
    ) throws(DiaryError) -> [(type: String, count: Int64)] {
        try withStore { store throws(LogError) in
            var order: [Text] = []
            var counts: [Text: Int64] = [:]
            let log = store.log
            for entry in try log.received(numbers, in: &store.db) where !entry.isCompacted {
                if counts[entry.event.type] == nil { order.append(entry.event.type) }
                counts[entry.event.type, default: 0] += 1
            }
            return order.map { (type: $0.string, count: counts[$0] ?? 0) }
        }
    }

    /// The events that touched an entity, oldest first.
    package mutating func history(of entity: EntityKey) throws(DiaryError) -> [LoggedEvent] {
        try withStore { store throws(LogError) in
            try store.history(of: entity).logged(in: &store)
        }
    }

    /// The events that touched an entity, oldest first.
    package mutating func history<E: Entity>(of type: E.Type, _ id: Identifier) throws(DiaryError)
        -> [LoggedEvent]
    {
        try history(of: EntityKey(E.kind.name, id))
    }

    /// All conflicts, with the vector clocks that decided them. The author of the value that is
    /// shown does not conflict with it.
    package mutating func conflicts() throws(DiaryError) -> [Conflict] {
        try withStore { store throws(LogError) in try Conflict.all(in: &store) }
    }

    /// The short names of devices, the same on every replica: `a` for the device whose first event
    /// the server admitted first.
    package mutating func notation() throws(DiaryError) -> Notation {
        try withStore { store throws(LogError) in
            let log = store.log
            return Notation(try log.devices(in: &store.db))
        }
    }
}

extension Conflict {
    static func all(in store: inout Store) throws(LogError) -> [Conflict] {
        var found: [Conflict] = []
        for (entity, conflicts) in try store.conflicts() {
            found += try of(entity, conflicts, in: &store)
        }
        return found
    }

    /// The conflicts of an entity about which a person can be asked. The markers of undone actions
    /// are bookkeeping.
    static func of(
        _ entity: EntityKey, _ conflicts: [CellConflict], in store: inout Store
    ) throws(LogError) -> [Conflict] {
        guard entity.kind != UndoableAction.kind else { return [] }
        return try conflicts.map { conflict throws(LogError) in
            var losers = conflict.losers
            if case .field = conflict.cell {
                losers.removeAll { $0.value == conflict.winner.value }
            }
            return Conflict(
                entity: entity, cell: conflict.cell,
                winner: try conflict.winner.side(in: &store),
                losers: try losers.map { loser throws(LogError) in try loser.side(in: &store) })
        }
    }
}

extension LogEntry {
    func logged(in store: inout Store) throws(LogError) -> LoggedEvent {
        let log = store.log
        return LoggedEvent(
            event: event, seal: seal, clock: try log.clock(of: stamp, in: &store.db),
            isCompacted: isCompacted)
    }
}

extension [LogEntry] {
    func logged(in store: inout Store) throws(LogError) -> [LoggedEvent] {
        try map { entry throws(LogError) in try entry.logged(in: &store) }
    }
}

extension EntityState.Write {
    fileprivate func side(in store: inout Store) throws(LogError) -> Conflict.Side {
        let log = store.log
        guard let entry = try log.entry(stamp.dot, in: &store.db) else {
            throw LogError(.noSuchEvent)
        }
        return Conflict.Side(value: value, logged: try entry.logged(in: &store))
    }
}
