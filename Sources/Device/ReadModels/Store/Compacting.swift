import MacrologEvents
import MacrologWire
package import MacrologLog
import MacrologSQLite

/// The result of a compaction, or of a trial.
public struct CompactionReport: Hashable, Sendable {
    /// The number up to which the log was examined; 0 if there was nothing to examine.
    public internal(set) var through: Int64 = 0
    /// How many events lost their payload.
    public internal(set) var events: Int64 = 0
    /// How many bytes of the log that saves.
    public internal(set) var bytes: Int64 = 0
}

/// Compaction: dropping the payloads of writes that were overwritten long ago.
extension Store {
    /// Drops what is superfluous of everything sealed before a time, in transactions of a few
    /// hundred events each. The folded state is not changed: neither an entity nor a read model is
    /// written.
    ///
    /// - Throws: ``LogError`` for a damaged file, before anything is changed.
    /// - Parameters:
    ///   - cutoff: Milliseconds since 1970 UTC.
    ///   - isTrial: Only counts.
    ///   - progress: Called with how many events have been examined, of how many.
    package mutating func compact(
        before cutoff: Int64, isTrial: Bool = false,
        progress: (_ done: Int64, _ total: Int64) -> Void = { _, _ in }
    ) throws(LogError) -> CompactionReport {
        // A damaged event may seem to have overwritten a sound one, whose payload nothing would
        // bring back.
        guard try isLogSound() else {
            throw LogError(.damaged(CBORError(.shape, at: 0, in: "sealed event")))
        }
        var report = CompactionReport()
        report.through = try log.compactionEnd(before: cutoff, in: &db)
        var position: Int64 = 0
        var writers = Compaction.Writers()
        while position < report.through {
            let (after, through) = (position, report.through)
            let step = try changeLog { log, db throws(LogError) in
                try log.compact(
                    through: through, after: after, isTrial: isTrial, remembering: &writers,
                    in: &db)
            }
            position = step.position
            report.events += step.events
            report.bytes += step.bytes
            progress(position, report.through)
        }
        return report
    }

    /// When the last event was sealed among which payloads may have been dropped, in milliseconds
    /// since 1970 UTC; 0 if none was.
    package mutating func compactedBefore() throws(LogError) -> Int64 {
        try log.sealedTime(upTo: log.compactedThrough, in: &db)
    }

    /// When the newest sealed event was sealed, in milliseconds since 1970 UTC; 0 for none.
    package mutating func newestSeal() throws(LogError) -> Int64 {
        try log.sealedTime(upTo: log.cursor, in: &db)
    }

    /// How many events are skeletons.
    package mutating func compactedCount() throws(LogError) -> Int64 {
        try log.compactedCount(in: &db)
    }

    /// Returns unused pages to the file system. Needs as much space again while it runs.
    package mutating func shrink() throws(LogError) {
        try db.run("VACUUM")
        try db.checkpoint()
    }
}
