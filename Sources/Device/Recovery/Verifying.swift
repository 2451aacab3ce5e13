import MacrologEvents
import MacrologWire
package import MacrologLog
import MacrologSQLite

/// Checks the file against itself, part by part: rows against their digests, and derived data
/// against the rows. It needs no network, and reports only that something is wrong; what is wrong
/// with a sealed row only the server can tell (``Recovering``).
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
        assert(limit > 0)
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
                if try !OverwrittenEvents.contains(dot, of: entity, in: &db) {
                    missingTouches.append((entity, dot))
                }
            }
        }
        return missingTouches
    }

    /// Corrects the index of touches, and folds the entities again.
    package mutating func addTouches(
        _ found: RowFindings, in db: inout LogConnection,
        updating readModels: inout some ReadModelUpdater
    ) throws(LogError) {
        assert(db.isInTransaction)
        for (entity, dot) in found.missingTouches {
            try touch(entity, by: dot, in: &db)
        }
        try refoldStale(in: &db, updating: &readModels, passing: true)
        try readModels.flush(in: &db)
    }

    /// Makes own events void that cannot be read, or are not what was recorded. Their bytes stay.
    /// The server must get a device's events without gaps, so this device must rotate its ID now,
    /// if that is not already due.
    package mutating func giveUp(
        _ found: RowFindings, in db: inout LogConnection,
        updating readModels: inout some ReadModelUpdater
    ) throws(LogError) {
        assert(db.isInTransaction)
        assert(found.unreadable.allSatisfy { $0.key == deviceKey && $0.seq > sealedSeq })
        for dot in found.unreadable { try void(dot, in: &db) }
        markStale(try touched(by: Set(found.unreadable), in: &db))
        if found.hasGap {
            var held: Set<Int64> = []
            try forEachUnsealed(in: &db) { held.insert($0.dot.seq) }
            // A number without a row may still be in the index of touches. If a damaged number is
            // the last, nearly all are missing: they are not counted one by one.
            let (key, device, sealed) = (deviceKey, device, sealedSeq)
            markStale(
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
