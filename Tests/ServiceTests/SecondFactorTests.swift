import MacrologEvents
import MacrologHTTP
import MacrologJSON
import MacrologSQLite
import MacrologCryptography
import MacrologService
import MacrologTestSupport
import Testing

/// Goal: with a second factor the password alone opens nothing, and no code works twice.
/// Method: an app's codes, computed at the server's time and at other times.
@Suite(.onBothStores) struct SecondFactorTests {
    private func login(_ server: TestServer, _ code: String?, peer: String = "192.0.2.1")
        -> HTTPResponse
    {
        var members = [
            JSON.Member("email", "ana@example.org"), JSON.Member("password", .string(password)),
            JSON.Member("device", "phone"),
        ]
        if let code { members.append(JSON.Member("code", .string(code))) }
        return server.post("/v1/auth/login", .object(members), peer: peer)
    }

    /// An account with a confirmed second factor.
    private func protected(
        _ change: (inout ServerSettings) -> Void = { $0.rates = .none }
    ) throws -> (server: TestServer, tokens: Tokens, secret: [UInt8], recovery: [String]) {
        let server = try TestServer(change)
        let tokens = try server.login()
        let secret = try server.beginSecondFactor(token: tokens.access)
        // Begun is not asked for.
        #expect(login(server, nil).status == 200)
        let answer = server.post(
            "/v1/account/totp/confirm",
            ["code": .string(server.code(of: secret, at: server.clock.now))], token: tokens.access)
        let codes = try JSON.parse(answer.body)["recovery_codes"]?.array?.compactMap(\.string)
        server.advance(seconds: 30)
        return (server, tokens, secret, try #require(codes))
    }

    @Test func `a login needs a code of now, of the step before or after, and each works once`()
        throws
    {
        let (server, _, secret, _) = try protected()
        #expect(problem(login(server, nil)) == "code_required")
        let asNull: JSON = [
            "email": "ana@example.org", "password": .string(password), "device": "phone",
            "code": .null,
        ]
        #expect(problem(server.post("/v1/auth/login", asNull)) == "code_required")
        let now = server.clock.now
        for (offset, isRight) in [(-60, false), (60, false), (-30, false), (0, true), (30, true)] {
            let code = server.code(of: secret, at: now + Int64(offset) * 1_000)
            let answer = login(server, code)
            // The step before was used to confirm.
            #expect(answer.status == (isRight ? 200 : 401), "\(offset)")
            #expect(isRight || problem(answer) == "wrong_code")
            #expect(problem(login(server, code)) == "wrong_code", "\(offset) again")
        }
        // What comes before the last one used works no more.
        #expect(problem(login(server, server.code(of: secret, at: now))) == "wrong_code")
        server.advance(seconds: 60)
        let before = server.code(of: secret, at: server.clock.now - 30_000)
        #expect(problem(login(server, before)) == "wrong_code", "used as the step after")
        let spaced = server.code(of: secret, at: server.clock.now)
        #expect(login(server, "\(spaced.prefix(3)) \(spaced.suffix(3))").status == 200)
    }

    @Test func `the same code at the same time opens one session`() throws {
        let (server, _, secret, _) = try protected()
        let code = server.code(of: secret, at: server.clock.now)
        let body: JSON = [
            "email": "ana@example.org", "password": .string(password), "device": "phone",
            "code": .string(code),
        ]
        let answers = (0..<4).map { _ in
            let answered = Answered()
            server.server.respond(
                to: HTTPRequest(
                    method: "POST", path: "/v1/auth/login",
                    fields: [HTTPField("Content-Type", "application/json")],
                    body: Array(body.compact.utf8), peer: "192.0.2.1")
            ) { answered.set($0) }
            return answered
        }
        let statuses = answers.map { $0.get().status }.sorted()
        #expect(statuses == [200, 401, 401, 401])
    }

    @Test(.onSQLiteAlone)
    func `a recovery code works once in place of a code`() throws {
        let (server, tokens, _, recovery) = try protected()
        #expect(recovery.count == 10 && Set(recovery).count == 10)
        #expect(login(server, recovery[0].lowercased()).status == 200)
        #expect(problem(login(server, recovery[0])) == "wrong_code")
        // Another one ends the second factor, and the rest with it.
        let end = server.post(
            "/v1/account/totp/disable",
            ["password": .string(password), "code": .string(recovery[1])], token: tokens.access)
        #expect(end.status == 204)
        #expect(login(server, nil).status == 200)
        var db = try Connection.open(server.path, mode: .readOnly)
        #expect(try db.first("SELECT count(*) FROM code") { $0.int(0) } == 0)
        #expect(try db.first("SELECT totp IS NULL FROM account") { $0.int(0) } == 1)
    }

    @Test(arguments: ["000000", "ABCD-EFGH-IJKL-MNOP"])
    func `guessing codes with the right password is limited like guessing passwords`(
        wrong: String
    ) throws {
        let (server, _, _, _) = try protected { _ in }
        let answers = (0..<8).map { _ in login(server, wrong) }
        #expect(answers.map(\.status) == [401, 401, 401, 401, 401, 429, 429, 429])
        // So it is where a session asks to end it, or the account.
        for route in ["totp/disable", "delete"] {
            let (other, there, _, _) = try protected { _ in }
            let ends = (0..<8).map { _ in
                other.post(
                    "/v1/account/\(route)",
                    ["password": .string(password), "code": .string(wrong)], token: there.access)
            }
            #expect(ends.map(\.status) == [401, 401, 401, 401, 401, 429, 429, 429], "\(route)")
        }
    }

    @Test func `codes are tried ten times from all networks together, and the owner's is another`()
        throws
    {
        let (server, _, secret, recovery) = try protected {
            $0.rates[.loginByEmail] = nil
        }
        let wrong = (0..<14).map { login(server, "000000", peer: "10.0.0.\($0)") }
        #expect(wrong.map(\.status) == Array(repeating: 401, count: 10) + [429, 429, 429, 429])
        let code = server.code(of: secret, at: server.clock.now)
        #expect(login(server, code, peer: "10.0.1.1").status == 429)
        #expect(login(server, code).status == 200)
        #expect(login(server, recovery[0]).status == 200)
        server.advance(seconds: 3_600)
        let later = server.code(of: secret, at: server.clock.now)
        #expect(login(server, later, peer: "10.0.1.1").status == 200)
    }

    @Test func `a first code is tried ten times, which takes no login from the owner`() throws {
        let server = try TestServer()
        let tokens = try server.login()
        let secret = try server.beginSecondFactor(token: tokens.access)
        func confirm(_ code: String) -> Int {
            server.post(
                "/v1/account/totp/confirm", ["code": .string(code)], token: tokens.access
            ).status
        }
        let wrong = (0..<12).map { _ in confirm("000000") }
        #expect(wrong == Array(repeating: 401, count: 10) + [429, 429])
        #expect(login(server, nil).status == 200)
        server.advance(seconds: 3_600)
        #expect(confirm(server.code(of: secret, at: server.clock.now)) == 200)
    }

    @Test func `a wrong first code is in the audit trail by a name of its own`() throws {
        let server = try TestServer { $0.rates = .none }
        let tokens = try server.login()
        _ = try server.beginSecondFactor(token: tokens.access)
        let wrong = server.post(
            "/v1/account/totp/confirm", ["code": "000000"], token: tokens.access)
        #expect(problem(wrong) == "wrong_code")
        func events() throws -> [String] {
            let answer = server.call("GET", "/v1/account/audit", token: tokens.access)
            let entries = try JSON.parse(answer.body)["entries"]?.array ?? []
            return entries.compactMap { $0["event"]?.string }
        }
        // A refusal is answered before it is recorded.
        let isNoted = try eventually { try events() == ["totp_refused", "login", "registered"] }
        #expect(isNoted)
    }

    @Test func `who logged in without a code is logged out when it is confirmed`() throws {
        let server = try TestServer { $0.rates = .none }
        let (tokens, thief) = (try server.login(), try server.login(device: "thief"))
        let secret = try server.beginSecondFactor(token: tokens.access)
        #expect(server.call("GET", "/v1/devices", token: thief.access).status == 200)
        let code = server.code(of: secret, at: server.clock.now)
        let confirmed = server.post(
            "/v1/account/totp/confirm", ["code": .string(code)], token: tokens.access)
        #expect(confirmed.status == 200)
        #expect(server.call("GET", "/v1/devices", token: thief.access).status == 401)
        #expect(server.call("GET", "/v1/devices", token: tokens.access).status == 200)
    }

    @Test func `a confirmed second factor cannot be replaced by requests at the same time`() throws
    {
        let server = try TestServer { $0.rates = .none }
        let tokens = try server.login()
        let secret = try server.beginSecondFactor(token: tokens.access)
        let code = server.code(of: secret, at: server.clock.now)
        let bodies: [(String, JSON)] = [
            ("totp/confirm", ["code": .string(code)]), ("totp", ["password": .string(password)]),
            ("totp/confirm", ["code": .string(code)]),
        ]
        let answers = bodies.map { path, body in
            let answered = Answered()
            server.server.respond(
                to: HTTPRequest(
                    method: "POST", path: "/v1/account/\(path)",
                    fields: [
                        HTTPField("Content-Type", "application/json"),
                        HTTPField("Authorization", "Bearer \(tokens.access)"),
                    ], body: Array(body.compact.utf8), peer: "192.0.2.1")
            ) { answered.set($0) }
            return answered
        }
        #expect(answers.map { $0.get().status } == [200, 409, 409])
        #expect(problem(login(server, nil)) == "code_required")
    }

    @Test func `asking for the code counts as no failure`() throws {
        let (server, _, secret, _) = try protected { _ in }
        for _ in 0..<8 { #expect(problem(login(server, nil)) == "code_required") }
        #expect(login(server, server.code(of: secret, at: server.clock.now)).status == 200)
    }

    @Test func `it begins with the password, and is confirmed by the right code alone`() throws {
        let server = try TestServer { $0.rates = .none }
        let tokens = try server.login()
        func confirm(_ code: String) -> HTTPResponse {
            server.post(
                "/v1/account/totp/confirm", ["code": .string(code)], token: tokens.access)
        }
        #expect(problem(confirm("123456")) == "second_factor")
        let wrong = server.post(
            "/v1/account/totp", ["password": "another one of them"], token: tokens.access)
        #expect(problem(wrong) == "wrong_credentials")
        let first = try server.beginSecondFactor(token: tokens.access)
        let second = try server.beginSecondFactor(token: tokens.access)
        for code in [server.code(of: first, at: server.clock.now), "", "12345", "abcdef"] {
            #expect(confirm(code).status >= 400, "\(code)")
        }
        #expect(confirm(server.code(of: second, at: server.clock.now)).status == 200)
        #expect(problem(confirm("123456")) == "second_factor")
        let again = server.post(
            "/v1/account/totp", ["password": .string(password)], token: tokens.access)
        #expect(problem(again) == "second_factor")
    }

    @Test(.onSQLiteAlone)
    func `the file does not hold the secret`() throws {
        let (server, _, secret, _) = try protected()
        var db = try Connection.open(server.path, mode: .readOnly)
        let sealed = try #require(try db.first("SELECT totp FROM account") { $0.bytes(0) })
        #expect(sealed.count == 24 + 20 + 16)
        #expect(!sealed.indices.contains { sealed[$0...].starts(with: secret) })
        #expect(
            try server.administer("user show", ["email": "ana@example.org"])["user"]?[
                "second_factor"] == true)
    }

    @Test(.onSQLiteAlone)
    func `a lost one ends when the operator's code for that is used, and not before`() throws {
        let (server, _, _, recovery) = try protected()
        func make(endsSecondFactor: Bool) throws -> String {
            let made = try server.administer(
                "user reset-code",
                ["email": "ana@example.org", "disables_totp": .bool(endsSecondFactor)])
            #expect(made["user"]?["second_factor"] == true)
            return try #require(made["code"]?.string)
        }
        func reset(_ code: String) -> Int {
            server.post(
                "/v1/auth/reset",
                [
                    "email": "ana@example.org", "code": .string(code),
                    "password": .string(password),
                ]
            ).status
        }
        // The last code made is the only one, with or without the second factor.
        let first = try make(endsSecondFactor: true)
        let second = try make(endsSecondFactor: false)
        #expect(reset(first) == 401 && reset(second) == 204)
        #expect(problem(login(server, nil)) == "code_required")
        let third = try make(endsSecondFactor: true)
        #expect(problem(login(server, nil)) == "code_required")
        #expect(login(server, recovery[0]).status == 200)
        #expect(reset(third) == 204 && reset(third) == 401)
        // A refusal is recorded after its answer, and so perhaps after what follows it.
        server.advance(seconds: 1)
        #expect(login(server, nil).status == 200)
        server.waitForWriter()
        var db = try Connection.open(server.path, mode: .readOnly)
        #expect(try db.first("SELECT count(*) FROM code") { $0.int(0) } == 0)
        let trail = try db.all("SELECT event FROM audit ORDER BY at DESC, place DESC LIMIT 4") {
            $0.text(0)
        }
        #expect(trail == ["login", "reset_failed", "totp_disabled", "password_reset"])
        // Without one there is nothing to end, and nothing to tell.
        server.advance(seconds: 1)
        let plain = try server.administer(
            "user reset-code", ["email": "ana@example.org", "disables_totp": true])
        #expect(reset(try #require(plain["code"]?.string)) == 204)
        #expect(
            try db.first("SELECT count(*) FROM audit WHERE event = 'totp_disabled'") { $0.int(0) }
                == 1)
    }

    @Test func `a password alone opens nothing, though it was asked for before a code was`() throws
    {
        let server = try TestServer { $0.rates = .none }
        let tokens = try server.login()
        let secret = try server.beginSecondFactor(token: tokens.access)
        let code = server.code(of: secret, at: server.clock.now)
        server.beforeNextHash {
            let answer = server.post(
                "/v1/account/totp/confirm", ["code": .string(code)], token: tokens.access)
            #expect(answer.status == 200)
        }
        #expect(problem(login(server, nil)) == "wrong_credentials")
        #expect(problem(login(server, nil)) == "code_required")
    }

    @Test func `with the right password and no code the account's logins are not used up`() throws {
        let (server, _, secret, _) = try protected {
            $0.rates[.loginByNetwork] = nil
        }
        for _ in 0..<40 { #expect(problem(login(server, nil)) == "code_required") }
        #expect(login(server, server.code(of: secret, at: server.clock.now)).status == 200)
        // Each is a password hashed: the network's limit holds.
        let (other, _, _, _) = try protected { _ in }
        let statuses = (0..<30).map { _ in login(other, nil).status }
        #expect(statuses.filter { $0 == 401 }.count == 20 && statuses.last == 429)
    }

    @Test func `an app gets an address that it can read`() throws {
        let server = try TestServer()
        let tokens = try server.login("a+b@example.org")
        let answer = server.post(
            "/v1/account/totp", ["password": .string(password)], token: tokens.access)
        let body = try JSON.parse(answer.body)
        let secret = try #require(body["secret"]?.string)
        #expect(secret.utf8.count == 32)
        #expect(
            body["uri"]?.string
                == "otpauth://totp/Macrolog:a%2Bb%40example.org?secret=\(secret)&issuer=Macrolog")
    }
}
