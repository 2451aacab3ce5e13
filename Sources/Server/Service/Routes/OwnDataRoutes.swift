/// What a person may know and take of an account, and its end.
import MacrologEvents
import MacrologHTTP
import MacrologJSON

extension SyncServer {
    /// `GET /v1/account/audit`: what happened to the account, the latest first.
    func listAudit(_ session: Session, _ call: Call) throws(Problem) {
        try limiters.pullBySession?.charge(session.rateKey, now: call.now)
        do throws(StoreError) {
            call.reply(.json(200, ["entries": .array(try audit(of: session.space))]))
        } catch {
            throw error.problem
        }
    }

    /// `GET /v1/account/export`: everything that the server knows beside events and blobs, and the
    /// names of the blobs.
    func exportAccount(_ session: Session, _ call: Call) throws(Problem) {
        let now = call.now
        try limiters.pullBySession?.charge(session.rateKey, now: now)
        do throws(StoreError) {
            guard let facts = try store.facts(of: session.space, now: now).first else {
                throw .failed("the account is gone")
            }
            let sessions = try store.sessions(of: session.space).filter { now < $0.expires }
            let answer: JSON = [
                "account": [
                    "id": .string(facts.name.description), "email": .string(facts.email),
                    "created": .integer(facts.created), "totp": .bool(facts.hasSecondFactor),
                    "events": .integer(facts.events), "event_bytes": .integer(facts.eventBytes),
                    "blob_bytes": .integer(facts.blobBytes),
                ],
                "sessions": .array(sessions.map { $0.json(isCurrent: $0.id == session.id) }),
                "entries": .array(try audit(of: session.space)),
                "blobs": .array(
                    try store.blobs(of: session.space).map {
                        ["name": .string($0.key.digits), "bytes": .integer($0.bytes)]
                    }),
            ]
            store.record(
                AuditEntry(event: .exported, network: network(of: call), now: now),
                of: session.space)
            call.reply(.json(200, answer))
        } catch {
            throw error.problem
        }
    }

    private func audit(of space: Space) throws(StoreError) -> [JSON] {
        try store.audit(of: space).map {
            [
                "at": .integer($0.at), "event": .string($0.event),
                "network": .optional($0.network), "device": .optional($0.device),
            ]
        }
    }

    /// `POST /v1/account/delete` with `password`, and `code` for an account with a second factor:
    /// everything of the account on this server goes.
    func deleteAccount(_ session: Session, _ call: Call) throws(Problem) {
        let body = try Bodies.object(call.body)
        let password = try Self.password(body, "password")
        let code = try Self.code(body)
        try proven(session, call, password: password, code: code) {
            [self] account, attempt, update in
            change(update, attempt, call) { [self] _ in delete(account, call) }
        }
    }

    private func delete(_ account: Account, _ call: Call) {
        let isQueued = blobWork.put { [self] in
            delete(account, call.now) { [self] result in
                switch result {
                case .success: call.reply(HTTPResponse(status: 204))
                case .failure(let error): call.reply(refuse(error))
                }
            }
        }
        if !isQueued { call.reply(Problem.busy.response) }
    }

    /// Deletes an account: first in the ledger, so that it stays deleted whatever happens next.
    /// Waits for the disk.
    func delete(_ account: Account, _ now: Int64, then done: @escaping Done<Void>) {
        do { try store.deletions.add(account.name, at: now) } catch {
            return done(.failure(.failed("cannot write \(store.deletions.path): \(error)")))
        }
        store.delete(account.space, at: now) { [self] result in
            if case .success(let ended) = result {
                end(ended, of: account.space)
                note(
                    ServerNote(
                        level: .info, event: "account.deleted",
                        facts: [("account_id", account.name.description)]))
                removeDeleted()
            }
            done(result.map { _ in })
        }
    }

    /// Removes what is left of deleted accounts, some rows at a time, and then their files.
    func removeDeleted(then done: @escaping Done<Void> = { _ in }) {
        store.removeDeleted { [weak self] result in
            guard let self, case .success(let (isMore, gone)) = result else {
                return done(result.map { _ in })
            }
            for space in gone { uploads.files.removeAll(of: space) }
            if isMore { removeDeleted(then: done) } else { done(.success(())) }
        }
    }
}
