package import Events
package import SQLite

/// An event as the log holds it.
package struct LogEntry: Hashable, Sendable {
    /// The event.
    package let event: Event
    /// Its seal; `nil` until the hub has admitted it.
    package let seal: Seal?

    /// All that merging needs to know of it.
    package var stamp: Stamp { Stamp(dot: event.dot, base: event.base, seal: seal) }
}

extension EventLog {
    /// The last events, newest first: this device's unsealed ones, then everybody's by number.
    package func latest(_ limit: Int, in db: inout Connection) throws -> [LogEntry] {
        var entries = try db.all(
            """
            SELECT body FROM event WHERE device = ?1 AND seq > ?2
            AND NOT EXISTS (SELECT 1 FROM void WHERE device = ?1 AND void.seq = event.seq)
            ORDER BY seq DESC LIMIT ?3
            """, deviceKey, sealedSeq, limit
        ) { row in
            try row.withBytes(0) { try Self.entry($0, nil) }
        }
        entries += try db.all(
            """
            SELECT body, n, t FROM seal
            JOIN event ON event.device = seal.device AND event.seq = seal.seq
            WHERE NOT EXISTS
                (SELECT 1 FROM void WHERE void.device = seal.device AND void.seq = seal.seq)
            ORDER BY n DESC LIMIT ?
            """, limit - entries.count
        ) { row in
            try row.withBytes(0) { try Self.entry($0, Seal(n: row.int(1), t: row.int(2))) }
        }
        return entries
    }

    /// The events of other devices whose numbers are in a range, in order.
    package func received(
        _ numbers: ClosedRange<Int64>, in db: inout Connection
    ) throws -> [LogEntry] {
        try db.all(
            """
            SELECT body, n, t FROM seal
            JOIN event ON event.device = seal.device AND event.seq = seal.seq
            WHERE n BETWEEN ? AND ? AND seal.device <> ? ORDER BY n
            """, numbers.lowerBound, numbers.upperBound, deviceKey
        ) { row in
            try row.withBytes(0) { try Self.entry($0, Seal(n: row.int(1), t: row.int(2))) }
        }
    }

    /// The events that touched an entity, oldest first: by number, then unsealed ones.
    package func history(of entity: EntityKey, in db: inout Connection) throws -> [LogEntry] {
        try db.all(
            """
            SELECT body, n, t FROM touch
            JOIN event ON event.device = touch.device AND event.seq = touch.seq
            LEFT JOIN seal ON seal.device = touch.device AND seal.seq = touch.seq
            WHERE id = ? AND kind = ? ORDER BY n IS NULL, n, touch.seq
            """, entity.id, entity.kind
        ) { row in
            let seal = row.isNull(1) ? nil : Seal(n: row.int(1), t: row.int(2))
            return try row.withBytes(0) { try Self.entry($0, seal) }
        }
    }

    /// One event; `nil` when it is not held.
    package func entry(_ dot: Dot, in db: inout Connection) throws -> LogEntry? {
        guard keysByDevice[dot.device] != nil else { return nil }
        return try db.first(
            """
            SELECT body, n, t FROM device
            JOIN event ON event.device = device.key AND event.seq = ?
            LEFT JOIN seal ON seal.device = event.device AND seal.seq = event.seq
            WHERE device.id = ? AND (n IS NOT NULL OR device.key = ?)
            """, dot.seq, dot.device, deviceKey
        ) { row in
            let seal = row.isNull(1) ? nil : Seal(n: row.int(1), t: row.int(2))
            return try row.withBytes(0) { try Self.entry($0, seal) }
        }
    }

    /// The full vector clock of an event.
    package func clock(of stamp: Stamp, in db: inout Connection) throws -> VectorClock {
        var clock = VectorClock([stamp.dot])
        let devices = try db.all("SELECT id, key FROM device") { ($0.identifier(0), $0.int(1)) }
        for (device, key) in devices {
            // A device's numbers and its counters rise together.
            let seq = try db.first(
                """
                SELECT seq FROM seal WHERE device = ? AND n <= ? ORDER BY seq DESC LIMIT 1
                """, key, stamp.base.n
            ) { $0.int(0) }
            if let seq { clock.see(Dot(device: device, seq: seq)) }
        }
        return clock
    }

    /// Every device in the order of its first admitted event, this one last while it has none:
    /// the order of names that every replica agrees on.
    package func devices(in db: inout Connection) throws -> [Identifier] {
        var devices = try db.all(
            """
            SELECT id FROM device JOIN seal ON seal.device = device.key AND seal.seq = 1
            ORDER BY n
            """
        ) { $0.identifier(0) }
        if !devices.contains(device) { devices.append(device) }
        return devices
    }

    /// How many events behind a number are sealed, those of one device left out.
    package func sealed(
        after n: Int64, notBy device: Identifier?, in db: inout Connection
    ) throws -> Int64 {
        if n >= cursor { return 0 }
        return try db.first(
            """
            SELECT count(*) FROM seal WHERE n > ?1
            AND (?2 IS NULL OR device NOT IN (SELECT key FROM device WHERE id = ?2))
            """, n, device
        ) { $0.int(0) } ?? 0
    }

    /// Whether this device has recorded under another name before.
    package func hasFormerName(in db: inout Connection) throws -> Bool {
        // The first device of a file is the one that made it.
        try db.first("SELECT id FROM device ORDER BY key LIMIT 1") { $0.identifier(0) } != device
    }

    /// How many events a device has recorded, as far as they are held, and the last of them.
    package func facts(
        of device: Identifier, in db: inout Connection
    ) throws -> (seq: Int64, last: LogEntry?) {
        let seq =
            try db.first(
                """
                SELECT max(seq) FROM device JOIN event ON event.device = device.key WHERE id = ?
                """, device
            ) { $0.intOrNull(0) ?? 0 } ?? 0
        return (seq, seq == 0 ? nil : try entry(Dot(device: device, seq: seq), in: &db))
    }

    static func entry(
        _ body: UnsafeRawBufferPointer, _ seal: Seal?
    ) throws(LogError) -> LogEntry {
        do { return LogEntry(event: try Event.decoded(body), seal: seal) } catch {
            throw LogError(.damaged(error))
        }
    }
}
