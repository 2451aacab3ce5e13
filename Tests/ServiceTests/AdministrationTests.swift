import MacrologEvents
import MacrologWire
import MacrologHTTP
import MacrologJSON
import MacrologSQLite
import MacrologService
import MacrologTestSupport
import Testing

/// Goal: what an operator asks is done at once, for sessions and polls too, and a wrong request changes
/// nothing and says what to do.
/// Method: the requests that the operator's program sends, beside requests of people.
@Suite(.onBothStores) struct AdministrationTests {
    private let ana: JSON = ["email": "ana@example.org"]

    /// Why a request was refused.
    private func refusal(
        _ server: TestServer, _ verb: String, _ members: JSON
    ) -> Administration.Refusal? {
        do { _ = try server.administer(verb, members) } catch {
            return error as? Administration.Refusal
        }
        return nil
    }

    @Test func `an account that is added without a password gets its first one by a code, once`()
        throws
    {
        let server = try TestServer { $0.registration = .closed }
        let added = try server.administer("user add", ana)
        #expect(added["user"]?["password_set"] == false)
        let code = try #require(added["code"]?.string)
        let login: JSON = [
            "email": "ana@example.org", "password": .string(password), "device": "phone",
        ]
        #expect(server.post("/v1/auth/login", login).status == 401)
        let reset: JSON = [
            "email": "ana@example.org", "password": .string(password),
            "code": .string(code.lowercased().replacing("-", with: " ")),
        ]
        #expect(server.post("/v1/auth/reset", reset).status == 204)
        #expect(server.post("/v1/auth/login", login).status == 200)
        #expect(problem(server.post("/v1/auth/reset", reset)) == "wrong_code")
        let shown = try server.administer("user show", ana)
        #expect(shown["user"]?["password_set"] == true && shown["user"]?["session_count"] == 1)
    }

    @Test func `a disabled account is refused on every route at once, and keeps everything`() throws
    {
        let server = try TestServer { $0.rates = .none }
        let account = try ServedAccount(server)
        let poll = HTTPRequest(
            method: "GET", path: "/v1/events", query: "after=2&wait=50",
            fields: [HTTPField("Authorization", "Bearer \(account.tokens.access)")])
        let held = Answered()
        server.server.respond(to: poll) { held.set($0) }
        #expect(held.peek == nil)
        // The other session is in no one's memory.
        let disabled = try server.administer("user disable", ana)
        #expect(disabled["ended_count"] == 2)
        // With the answer to the operator, not with the end of the poll.
        let ended = try #require(held.peek)
        #expect(ended.status == 403 && problem(ended) == "account_disabled")
        for route in Routes.all where route.right != .anyone {
            for token in [account.tokens.access, account.other.access] {
                for request in try account.requests(route, token: token) {
                    let answer = server.send(request)
                    let what = "\(route.name): \(answer.status)"
                    #expect(problem(answer) == "account_disabled", "\(what)")
                    #expect(answer.field("retry-after") == "3600", "\(what)")
                }
            }
        }
        let login: JSON = [
            "email": "ana@example.org", "password": .string(password), "device": "phone",
        ]
        #expect(problem(server.post("/v1/auth/login", login)) == "account_disabled")
        let wrong: JSON = [
            "email": "ana@example.org", "password": "another one of them", "device": "phone",
        ]
        #expect(problem(server.post("/v1/auth/login", wrong)) == "wrong_credentials")
        _ = try server.administer("user enable", ana)
        // The sessions stay ended, the log is there.
        #expect(
            problem(server.call("GET", "/v1/devices", token: account.tokens.access))
                == "unauthorized")
        let tokens = try server.login(device: "again")
        var phone = TestDevice(7)
        #expect(try phone.fold(server.sync(phone.request, token: tokens.access)).head == 2)
    }

    @Test func `an account that is disabled twice is so in the audit trail once`() throws {
        let server = try TestServer { $0.rates = .none }
        _ = try server.login()
        func events() throws -> [String?] {
            let audit = try server.administer("user audit", ana)["audit"]?.array ?? []
            return audit.map { $0["event"]?.string }.reversed()
        }
        let before = try events()
        _ = try server.administer("user enable", ana)
        let first = try server.administer("user disable", ana)["user"]?["disabled_at"]
        server.advance(seconds: 60)
        let again = try server.administer("user disable", ana)
        #expect(first?.string != nil && again["user"]?["disabled_at"] == first, "\(again.compact)")
        for _ in 0..<2 { _ = try server.administer("user enable", ana) }
        let all: JSON = ["email": "ana@example.org", "ends_all": true]
        _ = try server.administer("user sessions", all)
        #expect(try events() == before + ["disabled", "enabled"])
        #expect(try server.administer("user show", ana)["user"]?["disabled_at"] == .null)
    }

    @Test func `sessions are ended one by one or all, and only those of the account`() throws {
        let server = try TestServer { $0.rates = .none }
        let (phone, tablet) = (try server.login(), try server.login(device: "tablet"))
        let ben = try server.login("ben@example.org")
        let wrong = refusal(
            server, "user sessions", ["email": "ana@example.org", "end": .string(ben.session)])
        #expect(wrong?.kind == .missing)
        let listed = try server.administer(
            "user sessions", ["email": "ana@example.org", "end": .string(phone.session)])
        #expect(listed["ended"]?.array?.count == 1 && listed["sessions"]?.array?.count == 1)
        #expect(server.call("GET", "/v1/devices", token: phone.access).status == 401)
        #expect(server.call("GET", "/v1/devices", token: tablet.access).status == 200)
        _ = try server.administer("user sessions", ["email": "ana@example.org", "ends_all": true])
        #expect(server.call("GET", "/v1/devices", token: tablet.access).status == 401)
        #expect(server.call("GET", "/v1/devices", token: ben.access).status == 200)
    }

    @Test func `usage counts events, photos and devices, beside the quotas`() throws {
        let server = try TestServer {
            $0.rates = .none
            $0.eventQuota = 77
        }
        _ = try ServedAccount(server)
        _ = try server.login("ben@example.org")
        let all = try server.administer("user usage")
        #expect(all["quotas"]?["event_count"] == 77)
        let usage = try #require(all["usage"]?.array)
        #expect(usage.compactMap { $0["email"]?.string } == ["ana@example.org", "ben@example.org"])
        #expect(usage[0]["event_count"] == 2 && usage[0]["blob_count"] == 1)
        #expect(usage[0]["blob_bytes"] == .integer(Int64(ServedAccount.blob.count)))
        #expect(usage[1]["event_count"] == 0 && usage[1]["session_count"] == 1)
        let one = try server.administer("user usage", ["email": "ben@example.org"])
        #expect(one["usage"]?.array?.count == 1)
    }

    @Test func `what is wrong is refused with what to do, and changes nothing`() throws {
        let server = try TestServer()
        _ = try server.login()
        let before = try server.administer("user list")
        let wrong: [(String, JSON, Administration.Refusal.Kind)] = [
            ("user show", ["email": "ben@example.org"], .missing),
            ("user show", ["email": "no address"], .invalid), ("user show", [:], .invalid),
            ("user add", ana, .taken), ("user add", ["email": "x"], .invalid),
            ("user add", ["email": "b@example.org", "password": "12345678"], .invalid),
            ("user add", ["email": "b@example.org", "bcrypt_hash": "$2b$12$x"], .invalid),
            ("user disable", ["email": "ben@example.org"], .missing),
            ("user delete", ["email": "ben@example.org"], .missing),
            ("user reset-code", ["email": "ben@example.org"], .missing),
            ("user sessions", ["email": "ana@example.org", "end": "x"], .missing),
            ("invite revoke", ["number": 9], .missing),
            ("invite create", ["uses": 0, "days": 7], .invalid),
            ("invite create", [:], .invalid), ("user fly", [:], .otherVersion),
        ]
        for (verb, members, kind) in wrong {
            let refused = refusal(server, verb, members)
            #expect(refused?.kind == kind, "\(verb) \(members.compact)")
            #expect((refused?.sentence.utf8.count ?? 0) > 10)
        }
        #expect(try server.administer("user list") == before)
        #expect(try server.administer("invite list")["invitations"] == [])
        for line in ["", "{", "[]", "{\"verb\":7}", "{\"verb\":\"user list\"}"] {
            let answer = try JSON.parse(server.server.administer(Array(line.utf8)))
            #expect(answer["refused"] != nil && answer["version"]?.string == "0.1.0", "\(line)")
        }
    }

    @Test func `a program of another version is refused by either side`() throws {
        let server = try TestServer()
        let answer = server.server.administer(
            Array(#"{"version":"0.0.9","verb":"user list"}"#.utf8))
        #expect(try JSON.parse(answer)["refused"]?.string == "other_version")
        #expect(throws: Administration.Refusal.self) {
            try Administration.result(of: Array(#"{"version":"0.0.9","result":{}}"#.utf8))
        }
        #expect(throws: Administration.Refusal.self) {
            try Administration.result(of: Array("nonsense".utf8))
        }
    }

    // Invitations.

    private func register(_ server: TestServer, _ email: String, _ code: String?) -> HTTPResponse {
        var members = [
            JSON.Member("email", .string(email)), JSON.Member("password", .string(password)),
        ]
        if let code { members.append(JSON.Member("invitation", .string(code))) }
        return server.post("/v1/auth/register", .object(members))
    }

    @Test(.onSQLiteAlone)
    func `an invitation that is null is none`() throws {
        for (registration, expected) in [(Registration.open, 202), (Registration.invite, 403)] {
            let server = try TestServer { $0.registration = registration }
            let body: JSON = [
                "email": "a@example.org", "password": .string(password), "invitation": .null,
            ]
            #expect(server.post("/v1/auth/register", body).status == expected)
        }
    }

    @Test(.onSQLiteAlone)
    func `an invitation is for as many accounts as it says, until it ends or is withdrawn`()
        throws
    {
        let server = try TestServer {
            $0.registration = .invite
            $0.rates[.registerByNetwork] = Rate(burst: 0, interval: 3_600_000)
        }
        #expect(problem(register(server, "a@example.org", nil)) == "invitation")
        #expect(problem(register(server, "a@example.org", "ABCD-EFGH-IJKL-MNOP")) == "invitation")
        func invited(_ uses: Int64, _ days: Int64) throws -> (number: JSON, code: String) {
            let made = try server.administer(
                "invite create", ["uses": .integer(uses), "days": .integer(days)])["invitation"]
            return (made?["number"] ?? .null, try #require(made?["code"]?.string))
        }
        // The rate of registrations does not count: the operator has decided.
        let two = try invited(2, 7)
        #expect(register(server, "a@example.org", two.code).status == 202)
        #expect(register(server, "b@example.org", two.code.lowercased()).status == 202)
        #expect(problem(register(server, "c@example.org", two.code)) == "invitation")
        // A known address uses it up, too: nothing tells that it is known.
        let one = try invited(1, 7)
        #expect(register(server, "a@example.org", one.code).status == 202)
        #expect(problem(register(server, "c@example.org", one.code)) == "invitation")
        let old = try invited(1, 1)
        server.advance(seconds: 86_401)
        #expect(problem(register(server, "c@example.org", old.code)) == "invitation")
        let withdrawn = try invited(1, 7)
        _ = try server.administer("invite revoke", ["number": withdrawn.number])
        #expect(problem(register(server, "c@example.org", withdrawn.code)) == "invitation")
        #expect(try server.administer("invite list")["invitations"] == [])
        #expect(try server.administer("user list")["users"]?.array?.count == 2)
        // The file holds no code.
        for code in [two.code, one.code] {
            var db = try Connection.open(server.path, mode: .readOnly)
            let all = try db.all("SELECT hex(digest) FROM invitation") { $0.text(0) }
            #expect(!all.contains { $0.contains(code) })
        }
    }

    @Test func `one invitation asked for at once makes one account`() throws {
        let server = try TestServer { $0.registration = .invite }
        let made = try server.administer("invite create", ["uses": 1, "days": 1])["invitation"]
        let code = try #require(made?["code"]?.string)
        let answers = (0..<4).map { number in
            let body: JSON = [
                "email": .string("a\(number)@example.org"), "password": .string(password),
                "invitation": .string(code),
            ]
            let answered = Answered()
            server.server.respond(
                to: HTTPRequest(
                    method: "POST", path: "/v1/auth/register",
                    fields: [HTTPField("Content-Type", "application/json")],
                    body: Array(body.compact.utf8), peer: "192.0.2.1")
            ) { answered.set($0) }
            return answered
        }
        #expect(answers.map { $0.get().status }.sorted() == [202, 403, 403, 403])
        #expect(try server.administer("user list")["users"]?.array?.count == 1)
    }

    @Test
    func `fifty people of one address come in with one invitation, at the rates of every server`()
        throws
    {
        let server = try TestServer {
            $0.registration = .invite
            $0.rates = RateLimits()
        }
        let made = try server.administer("invite create", ["uses": 50, "days": 1])["invitation"]
        let code = try #require(made?["code"]?.string)
        for number in 1...50 {
            let email = "p\(number)@example.org"
            #expect(register(server, email, code).status == 202, "\(number)")
            let login: JSON = [
                "email": .string(email), "password": .string(password), "device": "phone",
            ]
            #expect(server.post("/v1/auth/login", login).status == 200, "\(number)")
        }
        #expect(problem(register(server, "p51@example.org", code)) == "invitation")
        #expect(try server.administer("user list")["users"]?.array?.count == 50)
    }

    @Test func `a closed server takes no one, and an open one everyone but who has a wrong code`()
        throws
    {
        let closed = try TestServer { $0.registration = .closed }
        let made = try closed.administer("invite create", ["uses": 1, "days": 1])["invitation"]
        for code in [nil, made?["code"]?.string] {
            #expect(problem(register(closed, "a@example.org", code)) == "registration_closed")
        }
        let open = try TestServer()
        #expect(register(open, "a@example.org", nil).status == 202)
        #expect(problem(register(open, "b@example.org", "nonsense")) == "invitation")
        #expect(try open.administer("user list")["users"]?.array?.count == 1)
    }

    @Test func `guessing invitations is limited like guessing passwords`() throws {
        let server = try TestServer { $0.registration = .invite }
        let answers = (0..<25).map { _ in register(server, "a@example.org", "ABCD-EFGH-IJKL-MNOP") }
        #expect(answers.filter { $0.status == 403 }.count == 20)
        #expect(answers.last?.status == 429)
    }
}
