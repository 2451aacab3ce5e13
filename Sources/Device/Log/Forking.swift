package import MacrologEvents
import MacrologSQLite

/// How a device recovers a server whose log has been replaced: it gives back the events that the
/// server has lost. Where the server's log has forked from this one, the device reissues its own
/// events from after the fork.
///
/// Events of other devices from after the fork, which the server has lost too, become *orphans*.
/// They are reissued as well, those of each author under a device ID of their own, so that the
/// reissue creates no order that did not exist. If another device reissues the same events, or
/// their author does, they are duplicates, and only the first one sealed counts
/// (``EventLog/isDuplicate(_:)``).
extension EventLog {
    /// Whether orphans wait to be reissued under a new device ID, and nothing prevents it.
    package var owesOrphans: Bool { orphans > 0 && nextDevice == nil && unsealedCount == 0 }

    /// What the next step of recovery tells the server; `nil` when nothing remains to be told.
    package func recoverRequest(
        _ recovery: RecoveryPlan, eventsMax: Int, in db: inout LogConnection
    ) throws(LogError) -> RecoverRequest? {
        switch recovery.step(cursor: cursor) {
        case .done, .fork: return nil
        case .compare(let numbers):
            var marks: [RecoverRequest.Mark] = []
            for n in numbers { marks.append(.init(n: n, digest: try digest(upTo: n, in: &db))) }
            return RecoverRequest(marks: marks, rows: [], digest: marks.last?.digest ?? .empty)
        case .give(let agreed):
            var rows: [RecoverRequest.Row] = []
            var bytes = 0
            try db.forEachWhile(
                """
                SELECT t, body FROM seal JOIN event ON event.dot = seal.dot
                WHERE n > ? ORDER BY n LIMIT ?
                """, agreed, min(eventsMax, Limits.pageEventsMax)
            ) { row in
                let body = row.bytes(1)
                bytes += body.count
                guard rows.isEmpty || bytes <= Limits.pageBytesMax else { return false }
                rows.append(RecoverRequest.Row(t: row.int(0), body: body))
                return true
            }
            return RecoverRequest(
                marks: agreed == 0
                    ? [] : [.init(n: agreed, digest: try digest(upTo: agreed, in: &db))],
                rows: rows, digest: try digest(upTo: agreed + Int64(rows.count), in: &db))
        }
    }

    /// Adopts the server's epoch, once all of this log is known to be in the server's log.
    package mutating func adopt(_ epoch: UInt32, in db: inout LogConnection) throws(LogError) {
        try db.run("UPDATE replica SET epoch = ?", epoch)
        self.epoch = epoch
    }

    /// Rewinds this log to the point where the server's log forked. Nothing is lost: this device's
    /// events become unsealed again, events of other devices become orphans, and all of them are
    /// reissued once the server's log is known. Call inside a transaction.
    ///
    /// - Parameters:
    ///   - fork: The number up to which both logs are equal, below the cursor.
    ///   - next: The device ID that this device takes next.
    package mutating func goBack(
        to fork: Int64, epoch: UInt32, as next: Identifier, in db: inout LogConnection,
        updating readModels: inout some ReadModelUpdater
    ) throws(LogError) {
        nextDevice = nextDevice ?? next
        self.fork = min(self.fork ?? .max, fork)
        self.epoch = epoch
        try db.run(
            "UPDATE replica SET epoch = ?, next = ?, fork = ?", epoch, nextDevice, self.fork)
        let others = try db.all(
            """
            SELECT DISTINCT id FROM seal JOIN device ON device.key = seal.dot >> 40
            WHERE n > ? AND device.key <> ?
            """, fork, deviceKey
        ) { $0.identifier(0) }
        try db.run(
            """
            INSERT INTO orphan (dot, t) SELECT dot, t FROM seal
            WHERE n > ? AND dot >> 40 <> ?
            AND NOT EXISTS (SELECT 1 FROM void WHERE void.dot = seal.dot)
            ORDER BY n
            """, fork, deviceKey)
        digest = try digest(upTo: fork, in: &db)
        try keepTimes(after: fork, in: &db)
        try db.run("DELETE FROM seal WHERE n > ?", fork)
        for id in others {
            // Events that the server has under this device ID after the fork get another key.
            try db.run("INSERT INTO device (id) VALUES (?)", id)
            keys.add(db.lastInsertRowid, of: id)
        }
        lastSealedSeqByKey = [:]
        cursor = fork
        sealedSeq = try Self.lastSealedSeq(of: deviceKey, in: &db)
        orphans = try Self.orphanCount(in: &db)
        try reconsiderOwn(in: &db)
        try refold(in: &db, updating: &readModels)
    }

    /// Reissues the orphans of one author that no other device has reissued, under the device ID
    /// that this device has just taken.
    mutating func issueOrphans(in db: inout LogConnection) throws(LogError) {
        let author = try db.first(
            """
            SELECT id FROM orphan JOIN device ON device.key = dot >> 40
            ORDER BY position LIMIT 1
            """
        ) { $0.identifier(0) }
        guard let author else { return }
        let events = try db.all(
            """
            SELECT position, body, t FROM orphan
            JOIN device ON device.key = orphan.dot >> 40 AND device.id = ?
            JOIN event ON event.dot = orphan.dot
            ORDER BY position
            """, author
        ) { row throws(LogError) in
            (position: row.int(0), entry: try Self.entry(row, 1, nil), t: row.intOrNull(2))
        }
        var base: Int64 = 0
        for (position, entry, t) in events {
            let event = entry.event
            // A skeleton is not reissued: the events that superseded it are, and a device that
            // holds the event whole reissues it.
            if !entry.isCompacted, try !isSaid(event, in: &db) {
                // After two forks the author's bases may start lower again. That needs another
                // device ID, because under one device ID the base never decreases.
                let next = min(event.base.n.rawValue, fork ?? .max)
                guard next >= base else { break }
                base = next
                let segment = t.map { ClockSegment(seq: 0, wall: event.wall, sealedAt: $0) }
                try reissue(event, segment: segment, in: &db)
            }
            try db.run("DELETE FROM orphan WHERE position = ?", position)
        }
        orphans = try Self.orphanCount(in: &db)
    }

    /// The events of other devices that wait to be reissued, in order.
    package func orphaned(in db: inout LogConnection) throws(LogError) -> [Event] {
        try db.all(
            """
            SELECT body FROM orphan
            JOIN event ON event.dot = orphan.dot ORDER BY position
            """
        ) { row throws(LogError) in try Self.entry(row, 0, nil) }
        .filter { !$0.isCompacted }.map { $0.event }
    }

    static func orphanCount(in db: inout LogConnection) throws(LogError) -> Int64 {
        try db.first("SELECT count(*) FROM orphan") { $0.int(0) } ?? 0
    }

    private func digest(upTo n: Int64, in db: inout LogConnection) throws(LogError) -> PrefixDigest
    {
        if n == 0 { return .empty }
        if n == cursor { return digest }
        let found = try db.first("SELECT digest FROM seal WHERE n = ?", n) {
            PrefixDigest(bytes: $0.bytes(0))
        }
        guard let found, let digest = found else { throw LogError(.gap(expected: n)) }
        return digest
    }
}
