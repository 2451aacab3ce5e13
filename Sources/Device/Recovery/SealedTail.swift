import MacrologEvents
import MacrologLog
import MacrologSQLite

/// The events that were sealed after a fork: which of those of other devices this device can issue
/// again, and how many it cannot, because they are damaged here.
struct SealedTail {
    /// An event of another device that counts, as it was sealed.
    struct Orphan {
        let dot: DotNumber
        /// Its sealed time.
        let t: Int64
        /// Detects damage while it waits.
        let hash: RecordedHash
    }

    /// In the order of their numbers.
    private(set) var orphans: [Orphan] = []
    /// How many events of other devices that count are damaged.
    private(set) var damaged: Int64 = 0

    /// Reads and hashes all events after a fork.
    init(
        after fork: Int64, of log: EventLog, in db: inout LogConnection
    ) throws(LogError) {
        let before = try log.digest(upTo: fork, in: &db)
        let held = try HeldDigests(after: fork, before, through: log.cursor, in: &db)
        try StoredRow.forEach(after: fork, through: log.cursor, in: &db) { row in
            if row.dot.key == log.deviceKey || log.voids.contains(row.dot) { return }
            guard let body = row.body, !held.hasDamage(after: row.n - 1, through: row.n) else {
                return damaged += 1
            }
            let hash = body.withUnsafeBytes { RecordedHash(of: $0) }
            orphans.append(Orphan(dot: row.dot, t: row.t, hash: hash))
        }
    }
}
