import MacrologEvents
package import MacrologWire
import MacrologSQLite

/// How a log drops the payloads of events whose writes were all overwritten long ago: a skeleton
/// replaces each one (``Skeleton``).
///
/// The rule is that of `protocol.md` §7.8. Among the first `through` events, all sealed before the
/// cutoff, an event stays whole if it wrote a cell that no other of these events overwrote having
/// seen it by its base. Therefore the remaining events fold to the same state whatever arrives
/// later, even from a device that was offline for years or from a restored server; and so does the
/// log as of any number from `through` on.
package enum Compaction {
    /// The result of one transaction.
    package struct Step: Hashable, Sendable {
        /// The number up to which events have been examined.
        package let position: Int64
        /// How many of them became skeletons.
        package let events: Int64
        /// How many more bytes their payloads took than their skeletons take.
        package let bytes: Int64
    }

    /// What a compaction remembers between its steps.
    package struct Writers: Sendable {
        var overwrittenByEntity: [EntityKey: Set<Dot>] = [:]

        /// Remembers nothing yet.
        package init() {}
    }

    /// How many events one transaction examines.
    package static let stepMax = 500

    /// How many entities' writers are remembered; events close together in the log touch the same
    /// ones.
    static let entitiesMax = 2_000
}

extension EventLog {
    /// The number up to which every event was sealed before a time and no group continues after it;
    /// 0 where there is nothing to compact, or while this device recovers the server's log or
    /// rotates its ID.
    ///
    /// - Parameter cutoff: Milliseconds since 1970 UTC.
    package func compactionEnd(
        before cutoff: Int64, in db: inout LogConnection
    ) throws(LogError) -> Int64 {
        guard nextDevice == nil, orphans == 0, fork == nil else { return 0 }
        guard cutoff > 0, cutoff <= Sealing.latest else { return 0 }
        let late = try db.first("SELECT min(n) FROM seal WHERE t >= ?", cutoff << 16) {
            $0.intOrNull(0)
        }
        var end = min(cursor, ((late ?? nil) ?? cursor + 1) &- 1)
        while end > 0, let start = try startOfOpenGroup(at: end, in: &db) {
            // In a damaged file a group may begin after its end: nothing is compacted there.
            guard start > 0, start <= end else { return 0 }
            end = start - 1
        }
        return end
    }

    /// The first number of a group that has events both up to a number and after it.
    private func startOfOpenGroup(at end: Int64, in db: inout LogConnection) throws(LogError)
        -> Int64?
    {
        let lasts = try db.all(
            "SELECT max(dot) FROM seal WHERE n <= ? GROUP BY dot >> 40", end
        ) { $0.dotNumber(0) }
        for last in lasts {
            let next = try DotNumber(last.key, Seq(last.seq).successor())
            guard let group = try group(at: next, in: &db),
                try self.group(at: last, in: &db) == group
            else { continue }
            var first = last
            while first.seq > 1 {
                let before = DotNumber(first.key, first.seq - 1)
                guard try self.group(at: before, in: &db) == group else { break }
                first = before
            }
            return try db.first("SELECT n FROM seal WHERE dot = ?", first) { $0.int(0) }
        }
        return nil
    }

    private func group(at dot: DotNumber, in db: inout LogConnection) throws(LogError)
        -> Identifier?
    {
        try db.first(
            "SELECT body FROM event WHERE dot = ?", dot
        ) { row throws(LogError) in try Self.entry(row, 0, nil).event.group } ?? nil
    }

    /// Examines the next events up to a number, and drops the payloads that are not needed. Call
    /// repeatedly, from `position` 0 on. After an interruption, start again from 0: what was dropped stays dropped, and the rest is found.
    ///
    /// - Parameters:
    ///   - through: The result of ``compactionEnd(before:in:)``.
    ///   - position: Where the previous step ended; 0 at first.
    ///   - isTrial: Counts, and changes nothing.
    package mutating func compact(
        through: Int64, after position: Int64, isTrial: Bool = false,
        remembering writers: inout Compaction.Writers, in db: inout LogConnection
    ) throws(LogError) -> Compaction.Step {
        assert(db.isInTransaction)
        assert(0...through ~= position && through <= cursor, "only sealed events are examined")
        assert(nextDevice == nil && orphans == 0 && fork == nil, "a recovery needs what it holds")
        let rows = try db.all(
            """
            SELECT n, event.dot, body FROM seal JOIN event ON event.dot = seal.dot
            WHERE n > ? AND n <= ? ORDER BY n LIMIT ?
            """, position, through, Compaction.stepMax
        ) { row in
            (n: row.int(0), dot: row.dotNumber(1), body: row.bytes(2))
        }
        var (events, bytes): (Int64, Int64) = (0, 0)
        for (_, dot, body) in rows where !Skeleton.isSkeleton(body) {
            let event = try Self.entry(body, nil).event
            if try isNeeded(event, through: through, &writers, in: &db) { continue }
            let skeleton = try Self.skeleton(of: body, through: through)
            guard skeleton.count < body.count else { continue }
            events += 1
            bytes += Int64(body.count - skeleton.count)
            if isTrial { continue }
            try db.run("UPDATE event SET body = ?, hash = NULL WHERE dot = ?", skeleton, dot)
        }
        if events > 0, !isTrial { try remember(compactedThrough: through, in: &db) }
        return Compaction.Step(position: rows.last?.n ?? through, events: events, bytes: bytes)
    }

    private static func skeleton(of body: [UInt8], through: Int64) throws(LogError) -> [UInt8] {
        do throws(CBORError) {
            return try body.withBytes { body throws(CBORError) in
                try Skeleton(of: body, through: through).encoded()
            }
        } catch { throw LogError(.damaged(error)) }
    }

    /// Whether the payload of an event is needed for the state of the log, now or ever.
    private func isNeeded(
        _ event: Event, through: Int64, _ writers: inout Compaction.Writers,
        in db: inout LogConnection
    ) throws(LogError) -> Bool {
        // It is unknown what a newer version needs of its events; and only the payload of a
        // reissued event says which event it was.
        guard event.extras.isEmpty else { return true }
        for change in event.changes {
            for case .unknown in change.operations { return true }
            let overwritten: Set<Dot>
            if let known = writers.overwrittenByEntity[change.entity] {
                overwritten = known
            } else {
                overwritten = try self.overwritten(
                    of: change.entity, through: through, in: &db)
                if writers.overwrittenByEntity.count >= Compaction.entitiesMax {
                    writers.overwrittenByEntity.removeAll()
                }
                writers.overwrittenByEntity[change.entity] = overwritten
            }
            // An event that the entity's history does not name, because the folded tables were
            // edited, is not known to be overwritten.
            if !overwritten.contains(event.dot) { return true }
        }
        return false
    }

    /// The events of an entity, among the first `through`, whose writes were all overwritten by
    /// others of them that had seen them by their base. The order under one device ID does not
    /// count: after a fork an event may be reissued under another device ID, and keeps of what it
    /// had seen only its base.
    private func overwritten(
        of entity: EntityKey, through: Int64, in db: inout LogConnection
    ) throws(LogError) -> Set<Dot> {
        var state = EntityState()
        var dots: [Dot: Dot] = [:]
        for entry in try history(of: entity, in: &db) {
            guard let seal = entry.seal, seal.n <= through else { break }
            // Each event has a stand-in under a device ID of its own, so that only its base says
            // what it had seen.
            let standIn = Dot(device: Identifier(high: 0, low: UInt64(seal.n.rawValue)), seq: 1)
            dots[standIn] = entry.event.dot
            let stamp = Stamp(dot: standIn, base: entry.event.base, seal: seal)
            for change in entry.event.changes where change.entity == entity {
                state.fold(change, stamp: stamp)
            }
        }
        let standing = state.dots
        return Set(dots.filter { !standing.contains($0.key) }.values)
    }

    /// Records that a skeleton came from another device.
    package mutating func remember(_ skeleton: Skeleton, in db: inout LogConnection)
        throws(LogError)
    {
        try remember(compactedThrough: skeleton.through.rawValue, in: &db)
    }

    private mutating func remember(
        compactedThrough through: Int64, in db: inout LogConnection
    ) throws(LogError) {
        assert(db.isInTransaction)
        guard through > compactedThrough else { return }
        try db.run("UPDATE replica SET compacted_through = ?", through)
        compactedThrough = through
    }

    /// Deletes the index of touches, which folding rebuilds, except for skeletons: folding cannot
    /// rebuild theirs.
    func forgetOverwritten(in db: inout LogConnection) throws(LogError) {
        assert(db.isInTransaction)
        guard compactedThrough > 0 else { return try db.run("DELETE FROM touch") }
        try db.run(
            """
            DELETE FROM touch WHERE NOT EXISTS
                (SELECT 1 FROM event WHERE event.dot = touch.dot AND substr(body, 1, 1) = x'A6')
            """)
    }

    /// The greatest sealed time among the first `n` events, in milliseconds since 1970 UTC; 0 for
    /// none.
    package func sealedTime(upTo n: Int64, in db: inout LogConnection) throws(LogError) -> Int64 {
        let t = try db.first("SELECT max(t) FROM seal WHERE n <= ?", n) { $0.intOrNull(0) }
        return ((t ?? nil) ?? 0) >> 16
    }

    /// How many sealed events are skeletons.
    package func compactedCount(in db: inout LogConnection) throws(LogError) -> Int64 {
        try db.first(
            """
            SELECT count(*) FROM event WHERE substr(body, 1, 1) = x'A6'
            AND EXISTS (SELECT 1 FROM seal WHERE seal.dot = event.dot)
            """
        ) { $0.int(0) } ?? 0
    }
}
