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
        try proven(session, call, .passwordChanged, password: old) {
            [self] _, attempt, update in
            var update = update
            update.ending = .others(of: session.id)
            setPassword(new, update, attempt, call)
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
        do throws(Problem) { try PasswordRules.check(password, email: email) } catch {
            // Checking a password's strength is expensive.
            attempt.success.refund()
            throw error
        }
        let account: Account?
        do throws(StoreError) { account = try store.account(emailKey: key) } catch {
            attempt.refund()
            throw error.problem
        }
        // No account has the number 0, and no code these bytes.
        var update = AccountUpdate(
            account?.space ?? 0,
            AuditEntry(event: .passwordReset, network: attempt.network, now: call.now),
            now: call.now)
        update.proof = .reset(secrets.digest(ofCode: SecretCode(code)?.bytes ?? []))
        update.ending = .all
        setPassword(password, update, attempt, call, .resetFailed)
    }

    /// Hashes a password and changes the account.
    private func setPassword(
        _ password: [UInt8], _ update: AccountUpdate, _ attempt: Attempt, _ call: Call,
        _ failure: AuditEvent = .loginFailed
    ) {
        hashing.hash(password) { [self] hash in
            guard let hash else { return refuse(.hashingBusy, attempt, nil, failure, call) }
            var update = update
            update.passwordHash = hash
            let space = update.space
            change(update, attempt, call, failure) { [self] ended in
                end(ended, of: space)
                note(
                    ServerNote(
                        level: .info, event: "password.set",
                        facts: [("session_count", "\(ended.count)")]))
                call.reply(HTTPResponse(status: 204))
            }
        }
    }
}
