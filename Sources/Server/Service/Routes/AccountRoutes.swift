/// Registration and login.
import MacrologJSON
import MacrologEvents
import MacrologHTTP

extension SyncServer {
    /// `POST /v1/auth/register` with `email` and `password`: 202, whether or not the address
    /// already has an account, so that the answer does not reveal who has one.
    func register(_ call: Call) throws(Problem) {
        let (now, reply) = (call.now, call.reply)
        let network = Network.key(of: Network.address(of: call.request, proxies: settings.proxies))
        let (email, password) = try credentials(try Bodies.object(call.body))
        try checkPassword(password, email, network, now)
        try limiters.registerByNetwork.charge(network, now: now)
        hashing.hash(password) { [self] hash in
            guard let hash else {
                limiters.registerByNetwork.refund(network)
                return reply(Problem.hashingBusy.response)
            }
            let account = NewAccount(
                name: newIdentifier(), emailKey: secrets.digest(of: email), email: email.text,
                passwordHash: hash, now: now)
            store.add(account) { [self] in reply(registered($0)) }
        }
    }

    /// Checking a password's strength is expensive, so refused passwords count against the
    /// network's limit of failed logins.
    private func checkPassword(
        _ password: [UInt8], _ email: Email, _ network: [UInt8], _ now: Int64
    ) throws(Problem) {
        try limiters.loginByNetwork.charge(network, now: now)
        try PasswordRules.check(password, email: email)
        limiters.loginByNetwork.refund(network)
    }

    private func registered(_ result: Result<Addition, StoreError>) -> HTTPResponse {
        switch result {
        case .success(.added), .success(.known):
            let isNew = (try? result.get()) == .added
            note(ServerNote(level: .info, event: isNew ? "register" : "register.known", facts: []))
            return .json(202, ["status": "accepted"])
        case .success(.noRoom):
            note(ServerNote(level: .error, event: "register.full", facts: []))
            return Problem.full.response
        case .failure(let error): return refuse(error)
        }
    }

    /// `POST /v1/auth/login` with `email`, `password` and `device`, a name for people: tokens.
    func login(_ call: Call) throws(Problem) {
        let (now, reply) = (call.now, call.reply)
        let address = Network.address(of: call.request, proxies: settings.proxies)
        let network = Network.key(of: address)
        let body = try Bodies.object(call.body)
        let (email, password) = try credentials(body)
        let label = try Self.label(body, "device")
        let key = secrets.digest(of: email)
        let known = secrets.digest(ofEmailKey: key, from: network)
        let (failure, right) = try charged(key, network, known, now)
        // The charge for a failure is refunded on success, and the charge for a success on failure.
        // Charging first limits concurrent attempts too.
        let refund: @Sendable () -> Void = {
            failure.refund()
            right.refund()
        }
        let account: Account?
        do throws(StoreError) {
            account = try store.account(emailKey: key)
        } catch {
            refund()
            throw error.problem
        }
        hashing.verify(password, hash: account?.passwordHash) { [self] verdict in
            switch (verdict, account) {
            case (.busy, _):
                refund()
                reply(Problem.hashingBusy.response)
            case (.right(let better), let account?):
                failure.refund()
                if let better {
                    store.replacePassword(of: account.space, with: better) { _ in }
                }
                begin(account, label: label, from: known, now: now, reply)
            case (.wrong, _), (.right, nil):
                right.refund()
                note(
                    ServerNote(
                        level: .info, event: "login.failed",
                        facts: [("network", Network.shortened(address))]))
                reply(Problem.wrongCredentials.response)
            }
        }
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

    private func begin(
        _ account: Account, label: String, from network: [UInt8], now: Int64,
        _ reply: @escaping Answer
    ) {
        let id = newIdentifier()
        let refresh = random(32)
        let session = NewSession(
            id: id, space: account.space, label: label,
            refresh: secrets.digest(ofRefresh: refresh), network: network, now: now)
        store.begin(session, sessionsMax: settings.sessionsMax) { [self] result in
            switch result {
            case .success(let ended):
                if !ended.isEmpty {
                    end(ended, of: account.space)
                    note(
                        ServerNote(
                            level: .info, event: "sessions.surplus",
                            facts: [("session_count", "\(ended.count)")]))
                }
                note(
                    ServerNote(
                        level: .info, event: "login", facts: [("session_id", id.description)]))
                reply(tokens(session: id, account: account.name, refresh: refresh, now: now))
            case .failure(let error): reply(refuse(error))
            }
        }
    }

    private func credentials(_ body: JSON) throws(Problem) -> (Email, [UInt8]) {
        guard let email = body["email"]?.string else {
            throw .invalid("email", "The address is missing.")
        }
        guard let password = body["password"]?.string, password.utf8.count <= 1_024 else {
            throw .invalid("password", "The password is missing, or longer than 1,024 bytes.")
        }
        return (try Email(email), Array(password.utf8))
    }

    /// The owner's label for the device: 1 to 64 bytes without control characters.
    static func label(_ body: JSON, _ field: String) throws(Problem) -> String {
        guard let label = body[field]?.string, (1...64).contains(label.utf8.count),
            label.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else { throw .invalid(field, "Name the device in 1 to 64 bytes, such as phone.") }
        return label
    }
}
