package import MacrologEvents
import MacrologSQLite

/// A sealed event as it is stored in the file, sound or not.
struct StoredRow {
    let n: Int64
    let t: Int64
    let dot: DotNumber
    /// The device of the key; `nil` where there is no such key.
    let device: Identifier?
    /// The event's bytes; `nil` where there is no such event.
    let body: [UInt8]?
    /// The stored p(n).
    let digest: PrefixDigest?

    /// What this row adds to the digest, as stored; `nil` where the event is missing, or its bytes
    /// are another event's.
    var summand: PrefixDigest? {
        guard let body, let device else { return nil }
        return body.withUnsafeBytes { body in
            guard let header = try? EventHeader.peeked(body),
                header.dot == Dot(device: device, seq: dot.seq),
                let hash = try? StoredEvent.hash(of: body)
            else { return nil }
            return PrefixDigest.summand(hash: hash, seal: Seal(n: n, t: t))
        }
    }

    /// Whether the row still matches the digest that was stored with it.
    ///
    /// - Parameter previous: p(n − 1), as stored; `nil` where it is missing.
    func isSound(after previous: PrefixDigest?) -> Bool {
        guard let previous, let digest, let summand else { return false }
        return digest.subtracting(previous) == summand
    }

    /// Lends the rows after a number and up to another, in order. Missing numbers are left out.
    static func forEach(
        after: Int64, through: Int64, in db: inout LogConnection,
        _ body: (StoredRow) throws(LogError) -> Void
    ) throws(LogError) {
        // A damaged file may hold the least of all numbers, which has no predecessor.
        guard after < through else { return }
        try db.forEach(
            """
            SELECT n, t, seal.dot, id, body, digest FROM seal
            LEFT JOIN event ON event.dot = seal.dot
            LEFT JOIN device ON key = seal.dot >> 40
            WHERE n > ? AND n <= ? ORDER BY n
            """, after, through
        ) { row throws(LogError) in
            try body(
                StoredRow(
                    n: row.int(0), t: row.int(1), dot: row.dotNumber(2),
                    device: row.isNull(3) ? nil : row.identifier(3), body: row.bytesOrNull(4),
                    digest: PrefixDigest(bytes: row.bytes(5))))
        }
    }

    /// The row of a number.
    static func at(_ n: Int64, in db: inout LogConnection) throws(LogError) -> StoredRow? {
        var found: StoredRow?
        try forEach(after: n &- 1, through: n, in: &db) { found = $0 }
        return found
    }

    /// p(n), as stored; `nil` where it is missing.
    static func digest(upTo n: Int64, in db: inout LogConnection) throws(LogError) -> PrefixDigest?
    {
        if n == 0 { return .empty }
        return try db.first("SELECT digest FROM seal WHERE n = ?", n) {
            PrefixDigest(bytes: $0.bytes(0))
        } ?? nil
    }
}

/// The digest of any range of the log, computed from the rows as stored and not from the stored
/// digests.
package struct HeldDigests: Sendable {
    private var numbers: [Int64] = []
    private var sums: [PrefixDigest] = []

    /// The digests of an empty log.
    package init() {}

    /// Reads and hashes all rows up to a number once.
    init(through last: Int64, in db: inout LogConnection) throws(LogError) {
        try StoredRow.forEach(after: 0, through: last, in: &db) { row in
            if let summand = row.summand { add(summand, at: row.n) }
        }
    }

    /// Adds the next row that exists, by its summand in the digest.
    package mutating func add(_ summand: PrefixDigest, at n: Int64) {
        var sum = sums.last ?? .empty
        sum.add(summand)
        numbers.append(n)
        sums.append(sum)
    }

    /// The digest of the rows after a number and up to another.
    func digest(after: Int64, through: Int64) -> PrefixDigest {
        sum(through).subtracting(sum(after))
    }

    private func sum(_ n: Int64) -> PrefixDigest {
        var (low, high) = (0, numbers.count)
        while low < high {
            let middle = (low + high) / 2
            if numbers[middle] <= n { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? .empty : sums[low - 1]
    }
}
