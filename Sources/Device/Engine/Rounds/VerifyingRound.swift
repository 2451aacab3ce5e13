import MacrologEvents
import MacrologLog
import MacrologReadModels
import MacrologRecovery
import MacrologSQLite

/// What this device did when it found some of its data damaged.
public struct SyncRepair: Hashable, Sendable {
    /// When, in milliseconds since 1970 UTC.
    public var time: Int64
    /// How many events were fetched again from the server.
    public var fetched: Int64 = 0
    /// The number of the first of them; 0 for none.
    public var first: Int64 = 0
    /// The number of the last of them; 0 for none.
    public var last: Int64 = 0
    /// In how many places the shown data differed from the events, and was folded again.
    public var rebuilt: Int64 = 0
    /// How many events are lost here that had not reached the server, or that it had lost. Their
    /// bytes stay in the file.
    public var lost: Int64 = 0

    static func remembered(in db: inout LogConnection) throws(LogError) -> SyncRepair? {
        try db.first(
            "SELECT finished_at, fetched, first_n, last_n, rebuilt, lost FROM repair_report"
        ) {
            SyncRepair(
                time: $0.int(0), fetched: $0.int(1), first: $0.int(2), last: $0.int(3),
                rebuilt: $0.int(4), lost: $0.int(5))
        }
    }

    func remember(in db: inout LogConnection) throws(LogError) {
        try db.run(
            "INSERT OR REPLACE INTO repair_report VALUES (1, ?, ?, ?, ?, ?, ?)", time, fetched,
            first,
            last, rebuilt, lost)
    }

    mutating func add(_ repaired: RecoveryResult) {
        guard repaired.rows > 0 else { return }
        first = fetched == 0 ? repaired.first : min(first, repaired.first)
        last = max(last, repaired.last)
        fetched += repaired.rows
    }
}

/// What syncing knows of damage between its steps.
struct RepairState: Sendable {
    /// What has been repaired since both logs were last found equal.
    var done: SyncRepair?
    /// Whether stored rows are known to be damaged.
    var isDamaged = false
    /// The monotonic time of the last verification of the file; `nil` when one is due.
    var verifiedAt: Int64?

    /// Whether a verification of the file is due.
    func isDue(now: Int64) -> Bool {
        guard let verifiedAt else { return true }
        return now &- verifiedAt >= Verification.interval || now < verifiedAt
    }

    /// Makes a verification due before the next exchange, though not before each of many failing
    /// ones.
    mutating func suspect(now: Int64) {
        if let at = verifiedAt, now &- at >= Self.suspicionMilliseconds { verifiedAt = nil }
    }

    private static let suspicionMilliseconds: Int64 = 60_000

    mutating func note(now: Int64, _ change: (inout SyncRepair) -> Void) -> SyncRepair {
        var note = done ?? SyncRepair(time: now)
        note.time = now
        change(&note)
        done = note
        return note
    }
}

extension SyncRound {
    /// Verifies the file when that is due, or when a rotation could not reissue something; repairs
    /// what is derived, and finds whether events have to be fetched again.
    ///
    /// - Throws: ``SyncError`` with code `damaged`.
    mutating func verifyFile() async throws {
        let (account, transport, sharesFile) = (account, transport, sharesFile)
        let (replica, known) = (account.replica, repair)
        guard !repair.isDamaged else { throw SyncError(.damaged) }
        let monotonic = replica.clock.read().monotonic
        let hasLost = try replica.withStore { try $0.log.hasLost(in: &$0.db) }
        guard hasLost || repair.isDue(now: monotonic) else { return }
        repair = try await account.offload(cancelling: transport) {
            var (state, verification) = (known, Verification())
            while !verification.isDone {
                // One part per transaction, so that recording does not have to wait for all of
                // them.
                try replica.withStore { store in
                    try store.verify(&verification, next: replica.newID()) {
                        lost, db throws(LogError) in
                        try state.note(now: replica.now) { $0.lost += lost }.remember(in: &db)
                    }
                }
            }
            if verification.refolded > 0 {
                let note = state.note(now: replica.now) { $0.rebuilt += verification.refolded }
                try replica.withStore { try note.remember(in: &$0.db) }
            }
            if verification.refolded > 0 || verification.lost > 0 { replica.changes.send(nil) }
            if sharesFile { replica.releaseFile() }
            state.isDamaged = !verification.isSound
            state.verifiedAt = monotonic
            return state
        }
        if repair.isDamaged { throw SyncError(.damaged) }
    }
}
