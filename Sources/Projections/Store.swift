package import Events
package import Log
package import SQLite

/// A replica's database with its log and its read models: what is recorded and what follows from
/// it become durable in one transaction, or leave no trace.
///
/// A store has one owner, who lends it; reading never changes anything but the statement cache.
package struct Store: ~Copyable {
    /// The log's state in memory; it moves only when a transaction has been committed.
    package private(set) var log: EventLog
    /// The connection, for reading.
    package var db: Connection

    /// Opens the replica in a database, which becomes that of a new device where it holds none.
    package static func open(
        _ connection: consuming Connection, newDevice: @autoclosure () -> Identifier
    ) throws -> Store {
        var db = connection
        try db.migrate(EventLog.migrations + ReadModels.migrations)
        let log = try EventLog.open(in: &db, newDevice: newDevice())
        var store = Store(log: log, db: db)
        try store.refoldIfOutdated()
        return store
    }

    private init(log: EventLog, db: consuming Connection) {
        self.log = log
        self.db = db
    }

    /// Records drafts as events, in order, in one durable transaction.
    @discardableResult
    package mutating func record(
        _ drafts: [Draft], at reading: ClockReading
    ) throws -> [Event] {
        var next = log
        let events = try db.transaction { db in
            var models = ReadModels()
            return try next.record(drafts, at: reading, in: &db, projecting: &models)
        }
        log = next
        return events
    }

    /// Takes over a page of the hub's log, in one durable transaction.
    package mutating func apply(_ answer: SyncAnswer) throws {
        guard !answer.rows.isEmpty || answer.epoch != log.epoch else {
            return try log.check(answer)
        }
        var next = log
        try db.transaction { db in
            var models = ReadModels()
            try next.apply(answer, in: &db, projecting: &models)
        }
        log = next
    }

    /// Throws away everything that is derived and folds it again. Nothing recorded is touched.
    package mutating func rebuild(
        progress: (_ done: Int64, _ total: Int64) -> Void = { _, _ in }
    ) throws {
        let log = log
        try db.transaction { db in
            var models = ReadModels()
            try log.refold(in: &db, projecting: &models, progress: progress)
            try Memo.set("read models", ReadModels.version, in: &db)
        }
    }

    /// Read models that an older version of this program folded are folded anew.
    private mutating func refoldIfOutdated() throws {
        guard try Memo.int("read models", in: &db) != ReadModels.version else { return }
        try rebuild()
    }

    /// What the next exchange with the hub should say.
    package mutating func syncRequest(
        eventsMax: Int, admitted: Int64, now: ClockReading
    ) throws -> SyncRequest {
        SyncRequest(
            device: log.device, epoch: log.epoch, cursor: log.cursor, digest: log.digest,
            pushed: try log.outgoing(
                after: admitted, eventsMax: eventsMax, bytesMax: Limits.pageBytesMax, now: now,
                in: &db),
            eventsMax: Int64(eventsMax))
    }
}
