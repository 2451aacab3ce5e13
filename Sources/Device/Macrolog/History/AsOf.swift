public import MacrologEvents
import MacrologLog
import MacrologReadModels

/// The end of the part of the log that is read.
public enum AsOf: Hashable, Sendable {
    /// Everything that the server admitted up to this event. For an unsealed event: everything that
    /// its device had seen.
    case event(Dot)
    /// Everything that was recorded by then, in milliseconds since 1970 UTC: by sealed time, and
    /// for unsealed events by this device's clock.
    case time(Int64)
}

extension Replica {
    /// The log as of an earlier time: a replica in memory with the events up to a moment and no
    /// others, which is read like any other. Recording into it is refused with code
    /// `readOnlySnapshot`.
    ///
    /// It folds the events again, so it takes time and memory in proportion to the log.
    ///
    /// - Throws: ``ReplicaError`` with code `noSuchEvent`, or `compacted` where the log no longer
    ///   holds what is requested.
    public func snapshot(asOf: AsOf) throws -> Replica {
        try withStore { store in
            let isIncluded = try asOf.check(in: &store)
            var copy = try store.past(where: isIncluded)
            copy.reserve = { _, _, _ throws(LogError) in throw LogError(.readOnlySnapshot) }
            return Replica(copy: copy, of: self)
        }
    }

    /// The events that touched an entity up to a moment, oldest first.
    public func history(of entity: EntityKey, asOf: AsOf) throws -> [LoggedEvent] {
        try withStore { store in
            let isIncluded = try asOf.check(in: &store)
            return try store.history(of: entity).filter(isIncluded).map {
                try $0.logged(in: &store)
            }
        }
    }
}

extension AsOf {
    /// The condition for an event to lie before the moment.
    fileprivate func check(in store: inout Store) throws -> (LogEntry) -> Bool {
        switch self {
        case .time(let end):
            guard try store.compactedBefore() <= end else { throw ReplicaError(.compacted) }
            return { ($0.seal?.milliseconds ?? $0.event.wall) <= end }
        case .event(let dot):
            let log = store.log
            guard let last = try log.entry(dot, in: &store.db) else {
                throw ReplicaError(.noSuchEvent)
            }
            guard (last.seal?.n ?? last.event.base.n) >= log.compactedThrough else {
                throw ReplicaError(.compacted)
            }
            if let n = last.seal?.n { return { ($0.seal?.n ?? LogNumber(.max)) <= n } }
            return { $0.event.dot == dot || $0.stamp.happened(before: last.stamp) }
        }
    }
}
