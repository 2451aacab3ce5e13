import Events
package import SQLite

/// What a repair has done.
package struct Mended: Hashable, Sendable {
    /// How many rows were replaced or put back.
    package var rows: Int64 = 0
    /// The first of them.
    package var first: Int64 = 0
    /// The last of them.
    package var last: Int64 = 0
    /// How many stored digests were wrong beside rows that were right.
    package var digests: Int64 = 0
    /// Where the hub's log goes on otherwise than this one, which is sound; `nil` where both are
    /// one log.
    package var fork: Int64?

    /// Nothing.
    package init() {}

    /// Whether anything is otherwise than before.
    package var hasChanged: Bool { rows > 0 || digests > 0 }
}

/// Replaces rows that are damaged by those that the hub has, and nothing else.
///
/// A row is damaged when it does not have the digest that was stored with it. A row that has, and yet
/// differs from the hub's, is no damage: the hub's log has gone on otherwise, and what this device
/// holds is not given up for that (``goBack(to:epoch:as:in:projecting:)``).
extension EventLog {
    /// Puts what a repair has found into the log, and folds the entities anew that old or new events
    /// speak of. Call inside a transaction.
    package mutating func mend(
        _ found: Repairing, in db: inout Connection, projecting projector: inout some Projector
    ) throws -> Mended {
        var mended = Mended()
        var damaged: [(row: Repairing.Row, held: StoredRow?)] = []
        for row in found.rows {
            let held = try StoredRow.at(row.seal.n, in: &db)
            if let held, held.t == row.seal.t, held.body == row.body, held.summand != nil {
                continue
            }
            let previous = try StoredRow.digest(upTo: row.seal.n - 1, in: &db)
            if let held, held.isSound(after: previous) {
                mended.fork = row.seal.n - 1
                break
            }
            damaged.append((row, held))
        }
        var places = try placesOfDamage(damaged)
        for (row, held) in damaged {
            places.insert(try replace(held, by: row, in: &db))
            if mended.rows == 0 { mended.first = row.seal.n }
            mended.last = row.seal.n
            mended.rows += 1
        }
        if let fork = mended.fork { try giveUpUnreadable(after: fork, in: &db) }
        try touchAnew(places, in: &db)
        try reload(in: &db)
        if found.isWhole, mended.fork == nil {
            mended.digests = try settleDigests(through: found.cursor, in: &db)
        }
        try refoldStale(in: &db, projecting: &projector, passing: true)
        try projector.flush(in: &db)
        return mended
    }

    private func placesOfDamage(
        _ damaged: [(row: Repairing.Row, held: StoredRow?)]
    ) throws -> Set<Place> {
        Set(damaged.compactMap { $0.held.map { Place(key: $0.key, seq: $0.seq) } })
    }

    /// Puts the hub's row in the place of a damaged one, which is kept aside.
    private mutating func replace(
        _ held: StoredRow?, by row: Repairing.Row, in db: inout Connection
    ) throws -> Place {
        let event: Event
        do throws(CBORError) { event = try Event.decoded(row.body) } catch {
            throw LogError(.malformedEvent(error))
        }
        let place = try place(of: event.dot, held: held, in: &db)
        try putEvent(event, row.body, at: place, in: &db)
        let n = row.seal.n
        // An event is sealed once: what stands under its name elsewhere is damaged too.
        let other = try db.first(
            "SELECT n FROM seal WHERE device = ? AND seq = ? AND n <> ?", place.key, place.seq, n
        ) { $0.int(0) }
        if let other, let held = try StoredRow.at(other, in: &db) {
            let previous = try StoredRow.digest(upTo: other - 1, in: &db)
            guard !held.isSound(after: previous) else { throw LogError(.contradiction) }
            try putAside(held, in: &db)
            try db.run("DELETE FROM seal WHERE n = ?", other)
        }
        if let held {
            try putAside(held, in: &db)
            try db.run(
                "UPDATE seal SET t = ?, device = ?, seq = ?, digest = ? WHERE n = ?", row.seal.t,
                place.key, place.seq, row.digest, n)
        } else {
            try db.run(
                "INSERT INTO seal (n, t, device, seq, digest) VALUES (?, ?, ?, ?, ?)", n,
                row.seal.t, place.key, place.seq, row.digest)
        }
        return place
    }

    /// Under which key of this file an event stands, or is to stand.
    private mutating func place(
        of dot: Dot, held: StoredRow?, in db: inout Connection
    ) throws -> Place {
        if let held, held.device == dot.device { return Place(key: held.key, seq: dot.seq) }
        // Of two keys of a device that this one once was, the neighbours tell which one it is.
        let found = try db.first(
            """
            SELECT key FROM device WHERE id = ?1 ORDER BY
                EXISTS (SELECT 1 FROM seal WHERE device = key AND seal.seq IN (?2 - 1, ?2 + 1)) DESC,
                EXISTS (SELECT 1 FROM event WHERE device = key AND event.seq = ?2) DESC, key DESC
            LIMIT 1
            """, dot.device, dot.seq
        ) { $0.int(0) }
        return Place(key: try found ?? key(of: dot.device, in: &db), seq: dot.seq)
    }

    private mutating func putEvent(
        _ event: Event, _ body: [UInt8], at place: Place, in db: inout Connection
    ) throws {
        let old = try db.first(
            "SELECT body FROM event WHERE device = ? AND seq = ?", place.key, place.seq
        ) { $0.bytes(0) }
        guard let old else {
            try db.run(
                "INSERT INTO event (device, seq, body) VALUES (?, ?, ?)", place.key, place.seq,
                body)
            return try note(event, key: place.key, in: &db)
        }
        guard old != body else { return }
        // What this device has recorded, and nobody has sealed, is nobody's to change.
        if place.key == deviceKey, place.seq > sealedSeq,
            let held = try? Event.decoded(old), held.dot == event.dot
        {
            throw LogError(.rolledBack(seq: place.seq))
        }
        try replaceEvent(at: place, old, by: body, in: &db)
        try note(event, key: place.key, in: &db)
    }

    /// Gives an event other bytes. The old ones are kept aside.
    func replaceEvent(
        at place: Place, _ old: [UInt8], by body: [UInt8], in db: inout Connection
    ) throws {
        try db.run(
            "INSERT INTO aside (device, seq, body) VALUES (?, ?, ?)", place.key, place.seq, old)
        try db.run(
            "UPDATE event SET body = ? WHERE device = ? AND seq = ?", body, place.key, place.seq)
    }

    private func putAside(_ held: StoredRow, in db: inout Connection) throws {
        try db.run(
            "INSERT INTO aside (n, t, device, seq) VALUES (?, ?, ?, ?)", held.n, held.t, held.key,
            held.seq)
    }

    /// What is damaged behind a fork can be had from nobody: it counts no more.
    private mutating func giveUpUnreadable(
        after fork: Int64, in db: inout Connection
    ) throws {
        var unreadable: [Place] = []
        try StoredRow.forEach(after: fork, through: cursor, in: &db) { row in
            if row.summand == nil || (try? Event.decoded(row.body ?? [])) == nil {
                unreadable.append(Place(key: row.key, seq: row.seq))
            }
        }
        for place in unreadable { try void(place, in: &db) }
        for entity in try takeTouches(of: Set(unreadable), in: &db) { stale.insert(entity) }
    }

    /// Notes which entities the events of some places touch now, and which they touched before.
    private mutating func touchAnew(
        _ places: Set<Place>, in db: inout Connection
    ) throws {
        for entity in try takeTouches(of: places, in: &db) { stale.insert(entity) }
        for place in places where !voids.contains(place) {
            let event = try db.first(
                "SELECT body FROM event WHERE device = ? AND seq = ?", place.key, place.seq
            ) { row in row.withBytes(0) { try? Self.entry($0, nil).event } }
            let isCounted = try place.key == deviceKey || isSealed(place, in: &db)
            guard isCounted, let event = event ?? nil else { continue }
            for change in event.changes {
                try touch(change.entity, place, in: &db)
                stale.insert(change.entity)
            }
        }
    }

    private func isSealed(_ place: Place, in db: inout Connection) throws -> Bool {
        try db.first(
            "SELECT 1 FROM seal WHERE device = ? AND seq = ?", place.key, place.seq
        ) { _ in true } ?? false
    }

    /// Notes that an event touched an entity.
    func touch(_ entity: EntityKey, _ place: Place, in db: inout Connection) throws {
        try db.run(
            "INSERT OR IGNORE INTO touch (id, kind, device, seq) VALUES (?, ?, ?, ?)", entity.id,
            entity.kind, place.key, place.seq)
    }

    /// Forgets which entities some events touched, and tells which they were. Events that can't be
    /// read any more don't tell, so all notes are looked at, once.
    func takeTouches(
        of places: Set<Place>, in db: inout Connection
    ) throws -> [EntityKey] {
        guard !places.isEmpty else { return [] }
        var found: [(EntityKey, Place)] = []
        try db.forEach("SELECT id, kind, device, seq FROM touch") { row in
            let place = Place(key: row.int(2), seq: row.int(3))
            if places.contains(place) {
                found.append((EntityKey(row.name(1), row.identifier(0)), place))
            }
        }
        for (entity, place) in found { try untouch(entity, place, in: &db) }
        return found.map(\.0)
    }

    /// Notes that an event did not touch an entity.
    func untouch(_ entity: EntityKey, _ place: Place, in db: inout Connection) throws {
        try db.run(
            "DELETE FROM touch WHERE id = ? AND kind = ? AND device = ? AND seq = ?", entity.id,
            entity.kind, place.key, place.seq)
    }

    /// Computes every stored digest from the rows, now that the rows are the hub's.
    ///
    /// - Returns: How many were wrong.
    private mutating func settleDigests(
        through last: Int64, in db: inout Connection
    ) throws -> Int64 {
        var sum = PrefixDigest.empty
        var wrong: [(Int64, PrefixDigest)] = []
        try StoredRow.forEach(after: 0, through: last, in: &db) { row in
            guard let summand = row.summand else { throw LogError(.gap(expected: row.n)) }
            sum.add(summand)
            if row.digest != sum { wrong.append((row.n, sum)) }
        }
        for (n, digest) in wrong {
            try db.run("UPDATE seal SET digest = ? WHERE n = ?", digest, n)
        }
        try reload(in: &db)
        return Int64(wrong.count)
    }

    /// Reads what this value mirrors of the seals anew.
    private mutating func reload(in db: inout Connection) throws {
        lastSealedSeqByKey = [:]
        sealedSeq = try Self.lastSealedSeq(of: deviceKey, in: &db)
        lastSeq = max(try Self.lastSeq(of: deviceKey, in: &db), sealedSeq)
        cursor = try db.first("SELECT max(n) FROM seal") { $0.intOrNull(0) ?? 0 } ?? 0
        digest = try StoredRow.digest(upTo: cursor, in: &db) ?? .empty
    }
}
