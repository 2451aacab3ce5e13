import MacrologEvents
import MacrologWire
import MacrologHTTP
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
    public let reissued: Int64

    static func remembered(in db: inout LogConnection) throws(LogError) -> SyncRecovery? {
        try db.first("SELECT finished_at, given_back, reissued FROM recovery_report") {
            SyncRecovery(time: $0.int(0), givenBack: $0.int(1), reissued: $0.int(2))
        }
    }

    func remember(in db: inout LogConnection) throws(LogError) {
        try db.run(
            "INSERT OR REPLACE INTO recovery_report VALUES (1, ?, ?, ?)", time, givenBack,
            reissued)
    }
}

extension SyncRound {
    /// Does one step of recovery (`protocol.md` §6.7): asks where the logs differ, fetches rows that
    /// differ, gives back what the server has lost; or writes the result into the log, after the
    /// last answer.
    ///
    /// - Parameter isFirst: Whether to begin.
    /// - Returns: What happened, as the state machine is notified of it.
    mutating func recover(
        _ number: Int, isFirst: Bool, eventsMax: Int, version: Int64
    ) async throws -> SyncMachine.Event {
        let (account, server, transport) = (account, server, transport)
        let sharesFile = sharesFile
        let (replica, known, state) = (account.replica, isFirst ? nil : recovering, repair)
        do {
            let (next, after, event) = try await account.offload(cancelling: transport) {
                let token = try account.ownToken(at: server)
                var recovering = try known ?? replica.withStore { try $0.recovering() }
                try recovering.step(
                    replica, eventsMax: eventsMax, version: version, accessToken: token
                ) { request in
                    if sharesFile { replica.releaseFile() }
                    return Account.send(request, transport)
                }
                guard case .finish = recovering.action else {
                    let event = SyncMachine.Event.stepped(
                        exchange: number, next: recovering.phase)
                    return (recovering, state, event)
                }
                let (done, hasRepaired) = try state.apply(recovering, replica)
                let event = SyncMachine.Event.recovered(
                    exchange: number, hasRepaired: hasRepaired)
                return (recovering, done, event)
            }
            (recovering, repair) = (next, after)
            return event
        } catch let error as ReplicaError where error.log != nil {
            // This server cannot help: other syncing must not wait for it.
            repair.isDamaged = false
            throw SyncError(error)
        } catch let error as SyncError {
            switch error.code {
            case .refused(let status, _, _) where ![401, 429, 503].contains(status):
                repair.isDamaged = false
            case .malformed: repair.isDamaged = false
            default: break
            }
            throw error
        }
    }
}

extension Recovering {
    /// Asks the server what this recovery needs to know next, if anything.
    fileprivate mutating func step(
        _ replica: Replica, eventsMax: Int, version: Int64, accessToken: String,
        send: (HTTPRequest) -> Result<HTTPResponse, TransportError>
    ) throws {
        switch action {
        case .ask(var message):
            message.version = version
            let answer = send(SyncExchange.request(message, accessToken: accessToken))
            try handle(.digests(try SyncExchange.digestAnswer(answer)))
        case .fetch(var message):
            message.version = version
            let answer = send(SyncExchange.request(message, accessToken: accessToken))
            try handle(.rows(try SyncExchange.answer(answer)))
        case .give(let after):
            let recovering = self
            var message = try replica.withStore { store in
                try store.healRequest(recovering, after: after, eventsMax: eventsMax)
            }
            message.version = version
            let answer = send(SyncExchange.request(message, accessToken: accessToken))
            try handle(.given(message, try SyncExchange.healAnswer(answer)))
        case .finish: break
        }
    }
}

extension RepairState {
    /// Writes the result of a recovery into the log, with what is remembered of it.
    fileprivate func apply(
        _ found: Recovering, _ replica: Replica
    ) throws -> (RepairState, hasRepaired: Bool) {
        let (now, next, known) = (replica.now, replica.newID(), self)
        return try replica.withStore { store in
            var state = known
            let cursor = store.log.cursor
            let result = try store.recover(found, as: next) { result, db throws(LogError) in
                if result.hasRepaired {
                    try state.note(now: now) { $0.add(result) }.remember(in: &db)
                }
                guard result.given > 0 || result.isMoved || result.fork != nil else { return }
                let again = result.fork.map { cursor - $0 } ?? 0
                let recovery = SyncRecovery(
                    time: now, givenBack: result.given, reissued: again)
                try recovery.remember(in: &db)
            }
            state.isDamaged = false
            // What is derived from the rows is verified next.
            if result.hasRepaired { state.verifiedAt = nil }
            return (state, result.hasRepaired)
        }
    }
}
