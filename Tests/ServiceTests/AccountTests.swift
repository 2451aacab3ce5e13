import MacrologHTTP
import MacrologJSON
import MacrologCryptography
import MacrologService
import MacrologTestSupport
import Synchronization
import Testing

/// Goal: a password opens one account, and nothing tells a stranger which accounts there are.
/// Method: the service called as a function, with a clock that the test moves.
@Suite(.onBothStores) struct AccountTests {
    private let right: JSON = [
        "email": "ana@example.org", "password": .string(password), "device": "phone",
    ]
    private let wrong: JSON = [
        "email": "ana@example.org", "password": "another password", "device": "phone",
    ]

    @Test func `registering answers the same whether or not the address is known`() throws {
        let server = try TestServer()
        let first = server.post("/v1/auth/register", right)
        let second = server.post(
            "/v1/auth/register", ["email": "ANA@Example.ORG", "password": "a quite different one"])
        #expect(first.status == 202 && second.status == 202 && first.body == second.body)
        // The second one changed nothing.
        #expect(server.post("/v1/auth/login", right).status == 200)
        let other: JSON = [
            "email": "ana@example.org", "password": "a quite different one", "device": "x",
        ]
        #expect(server.post("/v1/auth/login", other).status == 401)
    }

    @Test func `a wrong password and an unknown address get the same answer and cost a hash each`()
        throws
    {
        let server = try TestServer()
        _ = try server.login()
        let before = server.server.hashes
        let known = server.post("/v1/auth/login", wrong)
        let unknown = server.post(
            "/v1/auth/login",
            ["email": "unknown@example.org", "password": "another password", "device": "x"])
        #expect(known.status == 401 && unknown.status == 401 && known.body == unknown.body)
        #expect(server.server.hashes == before + 2)
    }

    @Test func `of fifty wrong logins at once from one network exactly five are hashed`() throws {
        let server = try TestServer()
        _ = try server.login()
        let before = server.server.hashes
        let answers = (0..<50).map { _ in
            let answered = Answered()
            server.server.respond(
                to: HTTPRequest(
                    method: "POST", path: "/v1/auth/login",
                    fields: [HTTPField("content-type", "application/json")],
                    body: Array(wrong.compact.utf8), peer: "198.51.100.7")
            ) { answered.set($0) }
            return answered
        }
        let statuses = answers.map { $0.get().status }
        #expect(server.server.hashes == before + 5)
        #expect(statuses.filter { $0 == 401 }.count == 5)
        #expect(statuses.filter { $0 == 429 }.count == 45)
    }

    @Test func `failed logins run out, come back with time, and never end a session`() throws {
        let server = try TestServer()
        let token = try server.login().access
        for _ in 0..<5 { #expect(server.post("/v1/auth/login", wrong).status == 401) }
        let refused = server.post("/v1/auth/login", right)
        #expect(refused.status == 429 && refused.field("retry-after") == "180")
        #expect(server.call("GET", "/v1/devices", token: token).status == 200)
        server.advance(seconds: 179)
        #expect(server.post("/v1/auth/login", right).status == 429)
        server.advance(seconds: 1)
        #expect(server.post("/v1/auth/login", wrong).status == 401)
        #expect(server.post("/v1/auth/login", right).status == 429)
        server.advance(seconds: 180)
        // Success gives the attempt back, so that many of them pass.
        for _ in 0..<25 { #expect(server.post("/v1/auth/login", right).status == 200) }
    }

    @Test func `one network has twenty failures whatever addresses it tries`() throws {
        let server = try TestServer()
        for index in 0..<20 {
            let body: JSON = [
                "email": .string("p\(index)@example.org"), "password": "another password",
                "device": "x",
            ]
            #expect(server.post("/v1/auth/login", body, peer: "2001:db8::\(index)").status == 401)
        }
        let body: JSON = [
            "email": "p99@example.org", "password": "another password", "device": "x",
        ]
        #expect(server.post("/v1/auth/login", body, peer: "2001:db8::ffff:1").status == 429)
        #expect(server.post("/v1/auth/login", body, peer: "2001:db8:0:1::1").status == 401)
    }

    @Test func `the address of a trusted proxy's client counts, and no one else's word for it`()
        throws
    {
        let server = try TestServer { settings in
            settings.rates[.registerByNetwork] = Rate(burst: 1, interval: 1_000_000)
            settings.proxies = ["127.0.0.1"]
        }
        func register(_ name: String, peer: String, forwarded: String) -> Int {
            let body: JSON = [
                "email": .string("\(name)@example.org"), "password": .string(password),
            ]
            return server.send(
                HTTPRequest(
                    method: "POST", path: "/v1/auth/register",
                    fields: [
                        HTTPField("content-type", "application/json"),
                        HTTPField("x-forwarded-for", forwarded),
                    ], body: Array(body.compact.utf8), peer: peer)
            ).status
        }
        #expect(register("a", peer: "127.0.0.1", forwarded: "1.1.1.1, 192.0.2.1") == 202)
        #expect(register("b", peer: "127.0.0.1", forwarded: "2.2.2.2, 192.0.2.1") == 429)
        #expect(register("c", peer: "127.0.0.1", forwarded: "192.0.2.2") == 202)
        #expect(register("d", peer: "192.0.2.9", forwarded: "192.0.2.3") == 202)
        #expect(register("e", peer: "192.0.2.9", forwarded: "192.0.2.4") == 429)
        // With a port it is the same address; what is no address is not believed.
        #expect(register("f", peer: "127.0.0.1", forwarded: "192.0.2.1:5001") == 429)
        #expect(register("g", peer: "127.0.0.1", forwarded: "192.0.2.1:5002") == 429)
        #expect(register("h", peer: "127.0.0.1", forwarded: "[2001:db8::1]:5001") == 202)
        #expect(register("i", peer: "127.0.0.1", forwarded: "[2001:db8::1]:5002") == 429)
        #expect(register("j", peer: "127.0.0.1", forwarded: "[2001:db8::1]") == 429)
        #expect(register("k", peer: "127.0.0.1", forwarded: "2001:db8::2") == 429)
        #expect(register("l", peer: "127.0.0.1", forwarded: "unknown") == 202)
        for stranger in [
            "_hidden", "", "192.0.2.77:", "192.0.2.78:x", "192.0.2.79:1234567", "[::1", "[]:1",
            "192.0.2.500", ":80", "localhost:80", "[192.0.2.80]:x", "192.0.2.81 :80:80",
        ] {
            let status = register("m", peer: "127.0.0.1", forwarded: stranger)
            #expect(status == 429, "\(stranger)")
        }
    }

    @Test func `registrations of one network are limited to three an hour`() throws {
        let server = try TestServer { $0.rates = RateLimits() }
        for index in 0..<4 {
            let body: JSON = [
                "email": .string("p\(index)@example.org"), "password": .string(password),
            ]
            #expect(server.post("/v1/auth/register", body).status == (index < 3 ? 202 : 429))
        }
        server.advance(seconds: 1_200)
        #expect(server.post("/v1/auth/register", right).status == 202)
    }

    @Test(arguments: [
        "", "ana", "@", "ana@", "@example.org", "a@b@c", "ana@exa mple.org", "ana@example.org.",
        "ana@.org", "ana@-a.org", ".ana@example.org", "an..a@example.org", "mıke@example.org",
        "ana@exämple.org", "\u{212A}@example.org", "ana\u{0}@example.org", "ana@example.org\n",
        String(repeating: "a", count: 65) + "@example.org",
        "a@" + String(repeating: "a.", count: 130) + "org",
    ])
    func `what is no address is refused`(email: String) throws {
        let server = try TestServer()
        let answer = server.post(
            "/v1/auth/register", ["email": .string(email), "password": .string(password)])
        #expect(answer.status == 400)
        #expect(try JSON.parse(answer.body)["field"]?.string == "email")
    }

    @Test(arguments: [
        "short", "password", "Password123!", "12345678", "abcdefgh", "aaaaaaaa", "abababab",
        "macrolog2026", "qwertyuiop", "p@ssw0rd", "ana.maria@example.org", "ana.maria",
        String(repeating: "x", count: 1025),
    ])
    func `a password that is too short, too long or everybody's first guess is refused`(
        word: String
    ) throws {
        let server = try TestServer()
        let answer = server.post(
            "/v1/auth/register",
            ["email": "ana.maria@example.org", "password": .string(word)])
        #expect(answer.status == 400 && server.server.hashes == 0)
        #expect(try JSON.parse(answer.body)["field"]?.string == "password")
    }

    @Test(arguments: [
        "correct horse battery staple", "8 chars!", "ünïcödé ist gut", "k\u{0}q\u{0}v\u{0}w7",
        "7391 4820 1123", String(repeating: "long ", count: 200),
    ])
    func `any other password is accepted byte for byte`(word: String) throws {
        let server = try TestServer()
        let body: JSON = [
            "email": "ana@example.org", "password": .string(word), "device": "phone",
        ]
        #expect(server.post("/v1/auth/register", body).status == 202)
        #expect(server.post("/v1/auth/login", body).status == 200)
        let other: JSON = [
            "email": "ana@example.org", "password": .string(word + "x"), "device": "phone",
        ]
        #expect(server.post("/v1/auth/login", other).status == 401)
    }

    @Test func `a password hashed at another cost is hashed again at the next login`() throws {
        let folder = ScratchFolder()
        do {
            let server = try TestServer(folder: folder)
            _ = try server.login()
        }
        let server = try TestServer(folder: folder) {
            $0.passwordCost = PasswordCost(operations: 2, memoryBytes: 8_192)
        }
        #expect(server.post("/v1/auth/login", right).status == 200)
        #expect(server.server.hashes == 1)
        #expect(server.post("/v1/auth/login", right).status == 200)
    }

    @Test func `when too many hashes wait the rest are asked to come back`() throws {
        let server = try TestServer { settings in
            settings.passwordCost = PasswordCost(operations: 3, memoryBytes: 32 << 20)
        }
        let answers = (0..<40).map { index in
            let answered = Answered()
            let body: JSON = [
                "email": .string("p\(index)@example.org"), "password": .string(password),
            ]
            server.server.respond(
                to: HTTPRequest(
                    method: "POST", path: "/v1/auth/register",
                    fields: [HTTPField("content-type", "application/json")],
                    body: Array(body.compact.utf8), peer: "198.51.100.\(index)")
            ) { answered.set($0) }
            return answered
        }
        let responses = answers.map { $0.get() }
        let refused = responses.filter { $0.status == 503 }
        #expect(refused.count >= 20)
        #expect(refused.allSatisfy { $0.field("retry-after") == "5" })
        #expect(responses.contains { $0.status == 202 })
    }

    @Test func `bodies that are not a JSON object of the right fields are refused`() throws {
        let server = try TestServer()
        for body in ["", "[]", "{", #"{"email":1}"#, #"{"email":"a@b.c","email":"a@b.c"}"#, "null"]
        {
            let answer = server.send(
                HTTPRequest(
                    method: "POST", path: "/v1/auth/login",
                    fields: [HTTPField("content-type", "application/json")],
                    body: Array(body.utf8)))
            #expect(answer.status == 400, "\(body)")
            #expect(answer.field("content-type") == "application/problem+json")
        }
        let plain = server.send(
            HTTPRequest(method: "POST", path: "/v1/auth/login", body: Array("{}".utf8)))
        #expect(plain.status == 415)
    }

    @Test func `unknown paths and methods are told apart`() throws {
        let server = try TestServer()
        let token = try server.login().access
        #expect(server.call("GET", "/v1/nothing", token: token).status == 404)
        #expect(server.call("GET", "/", token: token).status == 404)
        let wrong = server.call("GET", "/v1/sync", token: token)
        #expect(wrong.status == 405 && wrong.field("allow") == "POST")
        #expect(server.call("PUT", "/v1/devices", token: token).status == 405)
        #expect(server.call("GET", "/health", token: "x").status == 200)
    }
}
