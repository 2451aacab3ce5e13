import MacrologEvents
import MacrologLog
import MacrologReadModels
import MacrologSQLite

/// What a replica stores about its syncs, for later status queries. Durations are measured like
/// ages of events (``ClockSample/milliseconds(since:)``): setting a clock meanwhile does not
/// change them.
enum SyncMemory {
    /// Stores how a sync ended, in one transaction.
    ///
    /// - Parameters:
    ///   - error: Why it failed, and whether the server could not be reached; `nil` for a
    ///     success.
    ///   - head: The head of the server's log, if it is known.
    ///   - server: The server's clock, if it is known.
    static func note(
        error: (text: String, isOffline: Bool)?, head: Int64?, server: ServerClock?,
        at reading: ClockSample, in store: inout Store
    ) throws {
        try store.db.transaction { db in
            if let error {
                let isFirst = try Memo.text(MemoName.lastError, in: &db) == nil
                if isFirst { try Memo.set(MemoName.failingSince, reading.notation, in: &db) }
                try Memo.set(MemoName.isOffline, error.isOffline ? 1 : 0, in: &db)
            } else {
                try Memo.set(MemoName.lastSuccess, reading.wall, in: &db)
                try Memo.set(MemoName.succeeded, reading.notation, in: &db)
            }
            try Memo.set(MemoName.lastError, error?.text, in: &db)
            if let head { try Memo.set(MemoName.head, head, in: &db) }
            if let server { try server.remember(in: &db) }
        }
    }

    /// Milliseconds since the moment that a memo stores; `nil` for none.
    static func elapsed(
        since name: String, now: ClockSample, in db: inout Connection
    ) throws -> Int64? {
        try Memo.text(name, in: &db).flatMap { ClockSample(notation: $0) }.map {
            now.milliseconds(since: $0)
        }
    }
}

extension ClockSample {
    /// `wall monotonic boot`, as a memo stores it.
    var notation: String { "\(wall) \(monotonic) \(boot)" }

    /// Reads ``notation``; `nil` for anything else.
    init?(notation: some StringProtocol) {
        let words = notation.split(separator: " ")
        guard words.count == 3, let wall = Int64(words[0]), let monotonic = Int64(words[1]),
            let boot = Identifier(String(words[2]))
        else { return nil }
        self.init(wall: wall, monotonic: monotonic, boot: boot)
    }
}
