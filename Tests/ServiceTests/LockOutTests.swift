import MacrologEvents
import MacrologWire
import MacrologHTTP
import MacrologJSON
import MacrologSQLite
import MacrologCryptography
import MacrologService
import MacrologTestSupport
import Testing

/// Goal: no one can try many passwords of a person, and no one elsewhere can keep a person from
/// logging in. What a stranger does is seen by the operator, and tells the stranger nothing.
/// Method: the service called as a function, with attackers in one network and in many.
@Suite(.onBothStores) struct LockOutTests {
    private let home = "192.0.2.1"

    private func login(
        _ server: TestServer, _ word: String = password, email: String = "ana@example.org",
        peer: String
    ) -> Int {
        let body: JSON = [
            "email": .string(email), "password": .string(word), "device": "phone",
        ]
        return server.post("/v1/auth/login", body, peer: peer).status
    }

    private func register(_ server: TestServer, _ email: String = "ana@example.org") -> Int {
        server.post(
            "/v1/auth/register", ["email": .string(email), "password": .string(password)],
            peer: "203.0.113.250"
        ).status
    }

    /// Peers of an attack, and how many guesses an hour of it has at most.
    enum Attack: CaseIterable, CustomTestStringConvertible {
        case oneAddress, oneNetwork, hundredNetworks, oneSixNetwork

        var testDescription: String { "\(self)" }

        func peer(_ index: Int) -> String {
            switch self {
            case .oneAddress: "198.51.100.9"
            case .oneNetwork: "198.51.100.\(index % 254 + 1)"
            case .hundredNetworks: "10.\(index % 100).\(index / 100 % 200).7"
            case .oneSixNetwork: "2001:db8:1:2::\(String(index + 1, radix: 16))"
            }
        }

        /// One network has five, and one more each three minutes; all together have fifty, and fifty
        /// more in an hour.
        var guessesMax: Int {
            switch self {
            case .oneAddress, .oneSixNetwork: 5 + 20
            case .oneNetwork, .hundredNetworks: 50 + 50
            }
        }
    }

    @Test(arguments: Attack.allCases)
    func `an hour of guessing gets a fixed number of guesses, and the person logs in all the while`(
        attack: Attack
    ) throws {
        let server = try TestServer()
        _ = register(server)
        #expect(login(server, peer: home) == 200)
        let before = server.server.hashes
        var guesses = 0
        var right = 0
        for minute in 0..<60 {
            for index in 0..<40 {
                let status = login(
                    server, "guess \(minute) \(index)", peer: attack.peer(index + minute * 40))
                #expect(status == 401 || status == 429)
                guesses += status == 401 ? 1 : 0
            }
            if minute % 5 == 0 {
                #expect(login(server, peer: home) == 200, "minute \(minute)")
                right += 1
            }
            server.advance(seconds: 60)
        }
        #expect(guesses <= attack.guessesMax && guesses >= 20)
        #expect(server.server.hashes == before + guesses + right)
    }

    @Test func `a network is known for ninety days after a login, and not for another account`()
        throws
    {
        let server = try TestServer {
            $0.rates[.loginByEmail] = Rate(burst: 1, interval: 200 * 86_400_000)
        }
        for email in ["ana@example.org", "ben@example.org"] { _ = register(server, email) }
        #expect(login(server, peer: home) == 200)
        #expect(login(server, "guess number one", peer: "10.0.0.1") == 401)
        #expect(
            login(server, "guess number one", email: "ben@example.org", peer: "10.0.0.2") == 401)
        // From where Ana was, and from nowhere else.
        server.advance(seconds: 89 * 86_400)
        #expect(login(server, peer: "192.0.2.2") == 429)
        #expect(login(server, email: "ben@example.org", peer: home) == 429)
        #expect(login(server, peer: home) == 200)
        server.advance(seconds: 90 * 86_400)
        #expect(login(server, peer: home) == 200)
        server.advance(seconds: 90 * 86_400 + 1)
        #expect(login(server, "guess number two", peer: "10.0.0.3") == 401)
        #expect(login(server, peer: home) == 429)
    }

    @Test func `who knows the password keeps no one from logging in at home`() throws {
        let server = try TestServer {
            $0.rates[.loginByAccount] = Rate(burst: 4, interval: 200 * 86_400_000)
        }
        _ = register(server)
        #expect(login(server, peer: home) == 200)
        // From many networks, of which each is known from then on, and many times from each.
        let statuses = (0..<8).map { login(server, peer: "10.0.0.\($0)") }
        #expect(statuses == [200, 200, 200, 429, 429, 429, 429, 429])
        for network in 0..<3 {
            let more = (0..<6).map { _ in login(server, peer: "10.0.0.\(network)") }
            #expect(more == [200, 200, 200, 200, 429, 429])
            for _ in 0..<8 { _ = login(server, "guess number one", peer: "10.0.0.\(network)") }
        }
        for _ in 0..<3 { #expect(login(server, peer: home) == 200) }
    }

    @Test func `wrong passwords from a known network are limited as well`() throws {
        let server = try TestServer()
        _ = register(server)
        #expect(login(server, peer: home) == 200)
        let statuses = (0..<8).map { login(server, "guess \($0)", peer: home) }
        #expect(statuses == [401, 401, 401, 401, 401, 429, 429, 429])
    }

    @Test func `who has a thousand networks of a person's own site keeps no one from logging in`()
        throws
    {
        let server = try TestServer()
        _ = register(server)
        let house = "2001:db8:1:ffff::1"
        #expect(login(server, peer: house) == 200)
        for network in 1...1_100 {
            let peer = "2001:db8:1:\(String(network, radix: 16))::1"
            _ = login(server, "guess number one", email: "x\(network)@example.org", peer: peer)
        }
        #expect(login(server, peer: "2001:db8:1:fffe::1") == 429)
        #expect(login(server, peer: house) == 200)
        #expect(login(server, "guess number one", peer: house) == 401)
    }

    @Test
    func
        `who has a whole site of networks has the attempts of a thousand, and takes none of others`()
        throws
    {
        let server = try TestServer { $0.registration = .invite }
        func guess(_ peer: String) -> Int {
            server.post(
                "/v1/auth/register",
                [
                    "email": "ana@example.org", "password": .string(password),
                    "invitation": "ABCD-EFGH-IJKL-MNOP",
                ], peer: peer
            ).status
        }
        let site = (1...1_100).map { guess("2001:db8:1:\(String($0, radix: 16))::1") }
        #expect(site.prefix(1_024).allSatisfy { $0 == 403 })
        #expect(site.suffix(76).filter { $0 == 403 }.count == 20)
        // Who was there before has a bucket of one's own, and so has everyone elsewhere.
        #expect(guess("2001:db8:1:5::1") == 403)
        #expect(guess("2001:db8:2:1::1") == 403 && guess("192.0.2.1") == 403)
        // What was long ago is forgotten.
        server.advance(seconds: 900)
        let later = (2_001...2_100).map { guess("2001:db8:1:\(String($0, radix: 16))::1") }
        #expect(later.allSatisfy { $0 == 403 })
    }

    @Test(.onSQLiteAlone)
    func `the file does not say from where someone logged in`() throws {
        let server = try TestServer()
        _ = register(server)
        #expect(login(server, peer: home) == 200)
        var db = try Connection.open(server.path, mode: .readOnly)
        let known = try db.all("SELECT digest FROM known_network") { $0.bytes(0) }
        #expect(known.count == 1 && known[0].count == 32)
        // Nor can it be tried out without the server's key.
        let key = try db.first("SELECT email_key FROM account") { $0.bytes(0) } ?? []
        #expect(known != [blake2b([0] + key + [192, 0, 2, 1])])
    }

    @Test func `who failed to log in is logged by network, without address or password`() throws {
        let server = try TestServer()
        _ = register(server)
        for peer in ["198.51.100.77", "2001:db8:1:2::99", "::ffff:198.51.100.78"] {
            #expect(login(server, "guess number one", peer: peer) == 401)
        }
        let failed = server.notes.of("login.failed")
        #expect(failed.allSatisfy { $0.level == .info && $0.facts.count == 1 })
        #expect(
            failed.map { "\($0.facts[0].0) \($0.facts[0].1)" } == [
                "network 198.51.100.0/24", "network 2001:db8:1::/48", "network 198.51.100.0/24",
            ])
    }

    @Test func `a proxy that no one declared is noticed, once an hour`() throws {
        let server = try TestServer { $0.proxies = ["192.0.2.99"] }
        func ask(_ field: String?, peer: String) -> [String] {
            let before = server.notes.of("proxy.undeclared").count
            let fields = field.map { [HTTPField($0, "for=198.51.100.7")] } ?? []
            _ = server.send(HTTPRequest(method: "GET", path: "/health", fields: fields, peer: peer))
            return server.notes.of("proxy.undeclared").dropFirst(before).map {
                "\($0.level) \($0.facts[0].1)"
            }
        }
        #expect(ask(nil, peer: "127.0.0.1") == [])
        #expect(ask("x-forwarded-for", peer: "192.0.2.99") == [])
        #expect(ask("X-Forwarded-For", peer: "127.0.0.1") == ["warning 127.0.0.1"])
        #expect(ask("X-Forwarded-For", peer: "127.0.0.1") == [])
        server.advance(seconds: 3_599)
        #expect(ask("Forwarded", peer: "::1") == [])
        server.advance(seconds: 1)
        #expect(ask("Forwarded", peer: "198.51.100.8") == ["warning 198.51.100.0/24"])
    }

    // Registration.

    @Test(
        .onSQLiteAlone, arguments: [[], [DataKey([UInt8](repeating: 5, count: DataKey.byteCount))]])
    func `a known address costs as many bytes and flushes as a new one`(keys: [DataKey]) throws {
        let server = try TestServer(keys: keys)
        for index in 0..<20 { _ = register(server, "p\(index)@example.org") }
        func cost(_ email: String) throws -> (commits: Int, bytes: Int) {
            let (commits, bytes) = (server.store.commits, fileBytes("\(server.path)-wal"))
            #expect(register(server, email) == 202)
            return (server.store.commits - commits, fileBytes("\(server.path)-wal") - bytes)
        }
        let new = try cost("new@example.org")
        let known = try cost("new@example.org")
        #expect(new.commits == 1 && known.commits == 1)
        #expect(new.bytes > 0 && known.bytes == new.bytes)
        #expect(login(server, email: "new@example.org", peer: home) == 200)
        var db = try Connection.open(server.path, mode: .readOnly)
        #expect(try db.first("SELECT count(*) FROM account") { $0.int(0) } == 21)
    }

    @Test(.onSQLiteAlone)
    func `the account after the last that can be is refused, and the server keeps running`()
        throws
    {
        let server = try TestServer()
        _ = register(server)
        do {
            var db = try Connection.open(server.path)
            try db.run(
                """
                INSERT INTO account (space, name, email_key, email, password, created)
                SELECT 4194302, randomblob(16), randomblob(32), 'x', 'x', 1
                """)
            try db.run("UPDATE server SET last_space = 4194302")
        }
        #expect(register(server, "last@example.org") == 202)
        let token = try server.login("last@example.org").access
        var device = TestDevice(1)
        device.record()
        #expect(try device.fold(server.sync(device.request, token: token)).head == 1)
        for email in ["late@example.org", "ana@example.org"] {
            let answer = server.post(
                "/v1/auth/register",
                ["email": .string(email), "password": .string(password)])
            #expect(answer.status == 507 && problem(answer) == "storage_full")
        }
        #expect(login(server, peer: home) == 200)
    }

    @Test func `as many accounts of one network as the operator allows`() throws {
        for count in [1, 3, 50] {
            let server = try TestServer { $0.rates[.registerByNetwork] = .perHour(Int64(count)) }
            for index in 0..<count { #expect(register(server, "p\(index)@example.org") == 202) }
            #expect(register(server, "late@example.org") == 429)
            server.advance(seconds: 3_600)
            for index in 0..<count { #expect(register(server, "q\(index)@example.org") == 202) }
        }
    }

    @Test func `a network may have twenty passwords refused, and none of them is a registration`()
        throws
    {
        let server = try TestServer { $0.rates = RateLimits() }
        let weak: JSON = ["email": "ana@example.org", "password": "Summer2025!"]
        let statuses = (0..<22).map { _ in server.post("/v1/auth/register", weak).status }
        #expect(statuses == Array(repeating: 400, count: 20) + [429, 429])
        #expect(server.server.hashes == 0)
        server.advance(seconds: 45)
        let good: JSON = ["email": "ana@example.org", "password": .string(password)]
        #expect(server.post("/v1/auth/register", good).status == 202)
    }
}
