package import MacrologEvents
package import MacrologWire
import MacrologSQLite

/// An event as the log holds it.
package struct LogEntry: Hashable, Sendable {
    /// The event. For a skeleton what remains of it: it changes nothing any more.
    package let event: Event
    /// Its seal; `nil` until the server has admitted it.
    package let seal: Seal?
    /// The skeleton that replaces the event; `nil` for an event that is held whole.
    package let skeleton: Skeleton?

    /// An event that is held whole.
    package init(event: Event, seal: Seal?) {
        (self.event, self.seal, skeleton) = (event, seal, nil)
    }

    /// What a log holds of an event.
    package init(_ stored: StoredEvent, _ seal: Seal?) {
        self.seal = seal
        switch stored {
        case .whole(let event): (self.event, skeleton) = (event, nil)
        case .skeleton(let skeleton):
            let header = skeleton.header
            event = Event(
                dot: header.dot, base: header.base, wall: header.wall, type: Self.compactedType,
                changes: [])
            self.skeleton = skeleton
        }
    }

    /// The type of an event without a payload, in place of its own.
    package static let compactedType: UTF8Text = "compacted"

    /// What the log holds.
    package var stored: StoredEvent { skeleton.map { .skeleton($0) } ?? .whole(event) }

    /// Whether the payload was dropped (``EventLog/compact(through:after:isTrial:remembering:in:)``).
    package var isCompacted: Bool { skeleton != nil }

    /// What merging needs to know of it.
    package var stamp: Stamp { Stamp(dot: event.dot, base: event.base, seal: seal) }
}

extension EventLog {
    /// The last events, newest first: this device's unsealed ones, then those of every device by
    /// number.
    package func latest(_ limit: Int, in db: inout LogConnection) throws(LogError) -> [LogEntry] {
        var entries = try db.all(
            """
            SELECT dot, NULL, NULL, body, hash FROM event WHERE dot > ? AND dot <= ?
            AND NOT EXISTS (SELECT 1 FROM void WHERE void.dot = event.dot)
            ORDER BY dot DESC LIMIT ?
            """, DotNumber(deviceKey, sealedSeq), DotNumber.last(of: deviceKey), limit
        ) { row throws(LogError) in try entry(of: row) }.compactMap { $0 }
        entries += try db.all(
            """
            SELECT body, n, t FROM seal JOIN event ON event.dot = seal.dot
            WHERE NOT EXISTS (SELECT 1 FROM void WHERE void.dot = seal.dot)
            ORDER BY n DESC LIMIT ?
            """, limit - entries.count
        ) { row throws(LogError) in
            try Self.entry(row, 0, Seal(n: row.int(1), t: row.int(2)))
        }
        return entries
    }

    /// The events of other devices whose numbers are in a range, in order.
    package func received(
        _ numbers: ClosedRange<Int64>, in db: inout LogConnection
    ) throws(LogError) -> [LogEntry] {
        try db.all(
            """
            SELECT body, n, t FROM seal JOIN event ON event.dot = seal.dot
            WHERE n BETWEEN ? AND ? AND seal.dot >> 40 <> ? ORDER BY n
            """, numbers.lowerBound, numbers.upperBound, deviceKey
        ) { row throws(LogError) in
            try Self.entry(row, 0, Seal(n: row.int(1), t: row.int(2)))
        }
    }

    /// The events that touched an entity, oldest first: by number, then unsealed ones.
    package func history(of entity: EntityKey, in db: inout LogConnection) throws(LogError)
        -> [LogEntry]
    {
        var dots = Set(try OverwrittenEvents.dots(of: entity, in: &db))
        for stamp in try EntityTable.state(of: entity, in: &db)?.stamps ?? [] {
            if let dot = try keys.number(of: stamp.dot, in: &db) { dots.insert(dot) }
        }
        let entries = try entries(dots.subtracting(voids), in: &db)
        return entries.sorted { Self.precedes($0, $1) }
            // A skeleton that lost its seal after a fork is not part of any log.
            .filter { $0.seal != nil || !$0.isCompacted }
    }

    /// One event; `nil` when it is not held.
    package func entry(_ dot: Dot, in db: inout LogConnection) throws(LogError) -> LogEntry? {
        guard let number = try keys.number(of: dot, in: &db) else { return nil }
        return try entry(number, in: &db)
    }

    /// One event that is sealed or this device's own.
    package func entry(_ dot: DotNumber, in db: inout LogConnection) throws(LogError) -> LogEntry? {
        try db.first(
            """
            SELECT event.dot, n, t, body, hash FROM event LEFT JOIN seal ON seal.dot = event.dot
            WHERE event.dot = ? AND (n IS NOT NULL OR event.dot >> 40 = ?)
            """, dot, deviceKey
        ) { row throws(LogError) in try entry(of: row) } ?? nil
    }

    /// Those of some events that are held, in any order.
    func entries(
        _ dots: Set<DotNumber>, in db: inout LogConnection
    ) throws(LogError) -> [LogEntry] {
        var entries: [LogEntry] = []
        for dot in dots {
            if let entry = try entry(dot, in: &db) { entries.append(entry) }
        }
        return entries
    }

    /// The full vector clock of an event.
    package func clock(of stamp: Stamp, in db: inout LogConnection) throws(LogError) -> VectorClock
    {
        var clock = VectorClock([stamp.dot])
        let devices = try db.all("SELECT id, key FROM device") { ($0.identifier(0), $0.int(1)) }
        for (device, key) in devices {
            // A device's numbers and its counters increase together.
            let seq = try db.first(
                """
                SELECT dot FROM seal WHERE dot BETWEEN ? AND ? AND n <= ?
                ORDER BY dot DESC LIMIT 1
                """, DotNumber(key, 0), DotNumber.last(of: key), stamp.base.n
            ) { $0.dotNumber(0).seq }
            if let seq { clock.see(Dot(device: device, seq: seq)) }
        }
        return clock
    }

    /// Every device in the order of its first admitted event, this one last while it has none: the
    /// order of device IDs on which every replica agrees.
    package func devices(in db: inout LogConnection) throws(LogError) -> [Identifier] {
        var devices = try db.all(
            """
            SELECT id FROM device JOIN seal ON seal.dot = device.key << 40 | 1
            ORDER BY n
            """
        ) { $0.identifier(0) }
        if !devices.contains(device) { devices.append(device) }
        return devices
    }

    /// How many events are held that are sealed or this device's own.
    package func eventCount(in db: inout LogConnection) throws(LogError) -> Int64 {
        try db.first(
            """
            SELECT count(*) FROM event WHERE dot > ? AND dot <= ?
            OR EXISTS (SELECT 1 FROM seal WHERE seal.dot = event.dot)
            """, DotNumber(deviceKey, sealedSeq), DotNumber.last(of: deviceKey)
        ) { $0.int(0) } ?? 0
    }

    /// How many events a device has recorded that are sealed or this device's own, as far as they are
    /// held here, and the last of them.
    package func facts(
        of device: Identifier, in db: inout LogConnection
    ) throws(LogError) -> (seq: Int64, last: LogEntry?) {
        let keys = try db.all("SELECT key FROM device WHERE id = ?", device) { $0.int(0) }
        var seq: Int64 = 0
        for key in keys {
            // Unsent events of a former device ID were recorded again under this one's.
            let last =
                key == deviceKey
                ? try Self.lastSeq(of: key, in: &db) : try Self.lastSealedSeq(of: key, in: &db)
            seq = max(seq, last)
        }
        return (seq, seq == 0 ? nil : try entry(Dot(device: device, seq: seq), in: &db))
    }

    static func entry(
        _ row: borrowing Row, _ column: Int, _ seal: Seal?
    ) throws(LogError) -> LogEntry {
        try row.withBytes(column) { body throws(LogError) in try entry(body, seal) }
    }

    /// An event as it is stored.
    package static func entry(_ body: [UInt8], _ seal: Seal?) throws(LogError) -> LogEntry {
        try body.withBytes { body throws(LogError) in try entry(body, seal) }
    }

    static func entry(
        _ body: UnsafeRawBufferPointer, _ seal: Seal?
    ) throws(LogError) -> LogEntry {
        do { return LogEntry(try StoredEvent.decoded(body), seal) } catch {
            throw LogError(.damaged(error))
        }
    }
}
