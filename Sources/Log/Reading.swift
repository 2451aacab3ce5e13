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
            "SELECT body FROM event WHERE dot > ? AND dot <= ? ORDER BY dot DESC LIMIT ?",
            DotNumber.of(deviceKey, sealedSeq), DotNumber.last(of: deviceKey), limit
        ) { row in
            try row.withBytes(0) { try Self.entry($0, nil) }
        }
        entries += try db.all(
            """
            SELECT body, n, t FROM seal
            JOIN event ON event.dot = seal.dot
            ORDER BY n DESC LIMIT ?
            """, limit - entries.count
        ) { row in
            try row.withBytes(0) { try Self.entry($0, Seal(n: row.int(1), t: row.int(2))) }
        }
        return entries
    }

    /// The events that touched an entity, oldest first: by number, then unsealed ones.
    package func history(of entity: EntityKey, in db: inout Connection) throws -> [LogEntry] {
        var entries = try db.all(
            """
            SELECT body, n, t FROM touch
            JOIN event ON event.dot = touch.dot
            LEFT JOIN seal ON seal.dot = touch.dot
            WHERE id = ? AND kind = ?
            """, entity.id, entity.kind
        ) { row in
            let seal = row.isNull(1) ? nil : Seal(n: row.int(1), t: row.int(2))
            return try row.withBytes(0) { try Self.entry($0, seal) }
        }
        for stamp in try EntityTable.state(of: entity, in: &db)?.stamps ?? [] {
            if let entry = try entry(stamp.dot, in: &db) { entries.append(entry) }
        }
        return entries.sorted {
            switch ($0.seal, $1.seal) {
            case (let left?, let right?): left.n < right.n
            case (nil, nil): $0.event.dot.seq < $1.event.dot.seq
            case (let left, _): left != nil
            }
        }
    }

    /// One event; `nil` when it is not held.
    package func entry(_ dot: Dot, in db: inout Connection) throws -> LogEntry? {
        guard let key = keysByDevice[dot.device] else { return nil }
        return try db.first(
            """
            SELECT body, n, t FROM event
            LEFT JOIN seal ON seal.dot = event.dot
            WHERE event.dot = ?
            """, DotNumber.of(key, dot.seq)
        ) { row in
            let seal = row.isNull(1) ? nil : Seal(n: row.int(1), t: row.int(2))
            return try row.withBytes(0) { try Self.entry($0, seal) }
        }
    }

    /// The full vector clock of an event.
    package func clock(of stamp: Stamp, in db: inout Connection) throws -> VectorClock {
        var clock = VectorClock([stamp.dot])
        for (device, key) in keysByDevice {
            // A device's numbers and its counters rise together.
            let seq = try db.first(
                """
                SELECT dot FROM seal WHERE dot BETWEEN ? AND ? AND n <= ?
                ORDER BY dot DESC LIMIT 1
                """, DotNumber.of(key, 0), DotNumber.last(of: key), stamp.base.n
            ) { DotNumber.seq($0.int(0)) }
            if let seq { clock.see(Dot(device: device, seq: seq)) }
        }
        return clock
    }

    /// Every device in the order of its first admitted event, this one last while it has none:
    /// the order of names that every replica agrees on.
    package func devices(in db: inout Connection) throws -> [Identifier] {
        var devices = try db.all(
            """
            SELECT id FROM device JOIN seal ON seal.dot = (device.key << 40) + 1
            ORDER BY n
            """
        ) { $0.identifier(0) }
        if !devices.contains(device) { devices.append(device) }
        return devices
    }

    static func entry(
        _ body: UnsafeRawBufferPointer, _ seal: Seal?
    ) throws(LogError) -> LogEntry {
        do { return LogEntry(event: try Event.decoded(body), seal: seal) } catch {
            throw LogError(.damaged(error))
        }
    }
}
