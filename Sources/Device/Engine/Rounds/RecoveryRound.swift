import MacrologEvents
import MacrologLog
import MacrologReadModels
import MacrologRecovery
import MacrologSQLite

/// What this device did when it found that the server holds another log than before, because the
/// server was restored from a backup or this replica has moved to another server.
public struct SyncRecovery: Hashable, Sendable {
    /// When, in milliseconds since 1970 UTC.
    public let time: Int64
    /// How many sealed events this device gave back to the server.
    public let givenBack: Int64
    /// How many events were reissued, because the server's log had forked.
    public let recordedAgain: Int64

    static func remembered(in db: inout LogConnection) throws(LogError) -> SyncRecovery? {
        try db.first("SELECT finished_at, given_back, reissued FROM recovery_report") {
            SyncRecovery(time: $0.int(0), givenBack: $0.int(1), recordedAgain: $0.int(2))
        }
    }

    func remember(in db: inout LogConnection) throws(LogError) {
        try db.run(
            "INSERT OR REPLACE INTO recovery_report VALUES (1, ?, ?, ?)", time, givenBack,
            recordedAgain)
    }
}

extension SyncRound {
    /// Does one step of recovery (`protocol.md` §6): compares the logs, gives back what the server
    /// has lost, or finishes.
    ///
    /// - Returns: Whether it was the last step.
    mutating func recover(eventsMax: Int, version: Int64) async throws -> Bool {
        let (account, transport, sharesFile) = (account, transport, sharesFile)
        let (replica, known) = (account.replica, recovery)
        let next = replica.newID()
        let (learnt, isLast) = try await account.offload(cancelling: transport) {
            guard let token = try account.session?.accessToken else { throw AccountError.loggedOut }
            var recovery = known
            var message = try replica.withStore { store in
                try store.recoverRequest(recovery, eventsMax: eventsMax)
            }
            message?.version = version
            if let message {
                if sharesFile { replica.releaseFile() }
                let request = SyncExchange.request(message, accessToken: token)
                let answer = try SyncExchange.recoverAnswer(Account.send(request, transport))
                guard recovery.learn(answer, to: message) else {
                    throw SyncError(.malformed(detail: "it does not fit what was asked"))
                }
            }
            let now = replica.now
            let isLast = try replica.withStore { store in
                switch recovery.step(cursor: store.log.cursor) {
                case .compare, .give: return false
                case .done, .fork: break
                }
                let given = recovery.given
                var again: Int64 = 0
                if case .fork(let n) = recovery.step(cursor: store.log.cursor) {
                    again = store.log.cursor - n
                }
                let done = SyncRecovery(time: now, givenBack: given, recordedAgain: again)
                try store.finish(recovery, as: next) { db throws(LogError) in
                    try done.remember(in: &db)
                }
                return true
            }
            return (recovery, isLast)
        }
        recovery = learnt
        return isLast
    }
}
