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
        let body = try Bodies.object(call.body)
        let (email, password) = try credentials(body)
        let invitation = try invitation(body, network, now)
        try checkPassword(password, email, network, now)
        // The operator has decided how many may come with an invitation.
        var charges = Charges()
        if invitation == nil {
            try charges.take(
                limiters[.registerByNetwork], network, site: Network.site(of: network), now: now)
        }
        hashing.hash(password) { [self, charges] hash in
            guard let hash else {
                charges.refund()
                return reply(Problem.hashingBusy.response)
            }
            let account = NewAccount(
                name: newIdentifier(), emailKey: secrets.digest(of: email), email: email.text,
                passwordHash: hash, invitation: invitation,
                entry: AuditEntry(event: .registered, network: self.network(of: call), now: now),
                now: now)
            store.add(account) { [self] in reply(registered($0)) }
        }
    }

    /// The digest of the invitation in a body; `nil` for none where none is needed. Wrong ones count
    /// against the network's limit of failed logins.
    private func invitation(
        _ body: JSON, _ network: [UInt8], _ now: Int64
    ) throws(Problem) -> [UInt8]? {
        guard settings.registration != .closed else { throw .registrationClosed }
        guard let given = body["invitation"], given != .null else {
            guard settings.registration == .open else { throw .invitationNeeded }
            return nil
        }
        let charge = try refusalCharge(network, now)
        guard let code = given.string.flatMap({ SecretCode($0) }) else { throw .invitationWrong }
        let digest = secrets.digest(ofCode: code.bytes)
        let isOpen: Bool
        do throws(StoreError) { isOpen = try store.isOpen(invitation: digest, now: now) } catch {
            throw error.problem
        }
        guard isOpen else { throw .invitationWrong }
        charge.refund()
        return digest
    }

    /// Charges what may be refused without a login as a failed login of its network.
    private func refusalCharge(_ network: [UInt8], _ now: Int64) throws(Problem) -> Charges {
        var charges = Charges()
        try charges.take(
            limiters[.loginByNetwork], network, site: Network.site(of: network), now: now)
        return charges
    }

    /// Checking a password's strength is expensive, so refused passwords count against the
    /// network's limit of failed logins.
    func checkPassword(
        _ password: [UInt8], _ email: Email, _ network: [UInt8], _ now: Int64,
        field: String = "password"
    ) throws(Problem) {
        let charge = try refusalCharge(network, now)
        try PasswordRules.check(password, email: email, field: field)
        charge.refund()
    }

    private func registered(_ result: Result<Addition, StoreError>) -> HTTPResponse {
        switch result {
        case .success(.added), .success(.known):
            let isNew = (try? result.get()) == .added
            note(ServerNote(level: .info, event: isNew ? "register" : "register.known", facts: []))
            return .json(202, ["status": "accepted"])
        case .success(.notInvited): return Problem.invitationWrong.response
        case .success(.noRoom):
            note(ServerNote(level: .error, event: "register.full", facts: []))
            return Problem.full.response
        case .failure(let error): return refuse(error)
        }
    }

    /// `POST /v1/auth/login` with `email`, `password` and `device`, a name for people, and `code` for
    /// an account with a second factor: tokens.
    func login(_ call: Call) throws(Problem) {
        let body = try Bodies.object(call.body)
        let (email, password) = try credentials(body)
        let login = Login(
            emailKey: secrets.digest(of: email), password: password,
            label: try Self.label(body, "device"), code: try Self.code(body))
        try check(login, try attempt(login.emailKey, call), call)
    }

    /// What a person has given to log in.
    private struct Login {
        let emailKey: [UInt8]
        let password: [UInt8]
        let label: String
        let code: String?
        /// Whether another login has replaced the hash that the password was checked against.
        var isRepeated = false
    }

    /// Checks the password, and the code, of an attempt that is charged.
    private func check(_ login: Login, _ attempt: Attempt, _ call: Call) throws(Problem) {
        let account: Account?
        do throws(StoreError) {
            account = try store.account(emailKey: login.emailKey)
        } catch {
            attempt.refund()
            throw error.problem
        }
        hashing.verify(login.password, hash: account?.passwordHash) { [self] verdict in
            var attempt = attempt
            do throws(Problem) {
                guard case .right(let better) = verdict, let account else {
                    if case .busy = verdict { throw .hashingBusy }
                    throw .wrongCredentials
                }
                if account.isDisabled { throw .accountDisabled }
                attempt = try charged(attempt, code: login.code, of: account, call)
                let proof = try proof(of: login.code, account, now: call.now)
                begin(login, account, proof, better: better, attempt, call)
            } catch {
                refuse(error, attempt, account?.space, .loginFailed, call)
            }
        }
    }

    private func begin(
        _ login: Login, _ account: Account, _ proof: Proof?, better: [UInt8]?, _ attempt: Attempt,
        _ call: Call
    ) {
        let (now, reply) = (call.now, call.reply)
        let id = newIdentifier()
        let refresh = random(32)
        let session = NewSession(
            id: id, space: account.space, label: login.label,
            refresh: secrets.digest(ofRefresh: refresh), network: attempt.known,
            credentials: account.credentials, proof: proof, betterHash: better,
            entry: AuditEntry(
                event: .login, network: attempt.network, device: login.label, now: now),
            now: now)
        store.begin(session, sessionsMax: settings.sessionsMax) { [self] result in
            switch result {
            case .success(nil) where better != nil && !login.isRepeated:
                checkAgain(login, attempt, call)
            case .success(nil):
                // The code is none, or the account was changed, disabled or deleted meanwhile.
                refuse(
                    proof == nil ? .wrongCredentials : .wrongCode, attempt, account.space,
                    .loginFailed, call)
            case .success(let ended?):
                attempt.failure.refund()
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
            case .failure(let error):
                attempt.refund()
                reply(refuse(error))
            }
        }
    }

    /// Another login at the same time may have replaced the hash: the password is checked against the
    /// new one, once.
    private func checkAgain(_ login: Login, _ attempt: Attempt, _ call: Call) {
        var login = login
        login.isRepeated = true
        do throws(Problem) { try check(login, attempt, call) } catch { call.reply(answer(error)) }
    }

    func credentials(_ body: JSON) throws(Problem) -> (Email, [UInt8]) {
        guard let email = body["email"]?.string else {
            throw .invalid("email", "The address is missing.")
        }
        return (try Email(email), try Self.password(body, "password"))
    }

    /// A password as it came.
    static func password(_ body: JSON, _ field: String) throws(Problem) -> [UInt8] {
        guard let password = body[field]?.string, password.utf8.count <= 1_024 else {
            throw .invalid(field, "The password is missing, or longer than 1,024 bytes.")
        }
        return Array(password.utf8)
    }

    /// The code of a second factor, or in place of one; `nil` if there is none.
    static func code(_ body: JSON) throws(Problem) -> String? {
        guard let code = body["code"], code != .null else { return nil }
        guard let text = code.string, (1...64).contains(text.utf8.count) else {
            throw .invalid("code", "Give the code as text: six digits, or a recovery code.")
        }
        return text
    }

    /// The owner's label for the device: 1 to 64 bytes without control characters.
    static func label(_ body: JSON, _ field: String) throws(Problem) -> String {
        guard let label = body[field]?.string, (1...64).contains(label.utf8.count),
            label.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else { throw .invalid(field, "Name the device in 1 to 64 bytes, such as phone.") }
        return label
    }
}
