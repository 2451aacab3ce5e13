/// What a person may know and take of an account, and its end.
import MacrologEvents
import MacrologHTTP
import MacrologJSON
import Synchronization

extension SyncServer {
    /// `GET /v1/account/audit`: what happened to the account, the latest first.
    func listAudit(_ session: Session, _ call: Call) throws(Problem) {
        try limiters[.pullBySession]?.charge(session.rateKey, now: call.now)
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
        try limiters[.pullBySession]?.charge(session.rateKey, now: now)
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
                "shares": .array(
                    try store.shares(of: session.space, now: now).map { $0.json(isWhole: true) }),
                "webhooks": .array(
                    try store.webhooks(of: session.space).map {
                        [
                            "id": .string($0.id.description), "url": .string($0.target),
                            "created": .integer($0.created),
                        ]
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
            var update = update
            update.deletes = true
            change(
                update, attempt, call,
                failed: { [self] in isNoted(account) ? .deletionNoted : nil }
            ) { [self] ended in
                deleted(account, ended)
                call.reply(HTTPResponse(status: 204))
            }
        }
    }

    /// After an account was deleted: ends what still uses it, and removes its rows.
    func deleted(_ account: Account, _ ended: [Identifier]) {
        end(ended, of: account.space)
        note(
            ServerNote(
                level: .info, event: "account.deleted",
                facts: [("account_id", account.name.description)]))
        removeDeleted()
    }

    /// Whether the ledger has the deletion of an account that is still there: it will be carried out.
    func isNoted(_ account: Account) -> Bool {
        (try? store.deletions.deleted().contains(account.name)) ?? false
    }

    /// Removes the blobs of accounts without rows, and gives those of which none are left. A shared storage is
    /// asked on another thread.
    private func removeBlobs(
        of emptied: [Space], then done: @escaping @Sendable ([Space]) -> Void
    ) {
        let remove: @Sendable () -> Void = { [self] in
            done(
                emptied.filter { space in
                    do throws(StoreError) {
                        try uploads.files.removeAll(of: space)
                        return true
                    } catch {
                        noteFailure(error.problem)
                        return false
                    }
                })
        }
        if emptied.isEmpty || !uploads.files.isShared || !blobWork.put(nil, remove) { remove() }
    }

    /// Removes what is left of deleted accounts: some rows at a time, then their files, and the account last, so
    /// that a server that ends in between continues when it starts again. Files that cannot be removed now are
    /// removed with the next collection.
    func removeDeleted(then done: @escaping Done<Void> = { _ in }) {
        store.removeDeleted { [weak self] result in
            guard let self, case .success(let (isMore, emptied)) = result else {
                return done(result.map { _ in })
            }
            removeBlobs(of: emptied) { [weak self] gone in
                guard let self else { return done(.success(())) }
                guard !gone.isEmpty else { return next(isMore, done) }
                store.removeEmptied(gone) { [weak self] result in
                    guard let self, case .success = result else { return done(result) }
                    deletionWatcher.withLock { $0 }?()
                    next(isMore, done)
                }
            }
        }
    }

    private func next(_ isMore: Bool, _ done: @escaping Done<Void>) {
        if isMore { removeDeleted(then: done) } else { done(.success(())) }
    }
}

extension Problem {
    static let deletionNoted = Problem(
        .busy,
        "The account will be deleted, at the latest when the server starts again; to have it deleted now, ask once more.",
        retryAfterSeconds: 1)
}
