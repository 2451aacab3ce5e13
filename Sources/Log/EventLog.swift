package import Events
package import SQLite

/// This device's append-only log: its own events from the moment they are recorded, and everybody's
/// once the hub has admitted them.
///
/// The value mirrors the tables; whoever owns it restores a copy when a transaction fails.
package struct EventLog: Sendable {
    /// This device.
    package let device: Identifier
    let deviceKey: Int64
    /// The number of this device's last event; 0 for none.
    package internal(set) var lastSeq: Int64
    /// The number of this device's last sealed event; 0 for none.
    package internal(set) var sealedSeq: Int64
    /// The number up to which the hub's log is held; 0 for none.
    package internal(set) var cursor: Int64
    /// The digest of the log up to the cursor.
    package internal(set) var digest: PrefixDigest
    /// The epoch of the hub's log; 0 for none.
    package internal(set) var epoch: UInt32
    var segment: ClockSegment?
    var keysByDevice: [Identifier: Int64]
    var lastSealedSeqByKey: [Int64: Int64] = [:]

    /// The steps that bring a database's schema up to date; to be run before ``open(in:newDevice:)``,
    /// together with those of everything else in the same file.
    package static var migrations: [Migration] { Schema.migrations }

    /// Opens the log in a database, which becomes the log of a new device where it has none.
    ///
    /// - Parameter newDevice: The id to take if this is a new device.
    package static func open(
        in db: inout Connection, newDevice: @autoclosure () -> Identifier
    ) throws -> EventLog {
        var keys: [Identifier: Int64] = [:]
        try db.forEach("SELECT key, id FROM device") { keys[$0.identifier(1)] = $0.int(0) }
        let found = try db.first(
            """
            SELECT device.id, device.key, epoch FROM replica
            JOIN device ON device.key = replica.device
            """
        ) { (id: $0.identifier(0), key: $0.int(1), epoch: $0.int(2)) }
        guard let found else { return try create(newDevice(), in: &db) }

        let tip = try db.first("SELECT n, digest FROM seal ORDER BY n DESC LIMIT 1") { row in
            (n: row.int(0), digest: PrefixDigest(bytes: row.bytes(1)) ?? .empty)
        }
        return EventLog(
            device: found.id, deviceKey: found.key,
            lastSeq: try db.first(
                "SELECT max(dot) FROM event WHERE dot BETWEEN ? AND ?", DotNumber.of(found.key, 0),
                DotNumber.last(of: found.key)
            ) { $0.intOrNull(0).map(DotNumber.seq) ?? 0 } ?? 0,
            sealedSeq: try lastSealedSeq(of: found.key, in: &db), cursor: tip?.n ?? 0,
            digest: tip?.digest ?? .empty, epoch: UInt32(truncatingIfNeeded: found.epoch),
            segment: try db.first("SELECT seq, boot, offset FROM clock ORDER BY seq DESC LIMIT 1") {
                ClockSegment(seq: $0.int(0), boot: $0.identifier(1), offset: $0.int(2))
            },
            keysByDevice: keys)
    }

    private static func create(
        _ device: Identifier, in db: inout Connection
    ) throws -> EventLog {
        let key = try db.transaction { db in
            try db.run("INSERT INTO device (id) VALUES (?)", device)
            let key = db.lastInsertRowid
            try db.run("INSERT INTO replica (one, device, epoch) VALUES (1, ?, 0)", key)
            return key
        }
        return EventLog(
            device: device, deviceKey: key, lastSeq: 0, sealedSeq: 0, cursor: 0, digest: .empty,
            epoch: 0, segment: nil, keysByDevice: [device: key])
    }

    static func lastSealedSeq(of key: Int64, in db: inout Connection) throws -> Int64 {
        try db.first(
            "SELECT max(dot) FROM seal WHERE dot BETWEEN ? AND ?", DotNumber.of(key, 0),
            DotNumber.last(of: key)
        ) { $0.intOrNull(0).map(DotNumber.seq) ?? 0 } ?? 0
    }

    /// How many of this device's events the hub has not sealed yet.
    package var unsealedCount: Int64 { lastSeq - sealedSeq }

    /// What this device has folded now.
    package var base: Base { Base(epoch: epoch, n: cursor) }

    mutating func key(of device: Identifier, in db: inout Connection) throws -> Int64 {
        if let key = keysByDevice[device] { return key }
        try db.run("INSERT INTO device (id) VALUES (?)", device)
        keysByDevice[device] = db.lastInsertRowid
        return db.lastInsertRowid
    }
}
