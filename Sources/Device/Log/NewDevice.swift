package import MacrologEvents
package import MacrologSQLite

/// How a device whose file was restored or copied takes a new name without losing or doubling
/// anything.
///
/// It leaves in two steps. From ``leaveDevice(for:in:projecting:)`` on it sends nothing; it asks the
/// hub under its next name, and so gets every event of its old one with its bytes: those that it
/// holds itself are sealed. Once it has the whole log, or meets an event that contradicts its own,
/// or is about to record, it takes the next name (``takeNextDevice(in:projecting:)``) and issues
/// anew what is still unsealed.
extension EventLog {
    /// Whom the hub should be asked as: this device, or the one it is about to become.
    package var asker: Identifier { nextDevice ?? device }

    /// Notes that this device's name is not its alone: nothing more is recorded or sent under it.
    /// With nothing unsealed the next name is taken at once. Call inside a transaction.
    package mutating func leaveDevice(
        for next: Identifier, in db: inout Connection, projecting projector: inout some Projector
    ) throws {
        try db.run("UPDATE replica SET next = ?", next)
        nextDevice = next
        if unsealedCount == 0 { try takeNextDevice(in: &db, projecting: &projector) }
    }

    /// Takes the next name, if there is one, and issues anew, in order, what is unsealed. The old
    /// events stay in the log and count no more. Call inside a transaction.
    package mutating func takeNextDevice(
        in db: inout Connection, projecting projector: inout some Projector
    ) throws {
        guard let next = nextDevice else { return }
        let tail = try unsealed(in: &db)
        if unsealedCount > 0 {
            // What the hub has under the old name from here on may be other events with the same
            // numbers: it goes under a key of its own.
            try db.run("INSERT INTO device (id) VALUES (?)", device)
            keys.add(db.lastInsertRowid, of: device)
        }
        (device, nextDevice, lastSeq, sealedSeq, segment) = (next, nil, 0, 0, nil)
        lastBase = 0
        deviceKey = try key(of: next, in: &db)
        try db.run("UPDATE replica SET device = ?, next = NULL", deviceKey)
        try db.run("DELETE FROM clock")
        for (event, segment) in tail {
            try reissue(event, segment: segment, in: &db)
        }
        // Where others have said all that an author had, the name is free for the next author.
        while lastSeq == 0, orphans > 0 { try issueOrphans(in: &db) }
        if orphans == 0, fork != nil {
            try db.run("UPDATE replica SET fork = NULL")
            fork = nil
        }
        try refoldStale(in: &db, projecting: &projector)
        try projector.flush(in: &db)
    }

    /// Seals an event of this device that came as another's, while it is leaving.
    ///
    /// - Returns: Whether this file holds the same event. If not, the next name has been taken.
    mutating func recognise(
        _ entry: LogEntry, _ body: [UInt8], _ seal: Seal, folding fold: inout Fold,
        in db: inout Connection, projecting projector: inout some Projector
    ) throws -> Bool {
        let event = entry.event
        guard nextDevice != nil else { throw LogError(.rolledBack(seq: event.dot.seq.rawValue)) }
        let held = try ownBody(event.dot.seq.rawValue, in: &db)
        // What is held only as a skeleton, and came whole, is whole from now on, under another key.
        if let held, held == body || entry.skeleton?.stands(for: held) == true {
            try sealOwn(event.dot.seq.rawValue, seal, folding: &fold, in: &db)
            return true
        }
        try fold.flush(in: &db, keys: keys, projecting: &projector)
        try takeNextDevice(in: &db, projecting: &projector)
        return false
    }

    private mutating func unsealed(in db: inout Connection) throws -> [(Event, ClockSegment?)] {
        let segments = try clockSegments(in: &db)
        var events: [(Event, ClockSegment?)] = []
        var lost: Set<DotNumber> = []
        try forEachUnsealed(in: &db) { row in
            if voids.contains(row.dot) { return }
            if let event = row.event {
                events.append((event, segments.last { $0.seq <= row.dot.seq }))
            } else if !row.isSkeleton {
                // Behind a fork there may be skeletons: whatever made them superfluous is issued anew.
                lost.insert(row.dot)
            }
        }
        if lost.isEmpty { return events }
        // What a repair may bring back has to count then; under its old name it counts no more now.
        if try !missesSeals(in: &db) { for dot in lost { try void(dot, in: &db) } }
        stale.formUnion(try touched(by: lost, in: &db))
        let before = try Memo.int(Self.lostMemo, in: &db) ?? 0
        try Memo.set(Self.lostMemo, before + Int64(lost.count), in: &db)
        return events
    }

    /// How many own events could not be issued anew, because they are not what was recorded, since
    /// this was asked last.
    /// Call inside a transaction.
    package func takeLost(in db: inout Connection) throws -> Int64 {
        let lost = try Memo.int(Self.lostMemo, in: &db) ?? 0
        try Memo.set(Self.lostMemo, 0, in: &db)
        return lost
    }

    /// Whether there are such events.
    package func hasLost(in db: inout Connection) throws -> Bool {
        try Memo.int(Self.lostMemo, in: &db) ?? 0 > 0
    }

    private static var lostMemo: String { "events not issued anew" }

    mutating func reissue(
        _ old: Event, segment oldSegment: ClockSegment?, in db: inout Connection
    ) throws {
        let dot = Dot(device: device, seq: lastSeq + 1)
        var event = old.reissued(as: dot)
        // What it had seen behind a fork has no number any more.
        if let fork, old.base.n > fork { event.base = Base(epoch: epoch, n: fork) }
        var body = event.encoded()
        if body.count > Limits.eventBytesMax {
            // No room to say the first name: better twice than never.
            event.extras.removeAll { $0.key == Event.originKey }
            body = event.encoded()
        }
        try body.withUnsafeBytes { body in
            try db.run(
                "INSERT INTO event (dot, body, hash) VALUES (?, ?, ?)",
                try DotNumber(deviceKey, dot.seq), body, RecordedHash(of: body))
        }
        (lastSeq, lastBase) = (dot.seq.rawValue, event.base.n.rawValue)
        let known = oldSegment ?? .unknown
        if segment?.boot != known.boot || segment?.offset != known.offset {
            let next = ClockSegment(seq: dot.seq.rawValue, boot: known.boot, offset: known.offset)
            try store(next, in: &db)
            segment = next
        }
        try note(event, key: deviceKey, in: &db)
        for change in event.changes {
            try Touches.add(try DotNumber(deviceKey, dot.seq), to: change.entity, in: &db)
            stale.insert(change.entity)
        }
    }
}
