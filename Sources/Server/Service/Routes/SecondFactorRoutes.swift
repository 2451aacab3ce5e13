/// The optional second factor: begun with the password, confirmed with a first code, ended with both.
import MacrologEvents
import MacrologHTTP
import MacrologJSON
import MacrologCryptography

extension SyncServer {
    /// `POST /v1/account/totp` with `password`: a new secret, which is not asked for yet.
    func beginSecondFactor(_ session: Session, _ call: Call) throws(Problem) {
        let password = try Self.password(try Bodies.object(call.body), "password")
        try proven(session, call, password: password) { [self] account, attempt, update in
            guard account.secondFactor?.isConfirmed != true else {
                return refuse(.factorIsOn, attempt, nil, .loginFailed, call)
            }
            let secret = random(TimedCode.secretBytes)
            var update = update
            update.secondFactor = SecondFactor(
                sealed: secrets.seal(secret, of: account.name), isConfirmed: false, step: 0)
            let text = Base32.encode(secret)
            change(update, attempt, call, refusal: isOn(session)) { _ in
                call.reply(
                    .json(
                        200,
                        [
                            "secret": .string(text),
                            "uri": .string(Self.uri(secret: text, email: account.email)),
                        ]))
            }
        }
    }

    /// `POST /v1/account/totp/confirm` with `code`: from now on it is asked for, and all other sessions
    /// end. Answers the recovery codes, once.
    func confirmSecondFactor(_ session: Session, _ call: Call) throws(Problem) {
        guard let code = try Self.code(try Bodies.object(call.body)) else {
            throw .invalid("code", "The code that the app shows is missing.")
        }
        let account = try account(of: session)
        guard let factor = account.secondFactor else { throw .factorIsOff }
        guard !factor.isConfirmed else { throw .factorIsOn }
        let attempt = try codeAttempt(account, call)
        do throws(Problem) {
            guard case .step(let step) = try proof(of: code, factor, account, now: call.now)
            else { throw .wrongCode }
            let codes = (0..<SecretCode.recoveryCodes).map { _ in SecretCode(random: random) }
            var update = AccountUpdate(
                account.space,
                AuditEntry(event: .totpEnabled, network: attempt.network, now: call.now),
                now: call.now)
            update.credentials = account.credentials
            update.secondFactor = SecondFactor(
                sealed: factor.sealed, isConfirmed: true, step: step)
            update.recoveryCodes = codes.map { secrets.digest(ofCode: $0.bytes) }
            // A session that began without a code has to begin again with one.
            update.ending = .others(of: session.id)
            change(
                update, attempt, call, .totpRefused,
                refusal: { [self] in isOn(session)() ?? .wrongCode }
            ) { [self] ended in
                end(ended, of: session.space)
                call.reply(.json(200, ["recovery_codes": .array(codes.map { .string($0.text) })]))
            }
        } catch {
            refuse(error, attempt, account.space, .totpRefused, call)
        }
    }

    /// Charges a first code, which needs no password, apart from logins: who has stolen a session can
    /// neither try many nor keep its owner from logging in.
    private func codeAttempt(_ account: Account, _ call: Call) throws(Problem) -> Attempt {
        try Attempt(
            failure: Charges(), success: Charges(), known: [], network: network(of: call),
            accountKey: account.emailKey
        ).charged(limiters[.codeByAccount], now: call.now)
    }

    /// `POST /v1/account/totp/disable` with `password`, and `code` if one is asked for.
    func endSecondFactor(_ session: Session, _ call: Call) throws(Problem) {
        let body = try Bodies.object(call.body)
        let password = try Self.password(body, "password")
        let code = try Self.code(body)
        try proven(session, call, .totpDisabled, password: password, code: code) {
            [self] _, attempt, update in
            var update = update
            update.secondFactor = .some(nil)
            update.recoveryCodes = []
            change(update, attempt, call) { _ in call.reply(HTTPResponse(status: 204)) }
        }
    }

    /// Says that a second factor is on, where another request has confirmed one meanwhile.
    private func isOn(_ session: Session) -> @Sendable () -> Problem? {
        { [self] in
            let account = try? store.account(of: session.space)
            return account?.secondFactor?.isConfirmed == true ? .factorIsOn : nil
        }
    }

    /// What an authenticator app reads, as text or as a QR code.
    static func uri(secret: String, email: String) -> String {
        let unreserved = Set(
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~".utf8)
        let digits = Array("0123456789ABCDEF".utf8)
        let escaped = email.utf8.flatMap { byte in
            unreserved.contains(byte)
                ? [byte]
                : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return "otpauth://totp/Macrolog:\(String(decoding: escaped, as: UTF8.self))"
            + "?secret=\(secret)&issuer=Macrolog"
    }
}

extension Problem {
    static let factorIsOn = Problem(
        .secondFactor, "The second factor is on already; disable it first.")
    static let factorIsOff = Problem(
        .secondFactor, "No second factor was begun; begin with the password.")
}
