package import MacrologEvents
import MacrologWire
import MacrologSQLite

/// How this device takes another ID. `Recovery` decides when, and which events are reissued.
extension EventLog {
    /// Stores the ID that this device takes before it records or sends anything again.
    package mutating func setNextDevice(
        _ next: Identifier, in db: inout LogConnection
    ) throws(LogError) {
        assert(db.isInTransaction)
        try db.run("UPDATE replica SET next = ?", next)
        nextDevice = next
    }

    /// Takes the next device ID. Events that are not sealed stay under the key of the old one.
    package mutating func becomeNextDevice(in db: inout LogConnection) throws(LogError) {
        assert(db.isInTransaction)
        guard let next = nextDevice else { return assertionFailure("there is no next ID") }
        if unsealedCount > 0 {
            // What the server has under the old ID from here on may be other events with the same
            // numbers.
            try addKey(of: device, in: &db)
        }
        (device, nextDevice, lastSeq, sealedSeq, lastBase, segment) = (next, nil, 0, 0, 0, nil)
        deviceKey = try key(of: next, in: &db)
        try db.run("UPDATE replica SET device = ?, next = NULL", deviceKey)
        try db.run("DELETE FROM clock")
    }

    /// Gives a device another key in this file, for its events from now on.
    mutating func addKey(
        of device: Identifier, in db: inout LogConnection
    ) throws(LogError) {
        assert(db.isInTransaction)
        try db.run("INSERT INTO device (id) VALUES (?)", device)
        keys.add(db.lastInsertRowid, of: device)
    }

    /// Appends a reissued event of this device. The entities that it changes become stale.
    ///
    /// - Parameter known: How the clocks stood when it was first recorded; `nil` if unknown.
    package mutating func append(
        reissued event: Event, _ body: [UInt8], segment known: ClockSegment?,
        in db: inout LogConnection
    ) throws(LogError) {
        assert(db.isInTransaction)
        assert(nextDevice == nil, "nothing is recorded under an ID that is given up")
        assert(event.dot.device == device && event.dot.seq == lastSeq + 1)
        let dot = try DotNumber(deviceKey, event.dot.seq)
        try body.withBytes { body throws(LogError) in
            try db.run(
                "INSERT INTO event (dot, body, hash) VALUES (?, ?, ?)", dot, body,
                RecordedHash(of: body))
        }
        (lastSeq, lastBase) = (event.dot.seq.rawValue, event.base.n.rawValue)
        let known = known ?? .unknown
        if segment?.boot != known.boot || segment?.offset != known.offset {
            let next = ClockSegment(seq: lastSeq, boot: known.boot, offset: known.offset)
            try store(next, in: &db)
            segment = next
        }
        if let origin = event.reissuedFrom { try store(origin: origin, of: dot, in: &db) }
        for change in event.changes { try touch(change.entity, by: dot, in: &db) }
    }
}
