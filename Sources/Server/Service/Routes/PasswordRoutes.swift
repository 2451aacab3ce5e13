/// A new password: changed by who knows the old one, or set with the operator's reset code.
import MacrologEvents
import MacrologHTTP

extension SyncServer {
    /// `POST /v1/account/password` with `password` and `new_password`: all other sessions end.
    func changePassword(_ session: Session, _ call: Call) throws(Problem) {
        let body = try Bodies.object(call.body)
        let old = try Self.password(body, "password")
        let new = try Self.password(body, "new_password")
        let network = Network.key(of: Network.address(of: call.request, proxies: settings.proxies))
        try checkPassword(
            new, try Email(try account(of: session).email), network, call.now,
            field: "new_password")
        try proven(session, call, password: old) { [self] account, attempt in
            setPassword(new, call) { hash in
                var update = AccountUpdate(
                    account.space,
                    AuditEntry(event: .passwordChanged, network: attempt.network, now: call.now),
                    now: call.now)
                update.passwordHash = hash
                update.ending = .others(of: session.id)
                return update
            } failed: {
                call.reply(Problem.unauthorized.response)
            }
        }
    }

    /// `POST /v1/auth/reset` with `email`, `code` and `password`: all sessions end. The same answer,
    /// and as late, for an address without an account.
    func resetPassword(_ call: Call) throws(Problem) {
        let body = try Bodies.object(call.body)
        let (email, password) = try credentials(body)
        guard let code = try Self.code(body) else {
            throw .invalid("code", "The code that the server's operator gave you is missing.")
        }
        let key = secrets.digest(of: email)
        let attempt = try attempt(key, call)
        let account: Account?
        do throws(Problem) {
            try PasswordRules.check(password, email: email)
            do throws(StoreError) { account = try store.account(emailKey: key) } catch {
                throw error.problem
            }
        } catch {
            attempt.success.refund()
            throw error
        }
        setPassword(password, call) { [self] hash in
            // No account has the number 0, and no code these bytes.
            var update = AccountUpdate(
                account?.space ?? 0,
                AuditEntry(event: .passwordReset, network: attempt.network, now: call.now),
                now: call.now)
            update.proof = .reset(secrets.digest(ofCode: SecretCode(code)?.bytes ?? []))
            update.passwordHash = hash
            update.ending = .all
            return update
        } done: {
            attempt.failure.refund()
        } failed: { [self] in
            refuse(.wrongCode, attempt, account?.space, .resetFailed, call)
        }
    }

    /// Hashes a password and changes the account.
    private func setPassword(
        _ password: [UInt8], _ call: Call,
        update: @escaping @Sendable ([UInt8]) -> AccountUpdate,
        done: @escaping @Sendable () -> Void = {}, failed: @escaping @Sendable () -> Void
    ) {
        let reply = call.reply
        hashing.hash(password) { [self] hash in
            guard let hash else { return reply(Problem.hashingBusy.response) }
            let update = update(hash)
            store.update(update) { [self] result in
                switch result {
                case .success(nil): failed()
                case .success(let ended?):
                    end(ended, of: update.space)
                    done()
                    note(
                        ServerNote(
                            level: .info, event: "password.set",
                            facts: [("session_count", "\(ended.count)")]))
                    reply(HTTPResponse(status: 204))
                case .failure(let error): reply(refuse(error))
                }
            }
        }
    }
}
