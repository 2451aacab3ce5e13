package import MacrologEvents
package import MacrologWire
package import MacrologLog
import MacrologRecovery
import MacrologSQLite

/// A replica's database with its log and its read models: an event and everything derived from it
/// become durable in one transaction, or leave no trace.
///
/// A store has one owner, who lends it; reading never changes anything but the statement cache.
package struct Store: ~Copyable {
    /// The log's state in memory. It changes when a transaction has been committed; one that is open over
    /// several calls puts it back if it fails.
    package private(set) var log: EventLog
    /// The connection, for reading.
    package var db: LogConnection
    /// What is folded from the log.
    package let models: ReadModels
    /// Called before anything is recorded, with the recording device, that device's last number and
    /// how many events may follow: `CloneDetector` writes that down outside of the file. If it throws,
    /// nothing is recorded.
    package var reserve: @Sendable (Identifier, Int64, Int64) throws(LogError) -> Void = {
        _, _, _ in
    }

    /// Opens the replica in a database. A database without a replica gets that of a new device.
    package static func open(
        _ connection: consuming LogConnection, folding models: ReadModels,
        newDevice: @autoclosure () -> Identifier
    ) throws(LogError) -> Store {
        var db = connection
        try db.migrate(EventLog.migrations)
        let log = try EventLog.open(in: &db, newDevice: newDevice())
        var store = Store(log: log, db: db, models: models)
        try store.refoldIfOutdated()
        return store
    }

    /// The last number of this device's events before ``begin(writes:)``; `nil` outside of it.
    private var joint: Int64?
    /// Increases when something derived may have changed although nothing was recorded or received:
    /// after it was folded again.
    package private(set) var generation = 0
    /// How many consecutive pages contradicted this device's own events.
    private var ownMisfits = 0

    private init(log: EventLog, db: consuming LogConnection, models: ReadModels) {
        self.log = log
        self.db = db
        self.models = models
    }

    /// Records drafts as events, in order, in one durable transaction.
    @discardableResult
    package mutating func record(
        _ drafts: [Draft], at reading: ClockSample
    ) throws(LogError) -> [Event] {
        try reserve(for: drafts.count)
        var next = log
        var models = models.begin()
        let events = try db.transaction { db throws(LogError) in
            try next.finishRotation(in: &db, updating: &models)
            return try next.record(drafts, at: reading, in: &db, updating: &models)
        }
        log = next
        return events
    }

    /// Records a draft that ``recordAgain(_:at:after:)`` may take the place of.
    ///
    /// - Precondition: ``begin(writes:)`` has begun a transaction.
    /// - Returns: The log's state before it.
    package mutating func recordReplaceably(
        _ draft: Draft, at reading: ClockSample
    ) throws(LogError) -> EventLog {
        let before = log
        try db.beginPart()
        try record([draft], at: reading)
        return before
    }

    /// Records a draft in the place of everything that the transaction in progress has written since
    /// ``recordReplaceably(_:at:)``.
    ///
    /// - Parameter before: What that returned.
    package mutating func recordAgain(
        _ draft: Draft, at reading: ClockSample, after before: EventLog
    ) throws(LogError) {
        // Its number was reserved when it was recorded first.
        var next = before
        var models = models.begin()
        try db.replacePart { db throws(LogError) in
            try next.finishRotation(in: &db, updating: &models)
            try next.record([draft], at: reading, in: &db, updating: &models)
        }
        log = next
    }

    /// Begins one transaction for everything that follows until ``end(_:commits:)``.
    ///
    /// - Parameter writes: Whether anything may be recorded until then.
    /// - Returns: The log's state, which a rollback restores.
    package mutating func begin(writes: Bool) throws(LogError) -> EventLog {
        try db.beginJoint(writes: writes)
        joint = log.lastSeq
        return log
    }

    /// Ends what ``begin(writes:)`` began.
    ///
    /// - Parameter before: What it returned.
    package mutating func end(_ before: EventLog, commits: Bool) throws(LogError) {
        joint = nil
        do throws(LogError) { try db.endJoint(commits: commits) } catch {
            log = before
            throw error
        }
        if !commits { log = before }
    }

    /// Applies a page of the server's log, in one durable transaction.
    package mutating func apply(_ answer: SyncAnswer) throws(LogError) {
        if log.nextDevice == nil {
            guard !answer.rows.isEmpty || answer.epoch != log.epoch else {
                return try log.check(answer)
            }
        } else {
            try reserve(for: 0)
        }
        var next = log
        var models = models.begin()
        do throws(LogError) {
            try db.transaction { db throws(LogError) in
                try next.apply(answer, in: &db, updating: &models)
            }
        } catch {
            throw meaning(of: error, in: answer)
        }
        ownMisfits = 0
        log = next
    }

    /// What it means if a page gives another digest than the server's, although both logs were equal
    /// before it: the page was damaged on its way, or one of this device's events differs from what the
    /// server sealed under its dot. Twice in a row it is the latter: another file uses this device ID too.
    private mutating func meaning(of error: LogError, in answer: SyncAnswer) -> LogError {
        guard case .divergent = error.code, answer.epoch == log.epoch else { return error }
        for case .own(let seq) in answer.rows.map({ $0.content }) {
            ownMisfits += 1
            return ownMisfits < 2 ? error : LogError(.rolledBack(seq: seq.rawValue))
        }
        return error
    }

    /// Rotates this device's ID, which another file uses too: at once if nothing is unsealed,
    /// otherwise before anything more is recorded or sent.
    ///
    /// - Parameter also: Further writes of the same transaction.
    package mutating func beginRotation(
        to device: Identifier, also: (inout LogConnection) throws(LogError) -> Void = { _ in }
    ) throws(LogError) {
        try reserve(log.unsealedCount + log.orphans, under: device, after: 0)
        var next = log
        var models = models.begin()
        try db.transaction { db throws(LogError) in
            try next.beginRotation(to: device, in: &db, updating: &models)
            try also(&db)
        }
        log = next
    }

    /// Changes the log in one durable transaction, without changing anything derived.
    mutating func changeLog<T>(
        _ body: (inout EventLog, inout LogConnection) throws(LogError) -> T
    ) throws(LogError) -> T {
        try change { log, db, _ throws(LogError) in try body(&log, &db) }
    }

    /// Changes the log and what is derived from it in one durable transaction.
    mutating func change<T>(
        _ body: (inout EventLog, inout LogConnection, inout ReadModelFold) throws(LogError) -> T
    ) throws(LogError) -> T {
        var next = log
        var models = models.begin()
        let result = try db.transaction { db throws(LogError) in
            return try body(&next, &db, &models)
        }
        log = next
        generation += 1
        return result
    }

    private mutating func reserve(for count: Int) throws(LogError) {
        if let next = log.nextDevice {
            try reserve(
                log.unsealedCount + log.orphans + Int64(count), under: next, after: 0)
        } else {
            // What a rollback would take back is not recorded yet.
            let durable = joint.map { min($0, log.lastSeq) } ?? log.lastSeq
            try reserve(log.lastSeq - durable + Int64(count), under: log.device, after: durable)
        }
    }

    /// Asks for permission before anything is recorded. After a failed flush of the file nothing
    /// will be recorded, so nothing is written beside it either.
    mutating func reserve(
        _ count: Int64, under device: Identifier, after last: Int64
    ) throws(LogError) {
        try db.checkIsFlushed()
        try reserve(device, last, count)
    }

    /// Deletes everything that is derived and folds it again. Nothing recorded is changed.
    package mutating func rebuild(
        progress: (_ done: Int64, _ total: Int64) -> Void = { _, _ in }
    ) throws(LogError) {
        try correctVoids()
        let (log, models) = (log, models)
        try db.transaction { db throws(LogError) in
            if try !models.areCurrent(in: &db) { try models.makeTables(in: &db) }
            var fold = models.begin()
            try log.refold(in: &db, updating: &fold, progress: progress)
        }
        generation += 1
    }

    /// Says that derived data was corrected.
    mutating func noteCorrection() { generation += 1 }

    /// Drops read models of another version and folds them again.
    private mutating func refoldIfOutdated() throws(LogError) {
        if try !models.areCurrent(in: &db) { try rebuild() }
    }

    /// The next request to the server.
    ///
    /// - Parameters:
    ///   - pushMax: How many events it may push; when not given, as many as it may bring.
    ///   - serverNow: The server's clock, as far as it is known.
    package mutating func syncRequest(
        eventsMax: Int, pushMax: Int? = nil, admitted: Int64, now: ClockSample,
        serverNow: Int64? = nil
    ) throws(LogError) -> SyncRequest {
        SyncRequest(
            device: log.asker, epoch: log.epoch, cursor: log.cursor, digest: log.digest,
            pushed: log.nextDevice != nil
                ? []
                : try log.outgoing(
                    after: admitted, eventsMax: pushMax ?? eventsMax,
                    bytesMax: Limits.pageBytesMax, now: now, serverNow: serverNow, in: &db),
            eventsMax: Int64(eventsMax))
    }
}
