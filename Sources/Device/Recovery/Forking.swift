package import MacrologEvents
package import MacrologWire
package import MacrologLog
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

    /// Starts a recovery: reads and hashes all rows.
    package func recovering(in db: inout LogConnection) throws(LogError) -> Recovering {
        Recovering(cursor: cursor, held: try HeldDigests(through: cursor, in: &db))
    }

    /// The next sound rows that a recovery gives back to the server.
    ///
    /// - Throws: The error for a gap, where another process has changed the log meanwhile.
    package func healRequest(
        _ recovering: Recovering, after: Int64, eventsMax: Int, in db: inout LogConnection
    ) throws(LogError) -> HealRequest {
        assert(eventsMax > 0 && recovering.action == .give(after: after))
        var rows: [HealRequest.Row] = []
        var bytes = 0
        var isOver = false
        let most = Int64(min(eventsMax, Limits.pageEventsMax))
        let through = min(cursor, recovering.cursor, after + most)
        try StoredRow.forEach(after: after, through: through, in: &db) { row in
            let n = after + Int64(rows.count) + 1
            guard !isOver, row.n == n, let body = row.body,
                !recovering.held.hasDamage(after: n - 1, through: n)
            else { return isOver = true }
            bytes += body.count
            isOver = !rows.isEmpty && bytes > Limits.pageBytesMax
            if !isOver { rows.append(HealRequest.Row(t: row.t, body: body)) }
        }
        guard !rows.isEmpty else { throw LogError(.gap(expected: after + 1)) }
        let last = after + Int64(rows.count)
        return HealRequest(
            after: after, rows: rows, digest: recovering.held.digest(after: 0, through: last))
    }

    /// Rewinds this log to the point where the server's log forked. Nothing is lost: this device's
    /// events become unsealed again, events of other devices become orphans, and all of them are
    /// reissued once the server's log is known. Events of others that are damaged are not: another
    /// device may hold them, and this one says that it does not.
    ///
    /// - Throws: The error for a contradiction, where the fork is beyond the cursor. It is the cursor
    ///   where every row after it is missing here.
    /// - Parameters:
    ///   - fork: The number up to which both logs are equal.
    ///   - next: The device ID that this device takes next.
    package mutating func goBack(
        to fork: Int64, epoch: UInt32, as next: Identifier, in db: inout LogConnection,
        updating readModels: inout some ReadModelUpdater
    ) throws(LogError) {
        assert(db.isInTransaction)
        guard 0...cursor ~= fork else { throw LogError(.contradiction) }
        let sealed = try SealedTail(after: fork, of: self, in: &db)
        for row in sealed.orphans {
            try db.run(
                "INSERT INTO orphan (dot, t, hash) VALUES (?, ?, ?)", row.dot, row.t, row.hash)
        }
        try noteLost(sealed.damaged, in: &db)
        try rewind(to: fork, epoch: epoch, as: next, in: &db)
        try countOrphans(in: &db)
        try reconsiderOwn(in: &db)
        try refold(in: &db, updating: &readModels)
        assert(
            cursor == fork && nextDevice != nil, "the server's log is asked for from the fork on")
    }

    /// Reissues the orphans of one author that no other device has reissued, under the device ID
    /// that this device has just taken.
    mutating func issueOrphans(in db: inout LogConnection) throws(LogError) {
        assert(db.isInTransaction)
        assert(nextDevice == nil && lastSeq == 0, "each author's are reissued under another ID")
        let waiting = try waiting(in: &db)
        guard let first = waiting.first else { return }
        let author = try device(of: first.dot, in: &db)
        var (base, damaged): (Int64, Int64) = (0, 0)
        for orphan in waiting where try device(of: orphan.dot, in: &db) == author {
            if let entry = orphan.entry {
                // A skeleton is not reissued: the events that superseded it are, and a device that
                // holds the event whole reissues it.
                if !entry.isCompacted, try !isSaid(entry.event, in: &db) {
                    let event = entry.event
                    // After two forks the author's bases may start lower again. That needs another
                    // device ID, because under one device ID the base never decreases.
                    let next = min(event.base.n.rawValue, fork ?? .max)
                    guard next >= base else { break }
                    base = next
                    let segment = ClockSegment(seq: 0, wall: event.wall, sealedAt: orphan.t)
                    try reissue(event, segment: segment, in: &db)
                }
            } else {
                damaged += 1
            }
            try db.run("DELETE FROM orphan WHERE position = ?", orphan.position)
        }
        try noteLost(damaged, in: &db)
        try countOrphans(in: &db)
        assert(orphans < waiting.count, "the first one no longer waits")
    }

    /// The events of other devices that wait to be reissued, in order.
    package func orphaned(in db: inout LogConnection) throws(LogError) -> [Event] {
        try waiting(in: &db).compactMap { orphan in
            orphan.entry.flatMap { $0.isCompacted ? nil : $0.event }
        }
    }

    /// The orphans in order. The entry is `nil` where an event is not what was sealed.
    private func waiting(in db: inout LogConnection) throws(LogError) -> [(
        position: Int64, dot: DotNumber, t: Int64, entry: LogEntry?
    )] {
        let orphans = try db.all("SELECT position, dot, t, hash FROM orphan ORDER BY position") {
            (position: $0.int(0), dot: $0.dotNumber(1), t: $0.int(2), hash: $0.int(3))
        }
        var waiting: [(position: Int64, dot: DotNumber, t: Int64, entry: LogEntry?)] = []
        for orphan in orphans {
            var entry: LogEntry?
            if let (body, _) = try storedBody(at: orphan.dot, in: &db),
                RecordedHash.fits(body, hash: orphan.hash)
            {
                entry = (try? StoredEvent.decoded(body)).map { LogEntry($0, nil) }
            }
            waiting.append((orphan.position, orphan.dot, orphan.t, entry))
        }
        return waiting
    }
}
