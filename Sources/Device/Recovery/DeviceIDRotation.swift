package import MacrologEvents
import MacrologWire
package import MacrologLog
import MacrologSQLite

/// How a device whose file was restored or copied rotates its device ID without losing or
/// duplicating anything.
///
/// Rotation has two steps. After ``beginRotation(to:in:updating:)`` the device sends nothing. It
/// asks the server under its next ID, and so receives every event of its old ID with its bytes:
/// those that it holds itself become sealed. Once it has the whole log, or meets an event that
/// contradicts its own, or is about to record, it takes the next ID
/// (``finishRotation(in:updating:)``) and reissues what is still unsealed.
extension EventLog {
    /// Notes that another file also uses this device ID: nothing more is recorded or sent under it.
    /// If nothing is unsealed, the next ID is taken at once.
    package mutating func beginRotation(
        to next: Identifier, in db: inout LogConnection,
        updating readModels: inout some ReadModelUpdater
    ) throws(LogError) {
        assert(db.isInTransaction)
        assert(next != device, "an ID is never taken twice")
        try setNextDevice(next, in: &db)
        if unsealedCount == 0 { try finishRotation(in: &db, updating: &readModels) }
    }

    /// Takes the next device ID, if there is one, and reissues the unsealed events in order. The
    /// old events stay in the log and are void.
    package mutating func finishRotation(
        in db: inout LogConnection, updating readModels: inout some ReadModelUpdater
    ) throws(LogError) {
        assert(db.isInTransaction)
        guard nextDevice != nil else { return }
        let tail = try unsealed(in: &db)
        try becomeNextDevice(in: &db)
        for (event, segment) in tail {
            try reissue(event, segment: segment, in: &db)
        }
        // If others have already said all that an author had, the ID is free for the next author.
        while lastSeq == 0, orphans > 0 { try issueOrphans(in: &db) }
        if orphans == 0 { try endFork(in: &db) }
        assert(nextDevice == nil && sealedSeq == 0, "nothing is sealed under a new ID")
        try refoldStale(in: &db, updating: &readModels)
        try readModels.flush(in: &db)
    }

    /// Seals an event of this device that the server sent as another device's, during a rotation.
    ///
    /// - Returns: Whether this file holds the same event. If not, the next ID has been taken.
    mutating func recognize(
        _ entry: LogEntry, _ body: [UInt8], _ seal: Seal, folding fold: inout Fold,
        in db: inout LogConnection, updating readModels: inout some ReadModelUpdater
    ) throws(LogError) -> Bool {
        let event = entry.event
        assert(nextDevice != nil && event.dot.device == device)
        let held = try ownBody(event.dot.seq.rawValue, in: &db)
        // An event that was held only as a skeleton and arrived whole is whole from now on, under
        // another key.
        if let held, held == body || entry.skeleton?.stands(for: held) == true {
            try sealOwn(
                event.dot.seq.rawValue, seal, by: PageRecovery(), folding: &fold, in: &db)
            return true
        }
        try fold.flush(in: &db, keys: keys, updating: &readModels)
        try finishRotation(in: &db, updating: &readModels)
        return false
    }

    /// The events that are reissued, with how the clocks stood when they were recorded.
    private mutating func unsealed(in db: inout LogConnection) throws(LogError) -> [(
        Event, ClockSegment?
    )] {
        assert(nextDevice != nil, "a device in order reissues nothing")
        let segments = try clockSegments(in: &db)
        var events: [(Event, ClockSegment?)] = []
        var lost: Set<DotNumber> = []
        try forEachUnsealed(in: &db) { row in
            if voids.contains(row.dot) { return }
            if let event = row.event {
                events.append((event, segments.last { $0.seq <= row.dot.seq }))
            } else if !row.isSkeleton {
                // After a fork there may be skeletons: the events that superseded them are
                // reissued.
                lost.insert(row.dot)
            }
        }
        if lost.isEmpty { return events }
        // An event that a repair may bring back must count then; under its old dot it is void now.
        if try !missesSeals(in: &db) { for dot in lost { try void(dot, in: &db) } }
        markStale(try touched(by: lost, in: &db))
        try noteLost(Int64(lost.count), in: &db)
        return events
    }

    /// Counts events that could not be reissued, because they are not what was recorded or sealed,
    /// until that is reported.
    func noteLost(_ count: Int64, in db: inout LogConnection) throws(LogError) {
        assert(db.isInTransaction && count >= 0)
        try db.run("UPDATE replica SET not_reissued = not_reissued + ?", count)
    }

    /// Returns how many events could not be reissued, and resets the count.
    package func takeLost(in db: inout LogConnection) throws(LogError) -> Int64 {
        assert(db.isInTransaction)
        let lost = try notReissued(in: &db)
        if lost > 0 { try db.run("UPDATE replica SET not_reissued = 0") }
        return lost
    }

    /// Whether there are such events.
    package func hasLost(in db: inout LogConnection) throws(LogError) -> Bool {
        try notReissued(in: &db) > 0
    }

    private func notReissued(in db: inout LogConnection) throws(LogError) -> Int64 {
        try db.first("SELECT not_reissued FROM replica") { $0.int(0) } ?? 0
    }

    mutating func reissue(
        _ old: Event, segment: ClockSegment?, in db: inout LogConnection
    ) throws(LogError) {
        assert(nextDevice == nil, "an event is reissued under an ID that is kept")
        let dot = Dot(device: device, seq: lastSeq + 1)
        var event = old.reissued(as: dot)
        // What it had seen after a fork no longer has a number.
        if let fork, old.base.n > fork { event.base = Base(epoch: epoch, n: fork) }
        var body = event.encoded()
        if body.count > Limits.eventBytesMax {
            // There is no room for the original dot: a duplicate is better than a loss. Nor for another
            // epoch, if its number is longer; up to the fork both logs are equal, so that either will do.
            event.extras.removeAll { $0.key == Event.reissuedFromKey }
            event.base = Base(epoch: old.base.epoch, n: event.base.n)
            body = event.encoded()
        }
        assert(
            body.count <= Limits.eventBytesMax,
            "its numbers are at most as long as those of the old one")
        try append(reissued: event, body, segment: segment, in: &db)
    }
}
