import MacrologLog
import MacrologSQLite

/// What a compaction did, or would do.
public struct CompactionReport: Hashable, Sendable {
    /// The number up to which the log was looked at; 0 where there was nothing to look at.
    public internal(set) var through: Int64 = 0
    /// How many events gave up their payload.
    public internal(set) var events: Int64 = 0
    /// How many bytes of the log that is.
    public internal(set) var bytes: Int64 = 0
}

/// Compacting: giving up the payloads of what was written over long ago.
extension Store {
    /// Gives up what everything recorded before a time has made superfluous, in transactions of a few
    /// hundred events each. What the log comes to is not touched: neither an entity nor a read model
    /// is written.
    ///
    /// - Parameters:
    ///   - horizon: Milliseconds since 1970 UTC.
    ///   - isTrial: Only counts.
    ///   - progress: Told how many events have been looked at, of how many.
    package mutating func compact(
        before horizon: Int64, isTrial: Bool = false,
        progress: (_ done: Int64, _ total: Int64) -> Void = { _, _ in }
    ) throws -> CompactionReport {
        var report = CompactionReport()
        report.through = try log.compactionEnd(before: horizon, in: &db)
        var position: Int64 = 0
        var writers = Compaction.Writers()
        while position < report.through {
            let (after, through) = (position, report.through)
            let step = try changeLog { log, db in
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

    /// When the last of the events was sealed among which payloads may have been given up, in
    /// milliseconds since 1970 UTC; 0 where none was.
    package mutating func compactedBefore() throws -> Int64 {
        try log.sealedTime(upTo: log.compactedThrough, in: &db)
    }

    /// When the newest sealed event was sealed, in milliseconds since 1970 UTC; 0 for none.
    package mutating func newestSeal() throws -> Int64 {
        try log.sealedTime(upTo: log.cursor, in: &db)
    }

    /// How many events are skeletons.
    package mutating func compactedCount() throws -> Int64 {
        try log.compactedCount(in: &db)
    }

    /// Gives the pages that are not needed any more back to the file system. Needs as much room again
    /// while it runs.
    package mutating func shrink() throws {
        try db.run("VACUUM")
        try db.checkpoint()
    }
}
