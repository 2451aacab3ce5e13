package import MacrologEvents
package import MacrologWire
import MacrologSQLite

/// A sealed event as it is stored in the file, sound or not.
package struct StoredRow {
    /// Its number.
    package let n: Int64
    /// Its sealed time.
    package let t: Int64
    /// Where its event is stored.
    package let dot: DotNumber
    /// The device of the key; `nil` where there is no such key.
    package let device: Identifier?
    /// The event's bytes; `nil` where there is no such event.
    package let body: [UInt8]?
    /// The stored p(n).
    package let digest: PrefixDigest?

    /// What this row adds to the digest, as stored; `nil` where the event is missing, or its bytes
    /// are another event's.
    package var summand: PrefixDigest? {
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
    package func isSound(after previous: PrefixDigest?) -> Bool {
        guard let previous, let digest, let summand else { return false }
        return digest.subtracting(previous) == summand
    }

    /// Lends the rows after a number and up to another, in order. Missing numbers are left out.
    package static func forEach(
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
    package static func at(_ n: Int64, in db: inout LogConnection) throws(LogError) -> StoredRow? {
        var found: StoredRow?
        try forEach(after: n &- 1, through: n, in: &db) { found = $0 }
        return found
    }

    /// p(n), as stored; `nil` where it is missing.
    package static func digest(upTo n: Int64, in db: inout LogConnection) throws(LogError)
        -> PrefixDigest?
    {
        if n == 0 { return .empty }
        return try db.first("SELECT digest FROM seal WHERE n = ?", n) {
            PrefixDigest(bytes: $0.bytes(0))
        } ?? nil
    }
}
