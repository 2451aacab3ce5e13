/// What an operator does with accounts.
import MacrologEvents
import MacrologJSON
import MacrologCryptography
import MacrologSystem

extension SyncServer {
    typealias Refusal = Administration.Refusal

    func listUsers(_: JSON) throws(Refusal) -> JSON {
        let facts = try read { () throws(StoreError) in try store.facts(of: nil, now: clock()) }
        return ["users": .array(facts.map(\.json))]
    }

    func showUser(_ request: JSON) throws(Refusal) -> JSON {
        ["user": try facts(of: try user(request).space)]
    }

    /// Adds an account: with a password, with a hash of an earlier system, or with a reset code by
    /// which its owner sets the first password.
    func addUser(_ request: JSON) throws(Refusal) -> JSON {
        let email = try email(request)
        let now = clock()
        var hash: [UInt8] = []
        if let text = request["bcrypt_hash"]?.string {
            hash = Array(text.utf8)
            guard Bcrypt.isHash(hash) else {
                throw Refusal(
                    .invalid,
                    "that is no bcrypt hash: give 60 letters that begin with $2a$, $2b$ or $2y$ and "
                        + "a cost from \(Bcrypt.costs.lowerBound) to \(Bcrypt.costs.upperBound)")
            }
            do throws(LibraryError) { try Bcrypt.prepare() } catch {
                throw Refusal(.failed, "\(error)")
            }
        } else if let password = request["password"]?.string {
            hash = try newHash(of: Array(password.utf8), email)
        }
        let account = NewAccount(
            name: newIdentifier(), emailKey: secrets.digest(of: email), email: email.text,
            passwordHash: hash, invitation: nil,
            entry: AuditEntry(event: .added, network: nil, now: now), now: now)
        switch try settled({ store.add(account, then: $0) }) {
        case .added: break
        case .noRoom:
            throw Refusal(.failed, "this server has reached its greatest number of accounts")
        case .known, .notInvited:
            throw Refusal(.taken, "\(email.text) has an account already: user show \(email.text)")
        }
        if Bcrypt.isHash(hash) { hashing.expect(bcrypt: hash) }
        note(ServerNote(level: .info, event: "user.added", facts: []))
        let space = try user(request).space
        let code = hash.isEmpty ? try resetCode(of: space, now, disablesTOTP: false) : []
        return .object([JSON.Member("user", try facts(of: space))] + code)
    }

    private func newHash(of password: [UInt8], _ email: Email) throws(Refusal) -> [UInt8] {
        do throws(Problem) { try PasswordRules.check(password, email: email) } catch {
            throw Refusal(.invalid, error.title)
        }
        guard let hash = Password.hash(Password.composed(password), cost: settings.passwordCost)
        else {
            throw Refusal(.busy, "there is no memory for the password's hash; try again")
        }
        return hash
    }

    func disableUser(_ request: JSON) throws(Refusal) -> JSON {
        let user = try user(request)
        // An account that is disabled already gets no second entry.
        var update = AccountUpdate(
            user.space,
            user.isDisabled ? nil : AuditEntry(event: .disabled, network: nil, now: clock()),
            now: clock())
        update.isDisabled = true
        update.ending = .all
        return try change(update, .accountDisabled)
    }

    func enableUser(_ request: JSON) throws(Refusal) -> JSON {
        let user = try user(request)
        var update = AccountUpdate(
            user.space,
            user.isDisabled ? AuditEntry(event: .enabled, network: nil, now: clock()) : nil,
            now: clock())
        update.isDisabled = false
        return try change(update, .unauthorized)
    }

    /// Changes an account, ends sessions for a reason, and answers its facts.
    private func change(_ update: AccountUpdate, _ reason: Problem) throws(Refusal) -> JSON {
        guard let ended = try settled({ store.update(update, then: $0) }) else {
            throw Refusal(.missing, "the account was deleted meanwhile")
        }
        end(ended, of: update.space, reason)
        note(
            ServerNote(
                level: .info, event: "user.changed",
                facts: [("session_count", "\(ended.count)")]))
        return ["user": try facts(of: update.space), "ended_count": .integer(Int64(ended.count))]
    }

    /// Deletes an account, and returns when nothing of it is left.
    func deleteUser(_ request: JSON) throws(Refusal) -> JSON {
        let user = try user(request)
        let now = clock()
        var update = AccountUpdate(user.space, nil, now: now)
        update.deletes = true
        do throws(Refusal) {
            deleted(user, try settled { store.update(update, then: $0) } ?? [])
        } catch {
            guard isNoted(user) else { throw error }
            throw Refusal(
                error.kind,
                "\(user.email) will be deleted, at the latest when the server starts again; to have it "
                    + "deleted now, type this again. \(error.sentence)")
        }
        try settled { removeDeleted(then: $0) }
        return [
            "deleted": .string(user.email), "account_id": .string(user.name.description),
            "deleted_at": .string(SystemClock.utc(now)),
            "deletions_file": .string(store.deletions.path),
        ]
    }

    func makeResetCode(_ request: JSON) throws(Refusal) -> JSON {
        let user = try user(request)
        let code = try resetCode(
            of: user.space, clock(), disablesTOTP: request["disables_totp"] == true)
        return .object([JSON.Member("user", try facts(of: user.space))] + code)
    }

    private func resetCode(
        of space: Space, _ now: Int64, disablesTOTP: Bool
    ) throws(Refusal) -> [JSON.Member] {
        let code = SecretCode(random: random)
        let expires = now + SecretCode.resetMilliseconds
        var update = AccountUpdate(
            space, AuditEntry(event: .resetCodeMade, network: nil, now: now), now: now)
        update.resetCode = ResetCode(
            digest: secrets.digest(ofCode: code.bytes), expires: expires,
            endsSecondFactor: disablesTOTP)
        guard try settled({ store.update(update, then: $0) }) != nil else {
            throw Refusal(.missing, "the account was deleted meanwhile")
        }
        return [
            JSON.Member("code", .string(code.text)),
            JSON.Member("expires_at", .string(SystemClock.utc(expires))),
        ]
    }

    /// The sessions of an account, after one of them or all were ended.
    func userSessions(_ request: JSON) throws(Refusal) -> JSON {
        let user = try user(request)
        let now = clock()
        func open() throws(Refusal) -> [StoredSession] {
            try read { () throws(StoreError) in
                try store.sessions(of: user.space).filter { now < $0.expires }
            }
        }
        var ended: [Identifier] = []
        if request["ends_all"] == true {
            var update = AccountUpdate(
                user.space,
                try open().isEmpty
                    ? nil : AuditEntry(event: .sessionEnded, network: nil, now: now), now: now)
            update.ending = .all
            ended = try settled { store.update(update, then: $0) } ?? []
        } else if let text = request["end"]?.string {
            guard let id = try open().map(\.id).first(where: { $0 == Identifier(text) }),
                try settled({ store.revoke(id, of: user.space, at: now, then: $0) })
            else {
                throw Refusal(
                    .missing,
                    "\(user.email) has no session \(text): user sessions \(user.email)")
            }
            ended = [id]
            store.record(
                AuditEntry(event: .sessionEnded, network: nil, now: now), of: user.space)
        }
        end(ended, of: user.space)
        return [
            "sessions": .array(
                try open().map {
                    [
                        "id": .string($0.id.description), "name": .string($0.label),
                        "created_at": .string(SystemClock.utc($0.created)),
                        "last_seen_at": .string(SystemClock.utc($0.lastSeen)),
                        "device_id": .optional($0.held?.device.description),
                    ]
                }),
            "ended": .array(ended.map { .string($0.description) }),
        ]
    }

    /// The audit trail of an account, the latest entry first.
    func userAudit(_ request: JSON) throws(Refusal) -> JSON {
        let user = try user(request)
        let entries = try read { () throws(StoreError) in try store.audit(of: user.space) }
        return [
            "audit": .array(
                entries.map {
                    [
                        "at": .string(SystemClock.utc($0.at)), "event": .string($0.event),
                        "network": .optional($0.network), "name": .optional($0.device),
                    ]
                })
        ]
    }

    /// What each account takes of its quotas.
    func usage(_ request: JSON) throws(Refusal) -> JSON {
        let space = request["email"] == nil ? nil : try user(request).space
        let facts = try read { () throws(StoreError) in try store.facts(of: space, now: clock()) }
        return [
            "usage": .array(facts.map(\.usage)),
            "quotas": [
                "event_count": .integer(settings.eventQuota),
                "event_bytes": .integer(settings.eventBytesQuota),
                "device_count": .integer(settings.deviceQuota),
                "blob_bytes": .integer(settings.blobQuota),
                "session_count": .integer(Int64(settings.sessionsMax)),
            ],
        ]
    }

    // MARK: Who is meant

    private func email(_ request: JSON) throws(Refusal) -> Email {
        do throws(Problem) { return try Email(request["email"]?.string ?? "") } catch {
            throw Refusal(.invalid, error.title)
        }
    }

    private func user(_ request: JSON) throws(Refusal) -> Account {
        let email = try email(request)
        let key = secrets.digest(of: email)
        guard
            let account = try read({ () throws(StoreError) in try store.account(emailKey: key) })
        else { throw Refusal(.missing, "there is no account \(email.text): user list") }
        return account
    }

    private func facts(of space: Space) throws(Refusal) -> JSON {
        let facts = try read { () throws(StoreError) in try store.facts(of: space, now: clock()) }
        guard let facts = facts.first else {
            throw Refusal(.missing, "the account was deleted meanwhile")
        }
        return facts.json
    }
}

extension AccountFacts {
    /// All of it, as an operator sees it.
    fileprivate var json: JSON {
        .object(
            [
                JSON.Member("email", .string(email)),
                JSON.Member("account_id", .string(name.description)),
                JSON.Member("created_at", .string(SystemClock.utc(created))),
                JSON.Member("disabled_at", .optional(disabled.map { SystemClock.utc($0) })),
                JSON.Member("password_set", .bool(hasPassword)),
                JSON.Member("second_factor", .bool(hasSecondFactor)),
                JSON.Member("last_seen_at", .optional(lastSeen.map { SystemClock.utc($0) })),
            ] + (usage.object ?? []).filter { !$0.key.utf8.elementsEqual("email".utf8) })
    }

    fileprivate var usage: JSON {
        [
            "email": .string(email), "session_count": .integer(sessions),
            "event_count": .integer(events), "event_bytes": .integer(eventBytes),
            "blob_count": .integer(blobs), "blob_bytes": .integer(blobBytes),
        ]
    }
}
