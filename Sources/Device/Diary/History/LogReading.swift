public import MacrologEvents
package import MacrologLog
public import MacrologNutrition
import MacrologNutritionModels
import MacrologReadModels

/// Reading the log itself: which device recorded what, in which order, and what it had seen.
extension Diary {
    /// The last events, newest first: this device's unsealed ones, then those of every device.
    public func latestEvents(_ limit: Int = 20) throws(DiaryError) -> [LoggedEvent] {
        try withStore { store throws(LogError) in
            let log = store.log
            return try log.latest(max(0, limit), in: &store.db).logged(in: &store)
        }
    }

    /// The sizes of what this device recorded and the server has not sealed, in bytes.
    package func unsealedSizes() throws(DiaryError) -> [Int] {
        try withStore { store throws(LogError) in
            let log = store.log
            return try log.unsealedSizes(in: &store.db)
        }
    }

    /// What other devices recorded among the events with these numbers: each type with its count,
    /// in the order of first occurrence.
    public func received(
        _ numbers: ClosedRange<Int64>
    ) throws(DiaryError) -> [(type: String, count: Int64)] {
        try withStore { store throws(LogError) in
            var order: [UTF8Text] = []
            var counts: [UTF8Text: Int64] = [:]
            let log = store.log
            for entry in try log.received(numbers, in: &store.db) where !entry.isCompacted {
                if counts[entry.event.type] == nil { order.append(entry.event.type) }
                counts[entry.event.type, default: 0] += 1
            }
            return order.map { (type: $0.string, count: counts[$0] ?? 0) }
        }
    }

    /// The events that touched an entity, oldest first; up to a moment, when one is given.
    public func history(
        of entity: EntityKey, asOf: AsOf? = nil
    ) throws(DiaryError) -> [LoggedEvent] {
        try withStore { store throws(LogError) in
            let isIncluded = try asOf?.check(in: &store) ?? { _ in true }
            return try store.history(of: entity).filter(isIncluded).logged(in: &store)
        }
    }

    /// The events that touched an entity, oldest first.
    public func history<E: Entity>(of type: E.Type, _ id: Identifier) throws(DiaryError)
        -> [LoggedEvent]
    {
        try history(of: EntityKey(E.kind.name, id))
    }

    /// What first recorded an entity; `nil` if nothing did.
    package func firstEvent(of entity: EntityKey) throws(DiaryError) -> Event? {
        try withStore { store throws(LogError) in try store.history(of: entity).first?.event }
    }

    /// The events that touched an entity, oldest first, without their clocks.
    package func entries(of entity: EntityKey) throws(DiaryError) -> [LogEntry] {
        try withStore { store throws(LogError) in try store.history(of: entity) }
    }

    /// An event with its clock, which takes a search for each device.
    package func logged(_ entry: LogEntry) throws(DiaryError) -> LoggedEvent {
        try withStore { store throws(LogError) in try entry.logged(in: &store) }
    }

    /// The cells in conflict about which a person can be asked, without the events that wrote their values.
    package func cellConflicts() throws(DiaryError) -> [(entity: EntityKey, cell: CellConflict)] {
        try withStore { store throws(LogError) in
            try store.conflicts().filter { $0.entity.kind != UndoableAction.kind }.flatMap {
                found in
                found.conflicts.map { (found.entity, $0) }
            }
        }
    }

    /// The conflict of a cell.
    ///
    /// - Parameter losersMax: How many of the values that lost it has at most.
    package func conflict(
        of entity: EntityKey, _ cell: CellConflict, losersMax: Int
    ) throws(DiaryError) -> Conflict {
        try withStore { store throws(LogError) in
            try Conflict(of: entity, cell, losersMax: losersMax, in: &store)
        }
    }

    /// When the first and the last event that touched some entities were recorded, by the clocks of their devices: in
    /// milliseconds since 1970 UTC. `nil` where nothing did.
    package func recordedTimes(of entities: [EntityKey]) throws(DiaryError) -> ClosedRange<Int64>? {
        try withStore { store throws(LogError) in
            var times: [Int64] = []
            for entity in entities { times += try store.history(of: entity).map { $0.event.wall } }
            guard let first = times.min(), let last = times.max() else { return nil }
            return first...last
        }
    }

    /// All conflicts, with the vector clocks that decided them. The author of the value that is
    /// shown does not conflict with it.
    public func conflicts() throws(DiaryError) -> [Conflict] {
        try withStore { store throws(LogError) in
            try Conflict.askable(in: &store)
        }
    }

    /// The short names of devices, the same on every replica: `a` for the device whose first event
    /// the server admitted first.
    public func notation() throws(DiaryError) -> Notation {
        try withStore { store throws(LogError) in
            let log = store.log
            return Notation(try log.devices(in: &store.db))
        }
    }
}

extension Conflict {
    /// The conflicts about which a person can be asked. The markers of undone actions are
    /// bookkeeping.
    static func askable(in store: inout Store) throws(LogError) -> [Conflict] {
        try all(in: &store).filter { $0.entity.kind != UndoableAction.kind }
    }
}
