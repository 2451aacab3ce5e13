/// An attempt to prove who one is, with a password or a code. It is charged before anything is checked,
/// so that attempts at the same time count, too.
import MacrologEvents
import MacrologHTTP
import MacrologSeal

struct Attempt: Sendable {
    /// Charged for a failure, and refunded on success.
    let failure: Charges
    /// Charged for a success, and refunded on failure.
    let success: Charges
    /// The digest of the address and the network, by which the network is known.
    let known: [UInt8]
    /// The network, shortened for the log and the audit trail.
    let network: String

    /// It was not decided: nothing counts.
    func refund() {
        failure.refund()
        success.refund()
    }
}

extension SyncServer {
    /// Charges an attempt for an address, whether or not it has an account.
    func attempt(_ emailKey: [UInt8], _ call: Call) throws(Problem) -> Attempt {
        let address = Network.address(of: call.request, proxies: settings.proxies)
        let network = Network.key(of: address)
        let known = secrets.digest(ofEmailKey: emailKey, from: network)
        let (failure, success) = try charged(emailKey, network, known, call.now)
        return Attempt(
            failure: failure, success: success, known: known, network: Network.shortened(address))
    }

    /// Charges an attempt: as a failure of its network, of its network and address, and of its
    /// address on networks without a recent login of the account; and as a success.
    ///
    /// This limits password guessing from any number of networks, and attempts from other networks
    /// cannot lock out a person on a network where they logged in before.
    private func charged(
        _ key: [UInt8], _ network: [UInt8], _ known: [UInt8], _ now: Int64
    ) throws(Problem) -> (failure: Charges, right: Charges) {
        var (failure, right) = (Charges(), Charges())
        try failure.take(limiters.loginByNetwork, network, now: now)
        try failure.take(limiters.loginByEmailAndNetwork, key + network, now: now)
        let isKnown: Bool
        do throws(StoreError) {
            isKnown = try store.hasLoggedIn(from: known, since: now - NetworkLimits.known)
        } catch {
            failure.refund()
            throw error.problem
        }
        if !isKnown { try failure.take(limiters.loginByEmail, key, now: now) }
        do throws(Problem) {
            try right.take(limiters.loginByAccount, key, now: now)
        } catch {
            failure.refund()
            throw error
        }
        return (failure, right)
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
                if let code { update.proof = try proof(of: code, account, now: call.now) }
                done(account, attempt, update)
            } catch {
                refuse(error, attempt, account.space, .loginFailed, call)
            }
        }
    }

    /// Makes a change that an attempt allows, and continues with the sessions that it ended.
    ///
    /// - Parameters:
    ///   - failure: What the audit trail tells if the change is refused.
    ///   - refusal: Why it is refused; `nil` for a wrong code, or a password that is another by now.
    func change(
        _ update: AccountUpdate, _ attempt: Attempt, _ call: Call,
        _ failure: AuditEvent = .loginFailed,
        refusal: @escaping @Sendable () -> Problem? = { nil },
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
                call.reply(refuse(error))
            }
        }
    }

    /// Answers an attempt. Only a wrong password or code counts as a failure. Asking for a code counts
    /// for the network alone, which limits how often a right password is checked.
    func refuse(
        _ problem: Problem, _ attempt: Attempt, _ space: Space?, _ event: AuditEvent, _ call: Call
    ) {
        switch problem.kind {
        case .wrongCredentials, .wrongCode:
            attempt.success.refund()
            note(
                ServerNote(
                    level: .info, event: "login.failed", facts: [("network", attempt.network)]))
        case .codeRequired:
            attempt.failure.refund(except: limiters.loginByNetwork)
            attempt.success.refund()
        case .busy: attempt.refund()
        default: attempt.failure.refund()
        }
        call.reply(problem.response)
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
            throw .failed
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
