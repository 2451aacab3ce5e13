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
    /// p(n), as stored, by number; with that of the fork.
    private var digests: [Int64: PrefixDigest]
    private var summands: [Int64: PrefixDigest] = [:]

    /// Reads and hashes all events after a fork.
    init(
        after fork: Int64, of log: EventLog, in db: inout LogConnection
    ) throws(LogError) {
        digests = [fork: try log.digest(upTo: fork, in: &db)]
        var others: [(n: Int64, orphan: Orphan)] = []
        try StoredRow.forEach(after: fork, through: log.cursor, in: &db) { row in
            digests[row.n] = row.digest
            summands[row.n] = row.summand
            if row.dot.key == log.deviceKey || log.voids.contains(row.dot) { return }
            let hash = (row.body ?? []).withUnsafeBytes { RecordedHash(of: $0) }
            others.append((row.n, Orphan(dot: row.dot, t: row.t, hash: hash)))
        }
        for (n, orphan) in others {
            if isSound(n) { orphans.append(orphan) } else { damaged += 1 }
        }
        assert(orphans.count + Int(damaged) == others.count)
    }

    /// Whether a row is as it was sealed. If only a stored digest is damaged, the row and its
    /// neighbour together still match the digests around them.
    private func isSound(_ n: Int64) -> Bool {
        matches(n, n) || matches(n, n + 1) || matches(n - 1, n)
    }

    private func matches(_ first: Int64, _ last: Int64) -> Bool {
        guard let before = digests[first - 1], let end = digests[last] else { return false }
        var sum = before
        for n in first...last {
            guard let summand = summands[n] else { return false }
            sum.add(summand)
        }
        return sum == end
    }
}
