package import Events
package import SQLite

/// Compares what is stored with itself, part by part: rows with their digests, and what is derived
/// with the rows. It needs no network, and says only that something is wrong; what is wrong about a
/// sealed row the hub knows (``Repairing``).
extension EventLog {
    /// What a look at some events has found.
    package struct RowFindings: Sendable {
        /// The number of the last row looked at, or 0 when it was the last of all.
        package var through: Int64 = 0
        /// Whether every row was there, and as it was when its digest was stored.
        package var isSound = true
        /// Entities that an event touched, although the file does not say so.
        var untold: [(EntityKey, Place)] = []
        /// Own events that can't be read, and that nobody else has.
        var unreadable: [Place] = []
        /// Whether own events that nobody else has are missing.
        var hasGap = false

        /// Whether something has to be written.
        package var hasUntold: Bool { !untold.isEmpty }
        /// Whether something that was recorded here, and nowhere else, is lost.
        package var isLost: Bool { hasGap || !unreadable.isEmpty }
        /// How many events are known to be lost.
        package var lostCount: Int64 { Int64(unreadable.count) + (hasGap ? 1 : 0) }
    }

    /// Looks at sealed rows behind a number.
    package func verify(
        after: Int64, limit: Int64, in db: inout Connection
    ) throws -> RowFindings {
        var found = RowFindings()
        let end = min(cursor, after + limit)
        var n = after
        var digest = try StoredRow.digest(upTo: after, in: &db)
        var told: [(Event, Place)] = []
        try StoredRow.forEach(after: after, through: end, in: &db) { row in
            n += 1
            guard row.n == n, row.isSound(after: digest), let body = row.body,
                let event = try? Event.decoded(body)
            else {
                (found.isSound, n, digest) = (false, row.n, row.digest)
                return
            }
            digest = row.digest
            told.append((event, Place(key: row.key, seq: row.seq)))
        }
        if n != end { found.isSound = false }
        found.through = end == cursor ? 0 : end
        found.untold = try untold(told, in: &db)
        return found
    }

    /// Looks at this device's own events that nobody else has.
    package func verifyUnsealed(in db: inout Connection) throws -> RowFindings {
        var found = RowFindings()
        var told: [(Event, Place)] = []
        var last = sealedSeq
        guard unsealedCount > 0 else { return found }
        try db.forEach(
            "SELECT seq, body FROM event WHERE device = ? AND seq > ? ORDER BY seq", deviceKey,
            sealedSeq
        ) { row in
            let place = Place(key: deviceKey, seq: row.int(0))
            found.hasGap = found.hasGap || place.seq != last + 1
            last = place.seq
            guard !voids.contains(place) else { return }
            let event = row.withBytes(1) { try? Event.decoded($0) }
            if let event, event.dot == Dot(device: device, seq: place.seq) {
                told.append((event, place))
            } else {
                found.unreadable.append(place)
            }
        }
        if last != lastSeq { found.hasGap = true }
        found.untold = try untold(told, in: &db)
        return found
    }

    private func untold(
        _ events: [(Event, Place)], in db: inout Connection
    ) throws -> [(EntityKey, Place)] {
        var untold: [(EntityKey, Place)] = []
        for (event, place) in events where !voids.contains(place) {
            for change in event.changes {
                let entity = change.entity
                let isTold = try db.first(
                    "SELECT 1 FROM touch WHERE id = ? AND kind = ? AND device = ? AND seq = ?",
                    entity.id, entity.kind, place.key, place.seq
                ) { _ in true }
                if isTold == nil { untold.append((entity, place)) }
            }
        }
        return untold
    }

    /// Notes what was not told, and folds the entities anew. Call inside a transaction.
    package mutating func tell(
        _ found: RowFindings, in db: inout Connection, projecting projector: inout some Projector
    ) throws {
        for (entity, place) in found.untold {
            try touch(entity, place, in: &db)
            stale.insert(entity)
        }
        try refoldStale(in: &db, projecting: &projector, passing: true)
        try projector.flush(in: &db)
    }

    /// Lets own events that can't be read count no more. Their bytes stay. The hub has to get a
    /// device's events without gaps, so this device must leave its name now. Call inside a
    /// transaction.
    package mutating func giveUp(
        _ found: RowFindings, in db: inout Connection, projecting projector: inout some Projector
    ) throws {
        for place in found.unreadable { try void(place, in: &db) }
        var lost = Set(found.unreadable)
        if found.hasGap {
            let held = Set(
                try db.all(
                    "SELECT seq FROM event WHERE device = ? AND seq > ?", deviceKey, sealedSeq
                ) { $0.int(0) })
            // A number that no row has may yet be known by what it touched.
            for seq in sealedSeq + 1...max(lastSeq, sealedSeq + 1) where !held.contains(seq) {
                lost.insert(Place(key: deviceKey, seq: seq))
            }
        }
        for entity in try takeTouches(of: lost, in: &db) { stale.insert(entity) }
        try refoldStale(in: &db, projecting: &projector, passing: true)
        try projector.flush(in: &db)
    }
}

/// Some ids that follow one another, all rows of which are looked at together.
package struct IDRange: Hashable, Sendable {
    /// Ids greater than this.
    package let after: [UInt8]
    /// Ids up to this.
    package let through: [UInt8]

    /// Whether there is no id behind.
    package var isLast: Bool { through == Self.end }

    /// Greater than any id.
    private static let end = [UInt8](repeating: 0xFF, count: 17)

    /// Whether an id is one of them.
    package func contains(_ id: Identifier) -> Bool {
        let bytes = id.bytes
        return after.lexicographicallyPrecedes(bytes) && !through.lexicographicallyPrecedes(bytes)
    }

    /// The next range, of so many entities that events touched.
    package static func next(
        after: [UInt8], limit: Int, in db: inout Connection
    ) throws -> IDRange {
        let ids = try db.all(
            "SELECT DISTINCT id FROM touch WHERE id > ? ORDER BY id LIMIT ?", after, limit
        ) { $0.bytes(0) }
        let last = ids.count < limit ? nil : ids.last
        return IDRange(after: after, through: last ?? end)
    }
}

extension EventLog {
    /// Folds the entities of a range anew from the events that touched them, as if nothing of them
    /// had been stored. Call inside a transaction, after the projector has forgotten them too.
    package func refold(
        _ range: IDRange, in db: inout Connection, projecting projector: inout some Projector
    ) throws {
        try db.run("DELETE FROM entity WHERE id > ? AND id <= ?", range.after, range.through)
        try db.run("DELETE FROM conflict WHERE id > ? AND id <= ?", range.after, range.through)
        var entries: [EntityKey: [LogEntry]] = [:]
        var wrong: [(id: [UInt8], kind: [UInt8], place: Place)] = []
        try db.forEach(
            """
            SELECT touch.id, kind, touch.device, touch.seq, body, n, t FROM touch
            LEFT JOIN event ON event.device = touch.device AND event.seq = touch.seq
            LEFT JOIN seal ON seal.device = touch.device AND seal.seq = touch.seq
            WHERE touch.id > ? AND touch.id <= ?
            """, range.after, range.through
        ) { row in
            let place = Place(key: row.int(2), seq: row.int(3))
            let seal = row.isNull(5) ? nil : Seal(n: row.int(5), t: row.int(6))
            let isCounted =
                !voids.contains(place) && !row.isNull(4) && (seal != nil || place.key == deviceKey)
            let entity = Identifier(bytes: row.bytes(0)).map { EntityKey(row.name(1), $0) }
            let entry = isCounted ? try row.withBytes(4) { try Self.entry($0, seal) } : nil
            if let entity, let entry, entry.event.changes.contains(where: { $0.entity == entity }) {
                entries[entity, default: []].append(entry)
            } else {
                wrong.append((row.bytes(0), row.bytes(1), place))
            }
        }
        for (id, kind, place) in wrong {
            try db.run(
                """
                DELETE FROM touch
                WHERE id = ? AND kind = CAST(? AS TEXT) AND device = ? AND seq = ?
                """, id, kind, place.key, place.seq)
        }
        for (entity, entries) in entries.sorted(by: { $0.key < $1.key }) {
            var state = EntityState()
            for entry in entries.sorted(by: { Self.precedes($0, $1) }) {
                for change in entry.event.changes where change.entity == entity {
                    state.fold(change, stamp: entry.stamp)
                }
            }
            try EntityTable.store(state, was: nil, for: entity, in: &db)
            try projector.project(entity, from: nil, to: state, in: &db)
        }
        try projector.flush(in: &db)
    }

    /// Sealed events by number, then unsealed ones by theirs.
    private static func precedes(_ left: LogEntry, _ right: LogEntry) -> Bool {
        switch (left.seal, right.seal) {
        case (let left?, let right?): left.n < right.n
        case (_?, nil): true
        case (nil, _?): false
        case (nil, nil): left.event.dot.seq < right.event.dot.seq
        }
    }
}
