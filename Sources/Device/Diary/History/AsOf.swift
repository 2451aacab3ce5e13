public import MacrologEvents
import MacrologLog
import MacrologNutritionModels
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

extension Diary {
    /// The log as of an earlier time: a diary in memory with the events up to a moment and no
    /// others, which is read like any other. Recording into it is refused with code
    /// `readOnlySnapshot`.
    package func snapshot(asOf: AsOf) throws(DiaryError) -> Diary {
        let copy = try withStore { store throws(LogError) in
            let isIncluded = try asOf.check(in: &store)
            var copy = try store.past(where: isIncluded)
            copy.reserve = { _, _, _ throws(LogError) in throw LogError(.readOnlySnapshot) }
            return copy
        }
        return Diary(copy, clock: clock, newID: newID)
    }
}

extension AsOf {
    /// The condition for an event to lie before the moment.
    func check(in store: inout Store) throws(LogError) -> (LogEntry) -> Bool {
        switch self {
        case .time(let end):
            // Nothing compacted leaves every moment, also those before 1970.
            let before = store.log.compactedThrough == 0 ? .min : try store.compactedBefore()
            guard before <= end else {
                throw LogError(.compacted)
            }
            return { ($0.seal?.milliseconds ?? $0.event.wall) <= end }
        case .event(let dot):
            let log = store.log
            guard let last = try log.entry(dot, in: &store.db) else {
                throw LogError(.noSuchEvent)
            }
            guard (last.seal?.n ?? last.event.base.n) >= log.compactedThrough else {
                throw LogError(.compacted)
            }
            if let n = last.seal?.n { return { ($0.seal?.n ?? LogNumber(.max)) <= n } }
            return { $0.event.dot == dot || $0.stamp.happened(before: last.stamp) }
        }
    }
}
