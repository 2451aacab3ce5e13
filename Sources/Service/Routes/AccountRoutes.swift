/// How an account begins, and how a device logs in.
import JSON
import Events
import HTTP

extension Hub {
    /// `POST /v1/auth/register` with `email` and `password`: 202, whether or not the address has an
    /// account already, so that nobody learns who is here.
    func register(_ request: HTTPRequest, _ reply: @escaping Answer) throws(Problem) {
        let network = Network.key(of: Network.address(of: request, proxies: settings.proxies))
        let (email, password) = try credentials(request)
        try PasswordRules.check(password, email: email)
        let now = clock()
        try limiters.registerByNetwork.charge(network, now: now)
        hashing.hash(password) { [self] hash in
            guard let hash else {
                limiters.registerByNetwork.refund(network)
                return reply(Problem.hashingBusy.response)
            }
            let account = NewAccount(
                name: newIdentifier(), emailKey: secrets.digest(of: email), email: email.text,
                passwordHash: hash, now: now)
            store.add(account) { [self] result in
                switch result {
                case .success(let isNew):
                    note(
                        HubNote(
                            level: .info, event: isNew ? "register" : "register.known", facts: []))
                    reply(.json(202, ["status": "accepted"]))
                case .failure(let error): reply(refuse(error))
                }
            }
        }
    }

    /// `POST /v1/auth/login` with `email`, `password` and `device`, a name for people: tokens.
    func login(_ request: HTTPRequest, _ reply: @escaping Answer) throws(Problem) {
        let network = Network.key(of: Network.address(of: request, proxies: settings.proxies))
        let body = try Bodies.object(request)
        let (email, password) = try credentials(body)
        let label = try Self.label(body, "device")
        let now = clock()
        let key = secrets.digest(of: email)
        // Charged before and given back on success: of many attempts at once, only so many pass.
        try limiters.loginByNetwork.charge(network, now: now)
        do throws(Problem) {
            try limiters.loginByEmail.charge(key, now: now)
        } catch {
            limiters.loginByNetwork.refund(network)
            throw error
        }
        let refund: @Sendable () -> Void = { [limiters] in
            limiters.loginByEmail.refund(key)
            limiters.loginByNetwork.refund(network)
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
                refund()
                if let better {
                    store.replacePassword(of: account.space, with: better) { _ in }
                }
                begin(account, label: label, now: now, reply)
            case (.wrong, _), (.right, nil):
                note(HubNote(level: .info, event: "login.failed", facts: []))
                reply(Problem.wrongCredentials.response)
            }
        }
    }

    private func begin(
        _ account: Account, label: String, now: Int64, _ reply: @escaping Answer
    ) {
        let id = newIdentifier()
        let refresh = random(32)
        let session = NewSession(
            id: id, space: account.space, label: label,
            refresh: secrets.digest(ofRefresh: refresh), now: now)
        store.begin(session) { [self] result in
            switch result {
            case .success:
                note(HubNote(level: .info, event: "login", facts: [("session", id.description)]))
                reply(tokens(session: id, account: account.name, refresh: refresh, now: now))
            case .failure(let error): reply(refuse(error))
            }
        }
    }

    private func credentials(_ request: HTTPRequest) throws(Problem) -> (Email, [UInt8]) {
        try credentials(try Bodies.object(request))
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

    /// What the owner calls the device: 1 to 64 bytes without control characters.
    static func label(_ body: JSON, _ field: String) throws(Problem) -> String {
        guard let label = body[field]?.string, (1...64).contains(label.utf8.count),
            label.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else { throw .invalid(field, "Name the device in 1 to 64 bytes, such as phone.") }
        return label
    }
}
