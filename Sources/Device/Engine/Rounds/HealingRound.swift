import MacrologEvents
import MacrologLog
import MacrologReadModels
import MacrologSQLite

/// What this device did when it found that the server holds another log than before, because the
/// server was restored from a backup or this replica has moved to another server.
public struct SyncHealing: Hashable, Sendable {
    /// When, in milliseconds since 1970 UTC.
    public let time: Int64
    /// How many sealed events this device gave back to the server.
    public let givenBack: Int64
    /// How many events were reissued, because the server's log had forked.
    public let recordedAnew: Int64

    static func remembered(in db: inout Connection) throws -> SyncHealing? {
        guard let time = try Memo.int(MemoName.healedTime, in: &db) else { return nil }
        return SyncHealing(
            time: time, givenBack: try Memo.int(MemoName.healedGiven, in: &db) ?? 0,
            recordedAnew: try Memo.int(MemoName.healedAnew, in: &db) ?? 0)
    }

    func remember(in db: inout Connection) throws {
        try Memo.set(MemoName.healedTime, time, in: &db)
        try Memo.set(MemoName.healedGiven, givenBack, in: &db)
        try Memo.set(MemoName.healedAnew, recordedAnew, in: &db)
    }
}

extension SyncRound {
    /// Does one step of recovery (`protocol.md` §6): compares the logs, gives back what the server
    /// has lost, or finishes.
    ///
    /// - Returns: Whether it was the last step.
    mutating func heal(eventsMax: Int, version: Int64) async throws -> Bool {
        let (account, transport, sharesFile) = (account, transport, sharesFile)
        let (replica, known) = (account.replica, healing)
        let next = replica.newID()
        let (learnt, isLast) = try await account.offload(cancelling: transport) {
            guard let token = try account.session?.accessToken else { throw AccountError.signedOut }
            var healing = known
            var message = try replica.withStore { store in
                try store.healRequest(healing, eventsMax: eventsMax)
            }
            message?.version = version
            if let message {
                if sharesFile { replica.letGo() }
                let request = SyncExchange.request(message, accessToken: token)
                let answer = try SyncExchange.healAnswer(Account.send(request, transport))
                guard healing.learn(answer, to: message) else {
                    throw SyncError(.malformed(detail: "it does not fit what was asked"))
                }
            }
            let now = replica.now
            let isLast = try replica.withStore { store in
                switch healing.step(cursor: store.log.cursor) {
                case .compare, .give: return false
                case .done, .fork: break
                }
                let given = healing.given
                var anew: Int64 = 0
                if case .fork(let n) = healing.step(cursor: store.log.cursor) {
                    anew = store.log.cursor - n
                }
                let done = SyncHealing(time: now, givenBack: given, recordedAnew: anew)
                try store.finish(healing, as: next) { try done.remember(in: &$0) }
                return true
            }
            return (healing, isLast)
        }
        healing = learnt
        return isLast
    }
}
