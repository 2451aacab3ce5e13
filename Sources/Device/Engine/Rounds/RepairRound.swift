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
    public var rows: Int64 = 0
    /// The number of the first of them; 0 for none.
    public var first: Int64 = 0
    /// The number of the last of them; 0 for none.
    public var last: Int64 = 0
    /// In how many places the shown data differed from the events, and was folded again.
    public var refolded: Int64 = 0
    /// How many events are lost here that had not reached the server, or that it had lost. Their
    /// bytes stay in the file.
    public var lost: Int64 = 0

    static func remembered(in db: inout LogConnection) throws(LogError) -> SyncRepair? {
        try db.first(
            "SELECT finished_at, fetched, first_n, last_n, rebuilt, lost FROM repair_report"
        ) {
            SyncRepair(
                time: $0.int(0), rows: $0.int(1), first: $0.int(2), last: $0.int(3),
                refolded: $0.int(4), lost: $0.int(5))
        }
    }

    func remember(in db: inout LogConnection) throws(LogError) {
        try db.run(
            "INSERT OR REPLACE INTO repair_report VALUES (1, ?, ?, ?, ?, ?, ?)", time, rows, first,
            last, refolded, lost)
    }

    mutating func add(_ repaired: RepairResult) {
        guard repaired.rows > 0 else { return }
        first = rows == 0 ? repaired.first : min(first, repaired.first)
        last = max(last, repaired.last)
        rows += repaired.rows
    }
}

/// What syncing knows of damage between its steps.
struct RepairState: Sendable {
    /// How far the search for differing rows has come; `nil` when none is running.
    var search: Repairing?
    /// What has been repaired since both logs were last found equal.
    var done: SyncRepair?
    /// Whether stored rows are known to be damaged.
    var isDamaged = false
    /// The monotonic time of the last verification of the file; `nil` when one is due.
    var lookedAt: Int64?

    /// Whether a verification of the file is due.
    func isDue(now: Int64) -> Bool {
        guard let lookedAt else { return true }
        return now &- lookedAt >= Verification.interval || now < lookedAt
    }

    /// Makes a verification due before the next exchange, though not before each of many failing
    /// ones.
    mutating func suspect(now: Int64) {
        if let at = lookedAt, now &- at >= Self.suspicionMilliseconds { lookedAt = nil }
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
    mutating func look() async throws {
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
                let note = state.note(now: replica.now) { $0.refolded += verification.refolded }
                try replica.withStore { try note.remember(in: &$0.db) }
            }
            if verification.refolded > 0 || verification.lost > 0 { replica.changes.send() }
            if sharesFile { replica.releaseFile() }
            state.isDamaged = !verification.isSound
            state.lookedAt = monotonic
            return state
        }
        if repair.isDamaged { throw SyncError(.damaged) }
    }

    /// Does one step of repair (`protocol.md` §6.11): searches for the rows that differ, fetches
    /// them, or writes them into the log.
    ///
    /// - Returns: Whether it was the last step, and whether it changed the log.
    mutating func repair(
        isFirst: Bool, version: Int64
    ) async throws -> (isLast: Bool, hasChanged: Bool) {
        let (account, transport, sharesFile) = (account, transport, sharesFile)
        let (replica, known) = (account.replica, repair)
        do {
            let (state, isLast, hasChanged) = try await account.offload(cancelling: transport) {
                guard let token = try account.session?.accessToken else {
                    throw AccountError.loggedOut
                }
                var state = known
                var search: Repairing
                if !isFirst, let found = known.search {
                    search = found
                } else {
                    search = try replica.withStore { try $0.repairing() }
                }
                if sharesFile, search.step != .repair { replica.releaseFile() }
                switch search.step {
                case .ask(var message):
                    message.version = version
                    let request = SyncExchange.request(message, accessToken: token)
                    try search.learn(
                        try SyncExchange.digestAnswer(Account.send(request, transport)))
                case .fetch(var message):
                    message.version = version
                    let request = SyncExchange.request(message, accessToken: token)
                    try search.learn(try SyncExchange.answer(Account.send(request, transport)))
                case .repair:
                    let repaired = try state.repair(search, replica)
                    state.search = nil
                    state.isDamaged = false
                    // What is derived from the rows is verified next.
                    if repaired.hasChanged { state.lookedAt = nil }
                    return (state, true, repaired.hasChanged)
                }
                state.search = search
                return (state, false, false)
            }
            repair = state
            return (isLast, hasChanged)
        } catch let error as LogError {
            // This server cannot help: other syncing must not wait for it.
            repair.isDamaged = false
            throw SyncError(error)
        } catch let error as SyncError {
            switch error.code {
            case .refused(_, Problem.epochChanged, _):
                (repair.isDamaged, repair.lookedAt) = (false, nil)
            case .refused(let status, _, _) where ![401, 429, 503].contains(status):
                repair.isDamaged = false
            case .malformed: repair.isDamaged = false
            default: break
            }
            throw error
        }
    }
}

extension RepairState {
    fileprivate mutating func repair(_ search: Repairing, _ replica: Replica) throws -> RepairResult
    {
        let (now, next) = (replica.now, replica.newID())
        let known = self
        let (repaired, state) = try replica.withStore { store in
            var state = known
            let cursor = store.log.cursor
            let repaired = try store.repair(search, as: next) { repaired, db throws(LogError) in
                if repaired.hasChanged {
                    try state.note(now: now) { $0.add(repaired) }.remember(in: &db)
                }
                guard let fork = repaired.fork else { return }
                let recovery = SyncRecovery(time: now, givenBack: 0, recordedAgain: cursor - fork)
                try recovery.remember(in: &db)
            }
            return (repaired, state)
        }
        self = state
        return repaired
    }
}
