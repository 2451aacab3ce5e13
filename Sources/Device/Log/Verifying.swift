package import MacrologEvents
import MacrologSQLite

/// Checks the file against itself, part by part: rows against their digests, and derived data
/// against the rows. It needs no network, and reports only that something is wrong; what is wrong
/// with a sealed row only the server can tell (``Repairing``).
extension EventLog {
    /// What a check of some rows has found.
    package struct RowFindings: Sendable {
        /// The number of the last row checked, or 0 when it was the last of all.
        package var through: Int64 = 0
        /// Whether every row was present and matched its stored digest.
        package var isSound = true
        /// Entities that an event touched although the index of touches does not say so.
        var missingTouches: [(EntityKey, DotNumber)] = []
        /// Own unsealed events that cannot be read, or are not what was recorded.
        var unreadable: [DotNumber] = []
        /// Whether a void event cannot be read, which the server must get all the same.
        var isVoidUnreadable = false
        /// Whether own unsealed events are missing.
        var hasGap = false

        /// Whether the index of touches has to be corrected.
        package var lacksTouches: Bool { !missingTouches.isEmpty }
        /// How many own unsealed events cannot be read, or are not what was recorded.
        package var unreadableCount: Int64 { Int64(unreadable.count) }
        /// Whether the server cannot get later events as long as this device keeps its ID.
        package var isInTheWay: Bool { hasGap || !unreadable.isEmpty || isVoidUnreadable }
        /// How many events that only this device had are known to be lost.
        package var lostCount: Int64 { unreadableCount + (hasGap ? 1 : 0) }
    }

    /// Checks sealed rows after a number.
    package func verify(
        after: Int64, limit: Int64, in db: inout LogConnection
    ) throws(LogError) -> RowFindings {
        var found = RowFindings()
        let end = LogNumber(after).adding(limit).map { min(cursor, $0.rawValue) } ?? cursor
        var n = after
        var digest = try StoredRow.digest(upTo: after, in: &db)
        var events: [(Event, DotNumber)] = []
        try StoredRow.forEach(after: after, through: end, in: &db) { row in
            n += 1
            guard row.n == n, row.isSound(after: digest), let body = row.body,
                let stored = try? StoredEvent.decoded(body)
            else {
                (found.isSound, n, digest) = (false, row.n, row.digest)
                return
            }
            digest = row.digest
            if case .whole(let event) = stored { events.append((event, row.dot)) }
        }
        if n != end { found.isSound = false }
        found.through = end == cursor ? 0 : end
        found.missingTouches = try missingTouches(events, in: &db)
        return found
    }

    /// Checks this device's own unsealed events.
    package func verifyUnsealed(in db: inout LogConnection) throws(LogError) -> RowFindings {
        var found = RowFindings()
        var events: [(Event, DotNumber)] = []
        var last = sealedSeq
        guard unsealedCount > 0 else { return found }
        try forEachUnsealed(in: &db) { row in
            found.hasGap = found.hasGap || row.dot.seq != last + 1
            last = row.dot.seq
            let isVoid = voids.contains(row.dot)
            guard let event = row.event else {
                if nextDevice != nil, row.isSkeleton { return }
                if isVoid { return found.isVoidUnreadable = true }
                return found.unreadable.append(row.dot)
            }
            if !isVoid { events.append((event, row.dot)) }
        }
        if last != lastSeq { found.hasGap = true }
        found.missingTouches = try missingTouches(events, in: &db)
        return found
    }

    private func missingTouches(
        _ events: [(Event, DotNumber)], in db: inout LogConnection
    ) throws(LogError) -> [(EntityKey, DotNumber)] {
        var missingTouches: [(EntityKey, DotNumber)] = []
        for (event, dot) in events where !voids.contains(dot) {
            for change in event.changes {
                let entity = change.entity
                do throws(LogError) {
                    let state = try EntityTable.state(of: entity, in: &db)
                    if state?.dots.contains(event.dot) == true { continue }
                } catch {
                    guard case .damaged = error.code else { throw error }
                    // A body that cannot be unpacked is found when entities are folded again.
                    continue
                }
                let isIndexed = try db.first(
                    "SELECT 1 FROM touch WHERE id = ? AND kind = ? AND dot = ?", entity.id,
                    entity.kind, dot
                ) { _ in true }
                if isIndexed == nil { missingTouches.append((entity, dot)) }
            }
        }
        return missingTouches
    }

    /// Corrects the index of touches, and folds the entities again. Call inside a transaction.
    package mutating func addTouches(
        _ found: RowFindings, in db: inout LogConnection,
        updating readModels: inout some ReadModelUpdater
    ) throws(LogError) {
        for (entity, dot) in found.missingTouches {
            try OverwrittenEvents.add(dot, to: entity, in: &db)
            stale.insert(entity)
        }
        try refoldStale(in: &db, updating: &readModels, passing: true)
        try readModels.flush(in: &db)
    }

    /// Makes own events void that cannot be read, or are not what was recorded. Their bytes stay.
    /// The server must get a device's events without gaps, so this device must rotate its ID now,
    /// if that is not already due. Call inside a transaction.
    package mutating func giveUp(
        _ found: RowFindings, in db: inout LogConnection,
        updating readModels: inout some ReadModelUpdater
    ) throws(LogError) {
        for dot in found.unreadable { try void(dot, in: &db) }
        stale.formUnion(try touched(by: Set(found.unreadable), in: &db))
        if found.hasGap {
            let held = Set(
                try db.all(
                    "SELECT dot FROM event WHERE dot > ? AND dot <= ?",
                    DotNumber(deviceKey, sealedSeq), DotNumber.last(of: deviceKey)
                ) { $0.dotNumber(0).seq })
            // A number without a row may still be in the index of touches. If a damaged number is
            // the last, nearly all are missing: they are not counted one by one.
            let (key, device, sealed) = (deviceKey, device, sealedSeq)
            stale.formUnion(
                try touched(
                    where: { $0.key == key && $0.seq > sealed && !held.contains($0.seq) },
                    or: {
                        $0.device == device && $0.seq > sealed && !held.contains($0.seq.rawValue)
                    },
                    in: &db))
        }
        try refoldStale(in: &db, updating: &readModels, passing: true)
        try readModels.flush(in: &db)
    }
}

/// A range of consecutive ids whose rows are checked together.
package struct IDRange: Hashable, Sendable {
    /// Ids greater than this one.
    package let after: [UInt8]
    /// Ids up to this one.
    package let through: [UInt8]

    /// Whether no id follows.
    package var isLast: Bool { through == Self.end }

    /// Greater than any id.
    private static let end = [UInt8](repeating: 0xFF, count: 17)

    /// Whether the range contains an id.
    package func contains(_ id: Identifier) -> Bool {
        let bytes = id.bytes
        return after.lexicographicallyPrecedes(bytes) && !through.lexicographicallyPrecedes(bytes)
    }

    /// The next range, of at most this many entities that events touched.
    package static func next(
        after: [UInt8], limit: Int, in db: inout LogConnection
    ) throws(LogError) -> IDRange {
        let ids = try db.all(
            """
            SELECT id FROM entity WHERE id > ?1 UNION SELECT id FROM touch WHERE id > ?1
            ORDER BY id LIMIT ?2
            """, after, limit
        ) { $0.bytes(0) }
        let last = ids.count < limit ? nil : ids.last
        return IDRange(after: after, through: last ?? end)
    }
}

extension EventLog {
    /// Folds the entities of a range again from the events that touched them, as if nothing of them
    /// had been stored. Call inside a transaction, after the updater has cleared them too.
    package func refold(
        _ range: IDRange, in db: inout LogConnection,
        updating readModels: inout some ReadModelUpdater
    ) throws(LogError) {
        let entities = try history(of: range, in: &db)
        try db.run("DELETE FROM entity WHERE id > ? AND id <= ?", range.after, range.through)
        try db.run("DELETE FROM conflict WHERE id > ? AND id <= ?", range.after, range.through)
        try db.run("DELETE FROM touch WHERE id > ? AND id <= ?", range.after, range.through)
        for (entity, entries) in entities.sorted(by: { $0.key < $1.key }) {
            let state = Self.fold(entity, entries)
            try OverwrittenEvents.add(
                entries.lazy.map { $0.event.dot }, keys: keys, unknownTo: state, of: entity, in: &db
            )
            // Nothing is known of an entity that only skeletons touched.
            if state.cells.isEmpty { continue }
            try EntityTable.store(state, was: nil, for: entity, in: &db)
            try readModels.update(entity, from: nil, to: state, in: &db)
        }
        try readModels.flush(in: &db)
    }

    /// The events of each entity of a range, in order, as far as anything in the file names them.
    private func history(
        of range: IDRange, in db: inout LogConnection
    ) throws(LogError) -> [EntityKey: [LogEntry]] {
        var dots: [EntityKey: Set<DotNumber>] = [:]
        var states: [(EntityKey, EntityState)] = []
        try db.forEach(
            "SELECT id, kind, state FROM entity WHERE id > ? AND id <= ?", range.after,
            range.through
        ) { row throws(LogError) in
            guard let id = Identifier(bytes: row.bytes(0)) else { return }
            // Only the whole log can tell which events an unreadable state named.
            let state = try row.withBytes(2) { bytes throws(LogError) in
                do throws(CBORError) { return try EntityState.decoded(bytes) } catch {
                    throw LogError(.damaged(error))
                }
            }
            states.append((EntityKey(row.name(1), id), state))
        }
        for (entity, state) in states {
            for dot in state.dots {
                guard let number = try keys.number(of: dot, in: &db) else { continue }
                dots[entity, default: []].insert(number)
            }
        }
        try db.forEach(
            "SELECT id, kind, dot FROM touch WHERE id > ? AND id <= ?", range.after, range.through
        ) { row in
            guard let id = Identifier(bytes: row.bytes(0)) else { return }
            dots[EntityKey(row.name(1), id), default: []].insert(row.dotNumber(2))
        }
        var entries: [EntityKey: [LogEntry]] = [:]
        for (entity, dots) in dots {
            entries[entity] = try self.entries(dots.subtracting(voids), in: &db)
                .filter { $0.isCompacted || $0.event.changes.contains { $0.entity == entity } }
                .sorted { Self.precedes($0, $1) }
        }
        return entries
    }

    /// Sealed events by `n`, then unsealed ones by `seq`.
    static func precedes(_ left: LogEntry, _ right: LogEntry) -> Bool {
        switch (left.seal, right.seal) {
        case (let left?, let right?): left.n < right.n
        case (_?, nil): true
        case (nil, _?): false
        case (nil, nil): left.event.dot.seq < right.event.dot.seq
        }
    }
}
