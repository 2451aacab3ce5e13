import MacrologEvents
import MacrologLog
import MacrologReadModels
import MacrologSQLite

/// What a replica knows of its last syncs. Durations are measured like ages of events
/// (``ClockSample/milliseconds(since:)``): setting a clock meanwhile does not change them.
struct SyncMemory: Sendable {
    /// The head of the server's log at the last contact; 0 before the first.
    let head: Int64
    /// When a sync last succeeded, in milliseconds since 1970 UTC; `nil` for never.
    let lastSuccess: Int64?
    /// Whether the log moved to another account since the last success.
    let isNewToAccount: Bool
    /// Why the last sync failed, in a sentence; `nil` when it did not.
    let lastError: String?
    /// Whether it failed because the server could not be reached.
    let isOffline: Bool
    /// Milliseconds since the last success; `nil` for never.
    let sinceSuccess: Int64?
    /// Milliseconds since the first error after the last success; `nil` when the last sync did not
    /// fail.
    let failingFor: Int64?

    /// What is stored.
    static func read(now: ClockSample, in db: inout LogConnection) throws(LogError) -> SyncMemory? {
        func elapsed(since sample: String?) -> Int64? {
            sample.flatMap { ClockSample(notation: $0) }.map { now.milliseconds(since: $0) }
        }
        return try db.first(
            """
            SELECT head, success_at, last_error, offline, success_sample, failing_since_sample
            FROM sync_state
            """
        ) { row in
            let error = row.textOrNull(2)
            return SyncMemory(
                head: row.int(0),
                lastSuccess: row.intOrNull(1).flatMap { $0 == newToAccount ? nil : $0 },
                isNewToAccount: row.intOrNull(1) == newToAccount, lastError: error,
                isOffline: error != nil && row.int(3) == 1,
                sinceSuccess: elapsed(since: row.textOrNull(4)),
                failingFor: error == nil ? nil : elapsed(since: row.textOrNull(5)))
        }
    }

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
                try db.run(
                    """
                    UPDATE sync_state SET last_error = ?, offline = ?, failing_since_sample =
                    CASE WHEN last_error IS NULL THEN ? ELSE failing_since_sample END
                    """, error.text, error.isOffline ? 1 : 0, reading.notation)
            } else {
                try db.run(
                    "UPDATE sync_state SET last_error = NULL, success_at = ?, success_sample = ?",
                    reading.wall, reading.notation)
            }
            if let head { try db.run("UPDATE sync_state SET head = ?", head) }
            if let server { try server.remember(in: &db) }
        }
    }

    /// The account whose log this is; `nil` before the first login.
    static func account(in db: inout LogConnection) throws(LogError) -> String? {
        try db.first("SELECT account FROM sync_state") { $0.textOrNull(0) } ?? nil
    }

    /// Stands for the time of the last success after the log moved to another account.
    private static let newToAccount: Int64 = 0

    /// Forgets the syncs with another account: what its server has, this one may lack.
    static func forget(in db: inout LogConnection) throws(LogError) {
        try db.run(
            """
            UPDATE sync_state SET head = 0, success_at = ?, success_sample = '',
            failing_since_sample = NULL, last_error = NULL, offline = 0, server_at = NULL,
            server_sample = NULL, receipts = NULL, photo_error = NULL
            """, newToAccount)
    }

    /// Forgets why the last sync failed: the device has logged in since.
    static func forgetError(in db: inout LogConnection) throws(LogError) {
        try db.run(
            "UPDATE sync_state SET failing_since_sample = NULL, last_error = NULL, offline = 0")
    }

    static func note(account: String, in db: inout LogConnection) throws(LogError) {
        try db.run("UPDATE sync_state SET account = ?", account)
    }

    /// Why photos wait, in a sentence; `nil` when they do not.
    static func photoError(in db: inout LogConnection) throws(LogError) -> String? {
        try db.first("SELECT photo_error FROM sync_state") { $0.textOrNull(0) } ?? nil
    }

    static func note(photoError: String?, in db: inout LogConnection) throws(LogError) {
        try db.run("UPDATE sync_state SET photo_error = ?", photoError)
    }
}

extension ClockSample {
    /// `wall monotonic boot`, as it is stored.
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
