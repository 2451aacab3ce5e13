import MacrologDiary
public import MacrologEvents
public import MacrologNutrition
import MacrologReadModels

/// Reading the log itself: which device recorded what, in which order, and what it had seen.
extension Replica {
    /// The last events, newest first: this device's unsealed ones, then those of every device.
    public func latestEvents(_ limit: Int = 20) throws -> [LoggedEvent] {
        try withDiary { try $0.latestEvents(limit) }
    }

    /// What other devices recorded among the events with these numbers: each type with its count,
    /// in the order of first occurrence.
    package func received(
        _ numbers: ClosedRange<Int64>
    ) throws -> [(type: String, count: Int64)] {
        try withDiary { try $0.received(numbers) }
    }

    /// The events that touched an entity, oldest first.
    public func history(of entity: EntityKey) throws -> [LoggedEvent] {
        try withDiary { try $0.history(of: entity) }
    }

    /// The events that touched an entity, oldest first.
    public func history<E: Entity>(of type: E.Type, _ id: Identifier) throws -> [LoggedEvent] {
        try withDiary { try $0.history(of: type, id) }
    }

    /// All conflicts, with the vector clocks that decided them. The author of the value that is
    /// shown does not conflict with it.
    public func conflicts() throws -> [Conflict] {
        try withDiary { try $0.conflicts() }
    }

    /// The short names of devices, the same on every replica: `a` for the device whose first event
    /// the server admitted first.
    public func notation() throws -> Notation {
        try withDiary { try $0.notation() }
    }
}
