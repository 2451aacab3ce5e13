/// An attempt to prove who one is, with a password or a code. It is charged before anything is checked,
/// so that attempts at the same time count, too.
import MacrologEvents
import MacrologHTTP
import MacrologCryptography

struct Attempt: Sendable {
    /// Charged for a failure, and refunded on success.
    let failure: Charges
    /// Charged for a success, and refunded on failure.
    let success: Charges
    /// The digest of the address and the network, by which the network is known.
    let known: [UInt8]
    /// The network, shortened for the log and the audit trail.
    let network: String
    /// The key of the account's buckets: of this network alone if the account is known from it, and
    /// otherwise the one of all other networks, so that a stranger elsewhere takes nothing from here.
    let accountKey: [UInt8]

    /// Charges a code of the second factor, too. If the limiter refuses, nothing has changed.
    func charged(_ limiter: RateLimiter?, now: Int64) throws(Problem) -> Attempt {
        var failure = failure
        try failure.add(limiter, accountKey, now: now)
        return Attempt(
            failure: failure, success: success, known: known, network: network,
            accountKey: accountKey)
    }

    /// It was not decided: nothing counts.
    func refund() {
        failure.refund()
        success.refund()
    }
}

extension SyncServer {
    /// Charges an attempt for an address, whether or not it has an account: as a failure of its network,
    /// of its network and address, and of its address on networks without a recent login of the account;
    /// and as a success.
    ///
    /// This limits guessing from any number of networks. Whatever is tried on other networks, even with
    /// the right password, a person can log in on a network where they did before.
    func attempt(_ emailKey: [UInt8], _ call: Call) throws(Problem) -> Attempt {
        let address = Network.address(of: call.request, proxies: settings.proxies)
        let network = Network.key(of: address)
        let known = secrets.digest(ofEmailKey: emailKey, from: network)
        let isKnown = try isKnown(known, emailKey, call.now)
        let accountKey = isKnown ? emailKey + network : emailKey
        var failure = Charges()
        // Many networks of one site share a bucket, but not with one that the account is known from.
        let site = isKnown ? nil : Network.site(of: network)
        try failure.take(limiters[.loginByNetwork], network, site: site, now: call.now)
        try failure.take(
            limiters[.loginByEmailAndNetwork], emailKey + network, site: site, now: call.now)
        if !isKnown { try failure.take(limiters[.loginByEmail], emailKey, now: call.now) }
        var success = Charges()
        do throws(Problem) {
            try success.take(limiters[.loginByAccount], accountKey, now: call.now)
        } catch {
            failure.refund()
            throw error
        }
        return Attempt(
            failure: failure, success: success, known: known, network: Network.shortened(address),
            accountKey: accountKey)
    }

    private func isKnown(
        _ network: [UInt8], _ emailKey: [UInt8], _ now: Int64
    ) throws(Problem) -> Bool {
        do throws(StoreError) {
            return try store.hasLoggedIn(
                from: network, to: emailKey, since: now - NetworkLimits.known)
        } catch {
            throw error.problem
        }
    }

    /// Charges an attempt of an account with a code, if it has a second factor: a stranger who knows the
    /// password cannot try many.
    func charged(
        _ attempt: Attempt, code: String?, of account: Account, _ call: Call
    ) throws(Problem) -> Attempt {
        guard code != nil, account.secondFactor?.isConfirmed == true else { return attempt }
        return try attempt.charged(limiters[.codeByAccount], now: call.now)
    }

    /// The account of a session.
    func account(of session: Session) throws(Problem) -> Account {
        let account: Account?
        do throws(StoreError) { account = try store.account(of: session.space) } catch {
            throw error.problem
        }
        guard let account else { throw .unauthorized }
        return account
    }

    /// Continues with the account of a session once its owner has given the password again, and the
    /// code of the second factor where there is one.
    ///
    /// - Parameters:
    ///   - event: What the audit trail tells of the change.
    ///   - code: As it was typed; `.some(nil)` where it is missing, and `nil` where none is asked for.
    ///   - done: Receives the change that is allowed, still empty, for ``change(_:_:_:_:refusal:then:)``.
    func proven(
        _ session: Session, _ call: Call, _ event: AuditEvent? = nil, password: [UInt8],
        code: String?? = nil,
        then done: @escaping @Sendable (Account, Attempt, AccountUpdate) -> Void
    ) throws(Problem) {
        let account = try account(of: session)
        let attempt = try attempt(account.emailKey, call)
        hashing.verify(password, hash: account.passwordHash) { [self] verdict in
            var charged = attempt
            do throws(Problem) {
                switch verdict {
                case .busy: throw .hashingBusy
                case .wrong: throw .wrongCredentials
                case .right: break
                }
                var update = AccountUpdate(
                    account.space,
                    event.map { AuditEntry(event: $0, network: attempt.network, now: call.now) },
                    now: call.now)
                update.credentials = account.credentials
                guard let code else { return done(account, attempt, update) }
                charged = try self.charged(attempt, code: code, of: account, call)
                update.proof = try proof(of: code, account, now: call.now)
                done(account, charged, update)
            } catch {
                refuse(error, charged, account.space, .loginFailed, call)
            }
        }
    }

    /// Makes a change that an attempt allows, and continues with the sessions that it ended.
    ///
    /// - Parameters:
    ///   - failure: What the audit trail tells if the change is refused.
    ///   - refusal: Why it is refused; `nil` for a wrong code, or a password that is another by now.
    ///   - failed: What is true if the store has failed; `nil` if nothing was changed.
    func change(
        _ update: AccountUpdate, _ attempt: Attempt, _ call: Call,
        _ failure: AuditEvent = .loginFailed,
        refusal: @escaping @Sendable () -> Problem? = { nil },
        failed: @escaping @Sendable () -> Problem? = { nil },
        then done: @escaping @Sendable ([Identifier]) -> Void
    ) {
        store.update(update) { [self] result in
            switch result {
            case .success(nil):
                let problem = refusal() ?? (update.proof == nil ? .wrongCredentials : .wrongCode)
                refuse(problem, attempt, update.space, failure, call)
            case .success(let ended?):
                attempt.failure.refund()
                done(ended)
            case .failure(let error):
                attempt.refund()
                let refusal = refuse(error)
                call.reply(failed()?.response ?? refusal)
            }
        }
    }

    /// Answers an attempt. Only a wrong password or code counts as a failure. Asking for a code, and
    /// refusing one more, count for the network alone, which limits how often a right password is checked.
    func refuse(
        _ problem: Problem, _ attempt: Attempt, _ space: Space?, _ event: AuditEvent, _ call: Call
    ) {
        switch problem.kind {
        case .wrongCredentials, .wrongCode:
            attempt.success.refund()
            note(
                ServerNote(
                    level: .info, event: "login.failed", facts: [("network", attempt.network)]))
        case .codeRequired, .tooManyRequests:
            attempt.failure.refund(except: limiters[.loginByNetwork])
            attempt.success.refund()
        case .busy: attempt.refund()
        default: attempt.failure.refund()
        }
        call.reply(answer(problem))
        guard let space, problem.kind == .wrongCredentials || problem.kind == .wrongCode else {
            return
        }
        // After the answer, whose time must not tell that there is an account.
        store.record(AuditEntry(event: event, network: attempt.network, now: call.now), of: space)
    }

    /// What a code proves: a time step of the account's second factor, or one of its recovery codes.
    ///
    /// - Parameter code: As it was typed; `nil` if there is none.
    /// - Returns: `nil` for an account without a second factor.
    func proof(of code: String?, _ account: Account, now: Int64) throws(Problem) -> Proof? {
        guard let factor = account.secondFactor, factor.isConfirmed else { return nil }
        guard let code else { throw .codeRequired }
        return try proof(of: code, factor, account, now: now)
    }

    /// What a code proves of a second factor, confirmed or not.
    func proof(
        of code: String, _ factor: SecondFactor, _ account: Account, now: Int64
    ) throws(Problem) -> Proof {
        if let recovery = SecretCode(code) {
            return .recovery(secrets.digest(ofCode: recovery.bytes))
        }
        guard let secret = secrets.open(factor, of: account.name) else {
            note(ServerNote(level: .error, event: "totp.unreadable", facts: []))
            throw .failed(nil)
        }
        let typed = code.utf8.filter { $0 != UInt8(ascii: " ") }
        guard let step = TimedCode.step(of: typed, secret, now: now, after: factor.step) else {
            throw .wrongCode
        }
        return .step(step)
    }

    /// The network of a request, shortened for an audit trail.
    func network(of call: Call) -> String {
        Network.shortened(Network.address(of: call.request, proxies: settings.proxies))
    }
}
