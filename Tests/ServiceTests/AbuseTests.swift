import MacrologEvents
import MacrologGzip
import MacrologHTTP
import MacrologJSON
import MacrologCryptography
import MacrologService
import Testing
import MacrologZstd

/// Goal: what a stranger sends costs little, opens nothing and tells nothing.
/// Method: the service called as a function; work is counted, not timed.
@Suite struct AbuseTests {
    // Tokens.

    /// Every other way of writing a header than the one that the key itself writes.
    private static let headers = [
        #"{"alg":"none","typ":"at+jwt"}"#, #"{"alg":"None"}"#, #"{"alg":"HS256","typ":"JWT"}"#,
        #"{"alg":"RS256"}"#, #"{"alg":"ES256"}"#, #"{"alg":"EdDSA"}"#,
        #"{"alg":"EdDSA","typ":"at+jwt"}"#, #"{"alg":"EdDSA","kid":"AAAAAAAAAAA","typ":"at+jwt"}"#,
        #"{"alg":"EdDSA","kid":"../../key","typ":"at+jwt"}"#,
        #"{"alg":"EdDSA","jwk":{"kty":"OKP"},"typ":"at+jwt"}"#,
        #"{"alg":"EdDSA","jku":"https://example.org","typ":"at+jwt"}"#,
        #"{"typ":"at+jwt","alg":"EdDSA"}"#, "{}", "[]", "null", "",
    ]

    @Test func `no header but our own is believed, whatever it says of itself`() throws {
        let server = try TestServer()
        let token = try server.login().access
        let parts = token.split(separator: ".").map(String.init)
        func isBelieved(_ token: String) -> Bool {
            server.call("GET", "/v1/devices", token: token).status != 401
        }
        #expect(isBelieved(token))
        for header in Self.headers {
            let first = String(decoding: Base64URL.encode(Array(header.utf8)), as: UTF8.self)
            for signature in [parts[2], "", String(repeating: "A", count: 86)] {
                #expect(!isBelieved("\(first).\(parts[1]).\(signature)"), "\(header)")
            }
        }
        // Signed as it should be, by someone else.
        let stranger = TokenKey(seed: [UInt8](repeating: 0, count: 32))
        let claims = try #require(Base64URL.decode(Array(parts[1].utf8)))
        #expect(!isBelieved(String(decoding: stranger.sign(claims), as: UTF8.self)))
        let ours = TokenKey(seed: [UInt8](repeating: 9, count: 32))
        #expect(isBelieved(String(decoding: ours.sign(claims), as: UTF8.self)))
        // Parts more, fewer, swapped, packed otherwise.
        for forged in [
            "\(token).", ".\(token)", "\(token).\(parts[2])", "\(parts[0]).\(parts[1])",
            "\(parts[1]).\(parts[0]).\(parts[2])", "\(parts[0])..\(parts[2])",
            "\(parts[0]).\(parts[1])=.\(parts[2])", "\(parts[0]).\(parts[1]).\(parts[2])==",
            "\(parts[0])\n.\(parts[1]).\(parts[2])", token + "\0", token + " ", "\t" + token,
            "\(token), \(token)", String(repeating: "a", count: 100_000),
        ] {
            #expect(!isBelieved(forged), "\(forged.prefix(80))")
        }
        #expect(isBelieved(token))
    }

    @Test func `a token serves in its own place only, and not after its session`() throws {
        let server = try TestServer()
        let tokens = try server.login()
        #expect(server.call("GET", "/v1/devices", token: tokens.refresh).status == 401)
        for word in [tokens.access, tokens.session, tokens.account, ""] {
            let answer = server.post("/v1/auth/refresh", ["refresh_token": .string(word)])
            #expect(answer.status == 401 && problem(answer) == "wrong_refresh_token")
        }
        for scheme in ["Token ", "Bearer", "Bearer  ", "Basic ", ""] {
            let request = HTTPRequest(
                method: "GET", path: "/v1/devices",
                fields: [HTTPField("Authorization", scheme + tokens.access)])
            #expect(server.send(request).status == 401, "\(scheme)")
        }
        // Replayed as often as anybody likes while its session lasts, and never after.
        for _ in 0..<3 {
            #expect(server.call("GET", "/v1/devices", token: tokens.access).status == 200)
        }
        #expect(server.post("/v1/auth/logout", [:], token: tokens.access).status == 204)
        #expect(server.call("GET", "/v1/devices", token: tokens.access).status == 401)
        let again = server.post("/v1/auth/refresh", ["refresh_token": .string(tokens.refresh)])
        #expect(again.status == 401)
    }

    // Bodies.

    private static let million = [UInt8](repeating: 0x20, count: 100 << 20)

    /// A hundred megabytes in little, said to be what the route takes.
    @Test func `a bomb is refused at the limit, by every route that reads a message`() throws {
        let server = try TestServer { $0.rates = .none }
        let account = try ServedAccount(server)
        let before = server.server.hashes
        var encoder = ZstdEncoder()
        let zstdBomb = encoder.encode(Self.million)
        for route in Routes.all where route.body != nil && route.body != .bytes {
            // A short body, decompressed to one byte more than the route reads.
            let beyond = [UInt8](repeating: 0x20, count: route.bodyBytesMax + 1)
            for (coding, body) in [
                ("gzip", gzip(beyond)), ("zstd", encoder.encode(beyond)), ("zstd", zstdBomb),
                ("gzip", Self.gzipBomb), ("gzip", Self.gzipBomb + Self.gzipBomb),
            ] {
                for var request in try account.requests(route).prefix(1) {
                    request.body = body
                    request.fields.removeAll { $0.name == "content-length" }
                    request.fields.append(HTTPField("content-encoding", coding))
                    let answer = server.send(request)
                    #expect(answer.status == 413, "\(route.name) \(coding)")
                    #expect(problem(answer) == "too_large", "\(route.name) \(coding)")
                }
            }
        }
        #expect(server.server.hashes == before)
    }

    private static let gzipBomb = gzip(million)

    @Test func `a body nested a thousand deep is refused where it is read`() throws {
        let server = try TestServer { $0.rates = .none }
        let token = try server.login().access
        let json = Array(String(repeating: #"{"a":"#, count: 2_000).utf8)
        let login = HTTPRequest(
            method: "POST", path: "/v1/auth/login",
            fields: [HTTPField("Content-Type", "application/json")], body: json)
        #expect(server.send(login).status == 400)
        for byte: UInt8 in [0x81, 0xA1, 0x9B, 0x5B] {
            let sync = HTTPRequest(
                method: "POST", path: "/v1/sync",
                fields: [
                    HTTPField("Authorization", "Bearer \(token)"),
                    HTTPField("Content-Type", "application/cbor"),
                ], body: [UInt8](repeating: byte, count: 1 << 20))
            #expect(server.send(sync).status == 400)
        }
    }

    // Work.

    @Test func `a login costs every client the same hash, and none where it is not tried`() throws {
        let server = try TestServer()
        _ = try server.login("ana@example.org")
        func cost(_ email: String, _ word: String) -> (hashes: Int, body: [UInt8]) {
            let before = server.server.hashes
            let answer = server.post(
                "/v1/auth/login",
                ["email": .string(email), "password": .string(word), "device": "x"],
                peer: "198.51.100.7")
            return (server.server.hashes - before, answer.body)
        }
        let known = cost("ana@example.org", "another password")
        for (email, word) in [
            ("unknown@example.org", "another password"), ("ANA@example.org", "another password"),
            ("unknown@example.org", password), ("unknown@example.org", "x"),
            ("a@b.c", String(repeating: "x", count: 1_024)),
        ] {
            let other = cost(email, word)
            #expect(other.hashes == known.hashes && other.body == known.body, "\(email)")
        }
        #expect(known.hashes == 1)
        // What can't be a login is none; nor is one too many for its address.
        #expect(cost("no address", "another password").hashes == 0)
        #expect(cost("ana@example.org", String(repeating: "x", count: 1_025)).hashes == 0)
        for _ in 0..<5 { _ = cost("full@example.org", "another password") }
        #expect(cost("full@example.org", "another password").hashes == 0)
    }

    @Test func `fifty logins at once with the right password, from one network, are all answered`()
        throws
    {
        let server = try TestServer()
        _ = try server.login("ana@example.org")
        let before = server.server.hashes
        let body: JSON = [
            "email": "ana@example.org", "password": .string(password), "device": "phone",
        ]
        let answers = (0..<50).map { _ in
            let answered = Answered()
            server.server.respond(
                to: HTTPRequest(
                    method: "POST", path: "/v1/auth/login",
                    fields: [HTTPField("content-type", "application/json")],
                    body: Array(body.compact.utf8), peer: "198.51.100.7")
            ) { answered.set($0) }
            return answered
        }
        let statuses = answers.map { $0.get().status }
        let passed = statuses.count { $0 == 200 }
        // A success refunds the attempt; one that came before is asked to wait.
        #expect(passed >= 5 && passed < 30 && passed + statuses.count { $0 == 429 } == 50)
        #expect(server.server.hashes == before + passed)
    }
}
