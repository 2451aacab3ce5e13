public import MacrologDiary
public import MacrologEvents
import MacrologNutrition
import MacrologReadModels

extension Replica {
    /// The log as of an earlier time: a replica in memory with the events up to a moment and no
    /// others, which is read like any other. Recording into it is refused with code
    /// `readOnlySnapshot`.
    ///
    /// It folds the events again, so it takes time and memory in proportion to the log.
    ///
    /// - Throws: ``HistoryError`` with code `noSuchEvent`, or `compacted` where the log no longer
    ///   holds what is requested.
    public func snapshot(asOf: AsOf) throws -> Replica {
        try withDiary { Replica(copy: try $0.snapshot(asOf: asOf).closed(), of: self) }
    }

    /// The events that touched an entity up to a moment, oldest first.
    public func history(of entity: EntityKey, asOf: AsOf) throws -> [LoggedEvent] {
        try withDiary { try $0.history(of: entity, asOf: asOf) }
    }
}
