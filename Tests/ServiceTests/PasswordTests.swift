import MacrologEvents
import MacrologHTTP
import MacrologJSON
import MacrologSQLite
import MacrologCryptography
import MacrologService
import MacrologTestSupport
import Testing

/// Goal: a new password ends what the old one had opened, and codes work once, in time, and for their
/// account alone.
/// Method: sequences of changes and resets, with logins between them.
@Suite(.onBothStores) struct PasswordTests {
    private let other = "seven other words on a line"

    private func change(
        _ server: TestServer, _ token: String, from old: String, to new: String
    ) -> HTTPResponse {
        server.post(
            "/v1/account/password", ["password": .string(old), "new_password": .string(new)],
            token: token)
    }

    private func reset(
        _ server: TestServer, _ email: String, _ code: String, _ password: String
    ) -> HTTPResponse {
        server.post(
            "/v1/auth/reset",
            ["email": .string(email), "code": .string(code), "password": .string(password)])
    }

    private func code(_ server: TestServer, _ email: String) throws -> String {
        try #require(
            server.administer("user reset-code", ["email": .string(email)])["code"]?.string)
    }

    private func isOpen(_ server: TestServer, _ tokens: Tokens) -> Bool {
        server.call("GET", "/v1/devices", token: tokens.access).status == 200
    }

    @Test func `a changed password ends all other sessions, and the old one opens nothing`() throws
    {
        let server = try TestServer()
        let (here, there) = (try server.login(), try server.login(device: "tablet"))
        let ben = try server.login("ben@example.org")
        #expect(change(server, here.access, from: password, to: other).status == 204)
        #expect(isOpen(server, here) && !isOpen(server, there) && isOpen(server, ben))
        let refresh: JSON = ["refresh_token": .string(there.refresh)]
        #expect(server.post("/v1/auth/refresh", refresh).status == 401)
        #expect(server.logIn(password).status == 401)
        #expect(server.logIn(other).status == 200)
        #expect(server.logIn(password, email: "ben@example.org").status == 200)
    }

    @Test func `a wrong or weak password changes nothing, and says which it is`() throws {
        let server = try TestServer()
        let (here, there) = (try server.login(), try server.login(device: "tablet"))
        let wrong = change(server, here.access, from: other, to: other)
        #expect(problem(wrong) == "wrong_credentials")
        for weak in ["short", "password1", "ana@example.org", String(repeating: "x", count: 1_025)]
        {
            let answer = change(server, here.access, from: password, to: weak)
            #expect(try JSON.parse(answer.body)["field"] == "new_password", "\(weak)")
        }
        #expect(isOpen(server, there) && server.logIn(password).status == 200)
    }

    @Test func `guessing the password with a stolen session is limited`() throws {
        let server = try TestServer()
        let tokens = try server.login()
        let answers = (0..<8).map { _ in change(server, tokens.access, from: "x", to: other) }
        #expect(answers.filter { $0.status == 401 }.count == 5)
        #expect(answers.last?.status == 429)
        // The session itself stays.
        #expect(isOpen(server, tokens))
    }

    @Test func `a reset code works once, for half an hour, for its account, and ends all sessions`()
        throws
    {
        let server = try TestServer { $0.rates = .none }
        let tokens = try server.login()
        let ben = try server.login("ben@example.org")
        let first = try code(server, "ana@example.org")
        #expect(problem(reset(server, "ben@example.org", first, other)) == "wrong_code")
        #expect(problem(reset(server, "noone@example.org", first, other)) == "wrong_code")
        // A newer one takes its place.
        let second = try code(server, "ana@example.org")
        #expect(problem(reset(server, "ana@example.org", first, other)) == "wrong_code")
        server.advance(seconds: 1_800)
        #expect(problem(reset(server, "ana@example.org", second, other)) == "wrong_code")
        let third = try code(server, "ana@example.org")
        server.advance(seconds: 1_799)
        // A weak password does not use it up.
        #expect(problem(reset(server, "ana@example.org", third, "password1")) == "invalid_field")
        #expect(isOpen(server, tokens))
        #expect(reset(server, "ana@example.org", third, other).status == 204)
        #expect(!isOpen(server, tokens) && isOpen(server, ben))
        #expect(problem(reset(server, "ana@example.org", third, password)) == "wrong_code")
        #expect(server.logIn(password).status == 401 && server.logIn(other).status == 200)
    }

    @Test func `guessing reset codes is limited, also for addresses without an account`() throws {
        for email in ["ana@example.org", "noone@example.org"] {
            let server = try TestServer()
            _ = try server.login()
            _ = try code(server, "ana@example.org")
            let answers = (0..<8).map { _ in reset(server, email, "ABCD-EFGH-IJKL-MNOP", other) }
            #expect(answers.map(\.status) == [401, 401, 401, 401, 401, 429, 429, 429], "\(email)")
            #expect(
                server.logIn(password, email: "ana@example.org").status
                    == (email.first == "a" ? 429 : 200))
        }
    }

    @Test(.onSQLiteAlone)
    func `the file holds no code that could be used`() throws {
        let server = try TestServer()
        _ = try server.login()
        let code = try code(server, "ana@example.org")
        let bytes = try #require(Base32.decode(code))
        var db = try Connection.open(server.path, mode: .readOnly)
        let digests = try db.all("SELECT digest FROM code") { $0.bytes(0) }
        #expect(digests.count == 1 && !digests.contains(bytes) && digests != [blake2b(bytes)])
    }

    @Test(.onSQLiteAlone)
    func `a hash of an earlier system is verified, and is one of ours after the first login`()
        throws
    {
        let server = try TestServer { $0.registration = .closed }
        // Of "U*U" at cost 5, from the test suite of crypt_blowfish.
        let hash = "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"
        _ = try server.administer(
            "user add", ["email": "ana@example.org", "bcrypt_hash": .string(hash)])
        func stored() throws -> String {
            var db = try Connection.open(server.path, mode: .readOnly)
            return try db.first("SELECT password FROM account") { $0.text(0) } ?? ""
        }
        #expect(server.logIn("U*V").status == 401)
        #expect(try stored() == hash)
        #expect(server.logIn("U*U").status == 200)
        server.waitForWriter()
        #expect(try stored().hasPrefix("$argon2id$"))
        #expect(server.logIn("U*U").status == 200 && server.logIn("U*V").status == 401)
    }

    @Test func `two logins at once with the hash of an earlier system both succeed`() throws {
        let server = try TestServer { $0.registration = .closed }
        let hash = "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"
        _ = try server.administer(
            "user add", ["email": "ana@example.org", "bcrypt_hash": .string(hash)])
        server.beforeNextHash { #expect(server.logIn("U*U").status == 200) }
        #expect(server.logIn("U*U").status == 200)
        server.beforeNextHash { #expect(server.logIn("U*V").status == 401) }
        #expect(server.logIn("U*V").status == 401)
    }

    @Test func `with hashes of an earlier system every check does the same work`() throws {
        let folder = ScratchFolder()
        let hash = "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"
        func work(_ server: TestServer, _ email: String) -> Int {
            let before = server.server.hashes
            let body: JSON = ["email": .string(email), "password": "U*V", "device": "phone"]
            #expect(server.post("/v1/auth/login", body).status == 401)
            return server.server.hashes - before
        }
        let emails = ["old@example.org", "new@example.org", "none@example.org"]
        do {
            let server = try TestServer(folder: folder) { $0.rates = .none }
            _ = try server.login("new@example.org")
            #expect(emails.map { work(server, $0) } == [1, 1, 1])
            _ = try server.administer(
                "user add", ["email": "old@example.org", "bcrypt_hash": .string(hash)])
            #expect(emails.map { work(server, $0) } == [2, 2, 2])
            server.server.close()
        }
        let again = try TestServer(folder: folder) { $0.rates = .none }
        #expect(emails.map { work(again, $0) } == [2, 2, 2])
    }

    @Test func `a new password ends a reset code that was made before`() throws {
        let server = try TestServer { $0.rates = .none }
        let tokens = try server.login()
        let code = try code(server, "ana@example.org")
        #expect(change(server, tokens.access, from: password, to: other).status == 204)
        #expect(problem(reset(server, "ana@example.org", code, password)) == "wrong_code")
        #expect(server.logIn(other).status == 200)
    }

    @Test(.onSQLiteAlone)
    func `exports and wrong logins push nothing else out of a full audit trail`() throws {
        let server = try TestServer { $0.rates = .none }
        let tokens = try server.login()
        var db = try Connection.open(server.path)
        try db.run(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 998)
            INSERT INTO audit (space, at, event) SELECT 1, 1, 'exported' FROM n
            """)
        for _ in 0..<20 {
            #expect(server.call("GET", "/v1/account/export", token: tokens.access).status == 200)
        }
        #expect(server.logIn("another one of them").status == 401)
        server.waitForWriter()
        let kept = try db.all("SELECT event, count(*) FROM audit GROUP BY event ORDER BY event") {
            "\($0.text(0)) \($0.int(1))"
        }
        // The trail is full: what is older goes, and of exports the oldest ones.
        #expect(kept == ["exported 998", "login 1", "registered 1"])
    }

    // Changes in flight.

    /// Changes that an old password allowed, and what they answer.
    enum Stale: CaseIterable {
        case login, password, beginTOTP, delete
    }

    @Test(.onSQLiteAlone, arguments: Stale.allCases)
    func `what an old password allows is refused once it was reset`(stale: Stale) throws {
        let server = try TestServer { $0.rates = .none }
        let tokens = try server.login()
        let code = try code(server, "ana@example.org")
        server.beforeNextHash { [self] in
            #expect(reset(server, "ana@example.org", code, other).status == 204)
        }
        let answer =
            switch stale {
            case .login: server.logIn(password)
            case .password:
                change(server, tokens.access, from: password, to: "an attacker's new password")
            case .beginTOTP:
                server.post(
                    "/v1/account/totp", ["password": .string(password)], token: tokens.access)
            case .delete:
                server.post(
                    "/v1/account/delete", ["password": .string(password)], token: tokens.access)
            }
        #expect(problem(answer) == "wrong_credentials")
        #expect(server.logIn(password).status == 401)
        server.waitForWriter()
        var db = try Connection.open(server.path, mode: .readOnly)
        let open = try db.first(
            """
            SELECT (SELECT count(*) FROM session WHERE revoked IS NULL),
            (SELECT count(*) FROM account WHERE deleted IS NULL AND totp IS NULL)
            """
        ) { [$0.int(0), $0.int(1)] }
        #expect(open == [0, 1])
        // Written after the answer, whose time must not tell that there is an account.
        let areNoted = eventually {
            var db = try? Connection.open(server.path, mode: .readOnly)
            let failed = try? db?.first(
                "SELECT count(*) FROM audit WHERE event = 'login_failed'"
            ) { $0.int(0) }
            return failed == 2
        }
        #expect(areNoted)
        #expect(server.logIn(other).status == 200)
    }

    @Test func `the hash of an earlier system does not come back after a reset`() throws {
        let server = try TestServer { $0.registration = .closed }
        let hash = "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"
        _ = try server.administer(
            "user add", ["email": "ana@example.org", "bcrypt_hash": .string(hash)])
        let code = try code(server, "ana@example.org")
        server.beforeNextHash { [self] in
            #expect(reset(server, "ana@example.org", code, other).status == 204)
        }
        #expect(problem(server.logIn("U*U")) == "wrong_credentials")
        #expect(server.logIn("U*U").status == 401 && server.logIn(other).status == 200)
    }

    @Test func `a change that was not decided counts for nothing`() throws {
        let server = try TestServer()
        let tokens = try server.login()
        let code = try code(server, "ana@example.org")
        // Longer than hashing lets anyone wait.
        for _ in 0..<40 {
            server.whileNextHashWaits { server.advance(seconds: 3) }
            #expect(problem(reset(server, "ana@example.org", code, other)) == "busy")
        }
        for _ in 0..<40 {
            server.whileNextHashWaits { server.advance(seconds: 3) }
            #expect(problem(change(server, tokens.access, from: password, to: other)) == "busy")
        }
        #expect(change(server, tokens.access, from: password, to: other).status == 204)
    }

    // The audit trail.

    @Test func `the audit trail tells its owner what happened, from where, and nothing to others`()
        throws
    {
        let server = try TestServer { $0.rates = .none }
        let tokens = try server.login()
        let ben = try server.login("ben@example.org")
        func events(_ tokens: Tokens) throws -> [JSON] {
            let answer = server.call("GET", "/v1/account/audit", token: tokens.access)
            return try #require(try JSON.parse(answer.body)["entries"]?.array)
        }
        // A refusal is answered before it is recorded.
        func isLast(_ event: String) throws -> Bool {
            try eventually { try events(tokens).first?["event"]?.string == event }
        }
        _ = server.logIn("x")
        #expect(try isLast("login_failed"))
        _ = change(server, tokens.access, from: password, to: other)
        _ = server.call("GET", "/v1/account/export", token: tokens.access)
        let code = try code(server, "ana@example.org")
        _ = reset(server, "ana@example.org", "ABCD-EFGH-IJKL-MNOP", password)
        #expect(try isLast("reset_failed"))
        _ = reset(server, "ana@example.org", code, password)
        let again = try server.login()
        server.waitForWriter()
        let entries = try events(again)
        #expect(
            entries.compactMap { $0["event"]?.string } == [
                "login", "password_reset", "reset_failed", "reset_code_made", "exported",
                "password_changed", "login_failed", "login", "registered",
            ])
        #expect(entries[0]["network"] == "192.0.2.0/24" && entries[0]["device"] == "phone")
        #expect(entries[0]["at"] == .integer(server.clock.now))
        #expect(entries[3]["network"] == .null && entries[3]["device"] == .null)
        #expect(try events(ben).count == 2)
    }

    @Test func `the audit trail is in the order of what happened, not of when it was recorded`()
        throws
    {
        let server = try TestServer { $0.rates = .none }
        let tokens = try server.login()
        // A refusal is recorded after its answer: what follows may be recorded before it, as here.
        server.advance(seconds: 2)
        _ = server.call("GET", "/v1/account/export", token: tokens.access)
        server.advance(seconds: -1)
        _ = try code(server, "ana@example.org")
        server.waitForWriter()
        let answer = server.call("GET", "/v1/account/audit", token: tokens.access)
        let entries = try #require(try JSON.parse(answer.body)["entries"]?.array)
        #expect(
            entries.compactMap { $0["event"]?.string }
                == ["exported", "reset_code_made", "login", "registered"])
    }

    @Test(.onSQLiteAlone)
    func `an audit trail keeps the latest thousand entries of each account`() throws {
        let server = try TestServer { $0.rates = .none }
        let tokens = try server.login()
        _ = try server.login("ben@example.org")
        for _ in 0..<1_010 {
            _ = server.call("GET", "/v1/account/export", token: tokens.access)
        }
        server.waitForWriter()
        var db = try Connection.open(server.path, mode: .readOnly)
        let counts = try db.all("SELECT count(*) FROM audit GROUP BY space") { $0.int(0) }
        #expect(counts == [1_000, 2])
    }

    @Test func `guessing does not push out of the trail what happened`() throws {
        let server = try TestServer { $0.rates = .none }
        let tokens = try server.login()
        for _ in 0..<1_010 { _ = server.logIn("x") }
        server.waitForWriter()
        let answer = server.call("GET", "/v1/account/audit", token: tokens.access)
        let entries = try JSON.parse(answer.body)["entries"]?.array ?? []
        #expect(entries.count == 1_000)
        #expect(entries.suffix(2).compactMap { $0["event"]?.string } == ["login", "registered"])
    }
}
