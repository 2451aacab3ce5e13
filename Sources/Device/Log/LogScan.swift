package import MacrologEvents
package import MacrologWire
import MacrologSQLite

/// Reads the whole log once, as it is stored, for checking it or drawing its shape.
extension EventLog {
    /// One stored event.
    package struct Stored: Sendable {
        /// Its device and `seq`, according to where it is stored.
        package let dot: Dot
        /// The event, or its skeleton; `nil` for bytes that cannot be decoded.
        package let entry: LogEntry?
        /// The hash that digests sum up: of the event's bytes, or the hash that a skeleton keeps.
        package let hash: SHA256.Words
        /// Its seal; `nil` while it is unsealed.
        package let seal: Seal?
        /// The digest that is stored beside the seal.
        package let digest: PrefixDigest?
    }

    /// Lends every sealed event by number, then this device's unsealed ones.
    ///
    /// - Parameter decodes: Whether the events are read, or only hashed.
    package func scan(
        decodes: Bool = true, in db: inout LogConnection, _ body: (Stored) throws(LogError) -> Void
    ) throws(LogError) {
        try db.forEach(
            """
            SELECT id, seal.dot, body, n, t, digest FROM seal JOIN event ON event.dot = seal.dot
            JOIN device ON device.key = seal.dot >> 40 ORDER BY n
            """
        ) { row throws(LogError) in
            try body(Self.stored(row, Seal(n: row.int(3), t: row.int(4)), decodes))
        }
        try db.forEach(
            """
            SELECT id, event.dot, body FROM event JOIN device ON device.key = event.dot >> 40
            WHERE event.dot > ? AND event.dot <= ? ORDER BY event.dot
            """, DotNumber(deviceKey, sealedSeq), DotNumber.last(of: deviceKey)
        ) { row throws(LogError) in
            try body(Self.stored(row, nil, decodes))
        }
    }

    private static func stored(_ row: borrowing Row, _ seal: Seal?, _ decodes: Bool) -> Stored {
        row.withBytes(2) { bytes in
            Stored(
                dot: Dot(device: row.identifier(0), seq: row.dotNumber(1).seq),
                entry: decodes ? try? entry(bytes, seal) : nil,
                hash: (try? StoredEvent.hash(of: bytes)) ?? SHA256.words(bytes), seal: seal,
                digest: seal == nil ? nil : row.withBytes(5) { PrefixDigest(bytes: $0) })
        }
    }

    /// The difference between this device's wall clock and its monotonic clock.
    package struct ClockMark: Hashable, Sendable {
        /// The first own event that it holds for.
        package let seq: Int64
        /// The boot of the system.
        package let boot: Identifier
        /// Wall minus monotonic, in milliseconds.
        package let offset: Int64
    }

    /// The marks that give the ages of unsealed events.
    package func clockMarks(in db: inout LogConnection) throws(LogError) -> [ClockMark] {
        try db.all("SELECT seq, boot, offset FROM clock ORDER BY seq") {
            ClockMark(seq: $0.int(0), boot: $0.identifier(1), offset: $0.int(2))
        }
    }

    /// How many events after a number are sealed, without those of one device.
    package func sealed(
        after n: Int64, notBy device: Identifier?, in db: inout LogConnection
    ) throws(LogError) -> Int64 {
        if n >= cursor { return 0 }
        return try db.first(
            """
            SELECT count(*) FROM seal WHERE n > ?1
            AND (?2 IS NULL OR dot >> 40 NOT IN (SELECT key FROM device WHERE id = ?2))
            """, n, device
        ) { $0.int(0) } ?? 0
    }

    /// Whether this device has recorded under another device ID before.
    package func hasFormerName(in db: inout LogConnection) throws(LogError) -> Bool {
        // The first device of a file is the one that created it.
        try db.first("SELECT id FROM device ORDER BY key LIMIT 1") { $0.identifier(0) } != device
    }
}
