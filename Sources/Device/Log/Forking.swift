package import MacrologEvents
package import MacrologSQLite

/// How a device heals with a hub whose log has become another one: it gives back what the hub has
/// lost, and where the hub's log has gone on otherwise, it issues its own end of the log anew.
///
/// The events of others behind the fork, which the hub has lost too, become *orphans*: they are
/// issued anew as well, the events of each author under a name of their own, so that no order comes
/// into being that was not there. Whoever else does the same, or is their author, says the same
/// twice, and only the first sealed counts (``EventLog/isRepeat(_:)``).
extension EventLog {
    /// Whether orphans wait to be issued under a new name, and nothing is in their way.
    package var owesOrphans: Bool { orphans > 0 && nextDevice == nil && unsealedCount == 0 }

    /// What the next step of healing tells the hub; `nil` when nothing needs to be told any more.
    package func healRequest(
        _ healing: Healing, eventsMax: Int, in db: inout Connection
    ) throws -> HealRequest? {
        switch healing.step(cursor: cursor) {
        case .done, .fork: return nil
        case .compare(let numbers):
            var marks: [HealRequest.Mark] = []
            for n in numbers { marks.append(.init(n: n, digest: try digest(upTo: n, in: &db))) }
            return HealRequest(marks: marks, rows: [], digest: marks.last?.digest ?? .empty)
        case .give(let agreed):
            var rows: [HealRequest.Row] = []
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
                rows.append(HealRequest.Row(t: row.int(0), body: body))
                return true
            }
            return HealRequest(
                marks: agreed == 0
                    ? [] : [.init(n: agreed, digest: try digest(upTo: agreed, in: &db))],
                rows: rows, digest: try digest(upTo: agreed + Int64(rows.count), in: &db))
        }
    }

    /// Goes on in the hub's epoch, now that all of this log is known to be in the hub's.
    package mutating func adopt(_ epoch: UInt32, in db: inout Connection) throws {
        try db.run("UPDATE replica SET epoch = ?", epoch)
        self.epoch = epoch
    }

    /// Goes back to where the hub's log has gone on otherwise. Nothing is lost: what this device had
    /// recorded is unsealed again, what others had becomes orphans, and all of it is issued anew
    /// once the hub's log is known. Call inside a transaction.
    ///
    /// - Parameters:
    ///   - fork: The number up to which both logs are equal, below the cursor.
    ///   - next: The name under which this device goes on.
    package mutating func goBack(
        to fork: Int64, epoch: UInt32, as next: Identifier, in db: inout Connection,
        projecting projector: inout some Projector
    ) throws {
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
            // What the hub has under this name from here on goes under another key.
            try db.run("INSERT INTO device (id) VALUES (?)", id)
            keys.add(db.lastInsertRowid, of: id)
        }
        lastSealedSeqByKey = [:]
        cursor = fork
        sealedSeq = try Self.lastSealedSeq(of: deviceKey, in: &db)
        orphans = try Self.orphanCount(in: &db)
        try reconsiderOwn(in: &db)
        try refold(in: &db, projecting: &projector)
    }

    /// Issues anew the orphans of one author that nobody else has, under the name that this device
    /// has just taken.
    mutating func issueOrphans(in db: inout Connection) throws {
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
        ) { row in
            (
                position: row.int(0),
                entry: try row.withBytes(1) { try Self.entry($0, nil) }, t: row.intOrNull(2)
            )
        }
        var base: Int64 = 0
        for (position, entry, t) in events {
            let event = entry.event
            // What made a skeleton superfluous is issued anew; who holds the event whole issues it.
            if try !entry.isCompacted && !isSaid(event, in: &db) {
                // After two forks the author may begin again: that needs another name, for a base
                // never goes back under one.
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

    /// The events that wait to be issued anew for others, in their order.
    package func orphaned(in db: inout Connection) throws -> [Event] {
        try db.all(
            """
            SELECT body FROM orphan
            JOIN event ON event.dot = orphan.dot ORDER BY position
            """
        ) { row in try row.withBytes(0) { try Self.entry($0, nil) } }
        .filter { !$0.isCompacted }.map(\.event)
    }

    static func orphanCount(in db: inout Connection) throws -> Int64 {
        try db.first("SELECT count(*) FROM orphan") { $0.int(0) } ?? 0
    }

    private func digest(upTo n: Int64, in db: inout Connection) throws -> PrefixDigest {
        if n == 0 { return .empty }
        if n == cursor { return digest }
        let found = try db.first("SELECT digest FROM seal WHERE n = ?", n) {
            PrefixDigest(bytes: $0.bytes(0))
        }
        guard let found, let digest = found else { throw LogError(.gap(expected: n)) }
        return digest
    }
}
