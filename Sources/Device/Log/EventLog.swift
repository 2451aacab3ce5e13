package import MacrologEvents
package import MacrologWire
package import MacrologSQLite

/// This device's append-only log: its own events from the moment they are recorded, and the events
/// of every device once the server has admitted them.
///
/// The value mirrors the tables; its owner restores a copy when a transaction fails.
package struct EventLog: Sendable {
    /// This device.
    package internal(set) var device: Identifier
    /// The key of this device's events.
    package internal(set) var deviceKey: Int64
    /// The ID that this device takes before it records or sends anything again, because another
    /// file uses its current one too; `nil` for a device in order.
    package internal(set) var nextDevice: Identifier?
    /// The number of this device's last event; 0 for none.
    package internal(set) var lastSeq: Int64
    /// The number of this device's last sealed event; 0 for none.
    package internal(set) var sealedSeq: Int64
    /// The number up to which this device holds the server's log; 0 for none.
    package internal(set) var cursor: Int64
    /// The digest of the log up to the cursor.
    package internal(set) var digest: PrefixDigest
    /// The epoch of the server's log; 0 for none.
    package internal(set) var epoch: UInt32
    var segment: ClockSegment?
    package internal(set) var keys: DeviceKeys
    /// The base of this device's last event. The next event's base must not be lower: a device that
    /// has seen that event has seen what it had seen, even if the disk has lost the last seals
    /// since.
    var lastBase: Int64 = 0
    var lastSealedSeqByKey: [Int64: Int64] = [:]
    /// Whether any event was ever reissued.
    package internal(set) var hasReissues = false
    /// The events that are void.
    package internal(set) var voids: Set<DotNumber> = []
    /// The number after which the server's log forked, until this device has recovered from that.
    package internal(set) var fork: Int64?
    /// How many events of other devices wait to be reissued.
    package internal(set) var orphans: Int64 = 0
    /// The number up to which payloads may have been compacted; 0 for none. For an earlier number
    /// the log can tell only what its events led to, not what they were.
    package internal(set) var compactedThrough: Int64 = 0
    /// The entities from which an event has been removed; empty between transactions.
    var stale: Set<EntityKey> = []
    /// What a page has added; empty between transactions.
    var unwritten = UnwrittenRows()

    /// The steps that bring a database's schema up to date. Run them, with those of everything else
    /// in the same file, before ``open(in:newDevice:)``.
    package static var migrations: [Migration] { Schema.migrations }

    /// The names of the log's own tables, in lower case.
    package static let tableNames = Migration.tableNames(of: Schema.migrations)

    /// Opens the log in a database. A database without a log gets the log of a new device.
    ///
    /// - Parameter newDevice: The ID to take if this is a new device.
    package static func open(
        in db: inout LogConnection, newDevice: @autoclosure () -> Identifier
    ) throws(LogError) -> EventLog {
        var keys = DeviceKeys()
        try db.forEach("SELECT key, id FROM device ORDER BY key") {
            keys.add($0.int(0), of: $0.identifier(1))
        }
        let found = try db.first(
            """
            SELECT device.id, device.key, epoch, next, fork, compacted_through FROM replica
            JOIN device ON device.key = replica.device
            """
        ) {
            (
                id: $0.identifier(0), key: $0.int(1), epoch: $0.int(2),
                next: $0.isNull(3) ? nil : $0.identifier(3), fork: $0.intOrNull(4),
                compactedThrough: $0.int(5)
            )
        }
        guard let found else { return try create(newDevice(), in: &db) }

        let tip = try db.first("SELECT n, digest FROM seal ORDER BY n DESC LIMIT 1") { row in
            (n: row.int(0), digest: PrefixDigest(bytes: row.bytes(1)) ?? .empty)
        }
        let voids = try db.all("SELECT dot FROM void") { $0.dotNumber(0) }
        var log = EventLog(
            device: found.id, deviceKey: found.key, nextDevice: found.next,
            lastSeq: try lastSeq(of: found.key, in: &db),
            sealedSeq: try lastSealedSeq(of: found.key, in: &db),
            cursor: try checkedCursor(tip?.n ?? 0),
            digest: tip?.digest ?? .empty, epoch: UInt32(truncatingIfNeeded: found.epoch),
            segment: try db.first("SELECT seq, boot, offset FROM clock ORDER BY seq DESC LIMIT 1") {
                ClockSegment(seq: $0.int(0), boot: $0.identifier(1), offset: $0.int(2))
            },
            keys: keys,
            hasReissues: try db.first("SELECT 1 FROM reissue LIMIT 1") { _ in true } ?? false,
            voids: Set(voids), fork: found.fork, orphans: try orphanCount(in: &db),
            compactedThrough: found.compactedThrough)
        log.lastBase = try log.lastOwnBase(in: &db)
        return log
    }

    /// The number of the last row, as the file says.
    ///
    /// - Throws: The error for a damaged file, if the number is greater than any log reaches.
    static func checkedCursor(_ n: Int64) throws(LogError) -> Int64 {
        guard 0..<(1 << 40) ~= n else {
            throw LogError(
                .damaged(CBORError(.integerRange, at: 0, in: "number of a sealed event")))
        }
        return n
    }

    private static func create(
        _ device: Identifier, in db: inout LogConnection
    ) throws(LogError) -> EventLog {
        let key = try db.transaction { db throws(LogError) in
            try db.run("INSERT INTO device (id) VALUES (?)", device)
            let key = db.lastInsertRowid
            try db.run("INSERT INTO replica (one, device, epoch) VALUES (1, ?, 0)", key)
            return key
        }
        var keys = DeviceKeys()
        keys.add(key, of: device)
        return EventLog(
            device: device, deviceKey: key, lastSeq: 0, sealedSeq: 0, cursor: 0, digest: .empty,
            epoch: 0, segment: nil, keys: keys)
    }

    /// How many events of other devices wait to be reissued.
    static func orphanCount(in db: inout LogConnection) throws(LogError) -> Int64 {
        try db.first("SELECT count(*) FROM orphan") { $0.int(0) } ?? 0
    }

    /// The number of the last event under a key, sealed or not. Its row may be missing while its
    /// seal is there.
    static func lastSeq(of key: Int64, in db: inout LogConnection) throws(LogError) -> Int64 {
        let last = try db.first(
            "SELECT max(dot) FROM event WHERE dot BETWEEN ? AND ?", DotNumber(key, 0),
            DotNumber.last(of: key)
        ) { $0.isNull(0) ? nil : $0.dotNumber(0).seq }
        return max(last.flatMap { $0 } ?? 0, try lastSealedSeq(of: key, in: &db))
    }

    static func lastSealedSeq(of key: Int64, in db: inout LogConnection) throws(LogError) -> Int64 {
        // A former device ID of this device may have two keys.
        try db.first(
            """
            SELECT max((
                SELECT max(dot) & 0xFFFFFFFFFF FROM seal
                WHERE dot BETWEEN alike.key << 40 AND (alike.key + 1 << 40) - 1
            )) FROM device JOIN device AS alike ON alike.id = device.id WHERE device.key = ?
            """, key
        ) { $0.intOrNull(0) ?? 0 } ?? 0
    }

    /// The ID under which the server is asked: this device's, or the next one.
    package var asker: Identifier { nextDevice ?? device }

    /// How many of this device's events the server has not sealed yet.
    package var unsealedCount: Int64 { lastSeq - sealedSeq }

    /// What this device has folded now.
    package var base: Base { Base(epoch: epoch, n: cursor) }

    /// The key of a device's new events. A new device gets one.
    package mutating func key(of device: Identifier, in db: inout LogConnection) throws(LogError)
        -> Int64
    {
        if let key = keys[device] { return key }
        assert(db.isInTransaction)
        try db.run("INSERT INTO device (id) VALUES (?)", device)
        keys.add(db.lastInsertRowid, of: device)
        return db.lastInsertRowid
    }
}
