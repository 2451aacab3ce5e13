import Foundation
import MacrologEvents
import MacrologWire
import MacrologHTTP
import MacrologJSON
import MacrologCryptography
import MacrologService
import MacrologTestSupport
import Testing

/// Goal: what a person shows is seen by everyone who has the token, as often and as long as was said, and
/// then by no one, whatever backup is restored.
/// Method: a server whose clock the test moves; a document with words that occur nowhere else, and a search
/// for them and for the token in every file.
@Suite(.onBothStores) struct ShareTests {
    let folder = ScratchFolder()
    let token = SHA256.hash([7])
    let day: Int64 = 86_400

    func server(keys: [DataKey] = []) throws -> TestServer {
        try TestServer(folder: folder, keys: keys) {
            $0.rates = .none
            $0.publicAddress = try? Origin("https://sync.example.org")
        }
    }

    func request(_ change: (inout ShareRequest) -> Void = { _ in }) -> ShareRequest {
        var request = ShareRequest(token: token)
        change(&request)
        return request
    }

    func open(
        _ server: TestServer, _ token: [UInt8]? = nil, accept: String? = nil, method: String = "GET"
    ) -> HTTPResponse {
        let fields = accept.map { [HTTPField("Accept", $0)] } ?? []
        return server.send(
            HTTPRequest(
                method: method, path: "/s/\(hexadecimal(token ?? self.token))", fields: fields))
    }

    func card(_ server: TestServer) -> HTTPResponse {
        server.send(HTTPRequest(method: "GET", path: "/s/card/\(hexadecimal(token))"))
    }

    func list(_ server: TestServer, _ tokens: Tokens) throws -> [JSON] {
        let answer = server.call("GET", "/v1/shares", token: tokens.access)
        return try #require(try JSON.parse(answer.body)["shares"]?.array)
    }

    func text(_ response: HTTPResponse) -> String {
        String(decoding: response.body, as: UTF8.self)
    }

    // Opening.

    @Test func `a share is a page, JSON and a picture for everyone, and each opening counts`()
        throws
    {
        let server = try server()
        let ana = try server.login()
        let made = server.share(request(), token: ana.access)
        #expect(made.status == 201)
        let page = open(server, accept: "text/html,application/xhtml+xml,*/*;q=0.8")
        #expect(page.status == 200 && text(page).contains("<bdi>canary-soup</bdi>"))
        #expect(text(page).contains("https://sync.example.org/s/card/\(hexadecimal(token))"))
        let policy = page.field("content-security-policy") ?? ""
        #expect(policy.hasPrefix("default-src 'none'; style-src 'sha256-"), "\(policy)")
        #expect(!policy.contains("unsafe") && policy.contains("frame-ancestors 'none'"))
        #expect(page.field("x-robots-tag")?.hasPrefix("noindex") == true)
        let json = try JSON.parse(open(server, accept: "application/json").body)
        #expect(json["share"]?["title"] == "canary-soup")
        #expect(json["expires"]?.integer == server.clock.now + 7 * day * 1_000)
        let picture = card(server)
        #expect(picture.status == 200 && picture.body == ShareRequest.sampleCard)
        #expect(open(server, method: "HEAD").status == 200)
        let all = try list(server, ana)
        #expect(all.count == 1 && all[0]["opens"] == 2 && all[0]["opens_max"] == .null)
        #expect(all[0]["title"] == "canary-soup" && all[0]["document"] == nil)
        for body in [text(page), json.compact] {
            for secret in ["ana@example.org", ana.account, ana.session] {
                #expect(!body.contains(secret))
            }
        }
    }

    @Test func `the same request once more is the same share, and another account's is refused`()
        throws
    {
        let server = try server()
        let (ana, ben) = (try server.login(), try server.login("ben@example.org"))
        let made = server.share(request(), token: ana.access)
        let again = server.share(request(), token: ana.access)
        #expect((made.status, again.status) == (201, 200) && made.body == again.body)
        let others = server.share(request(), token: ben.access)
        #expect(problem(others) == "malformed_request")
        #expect(try list(server, ana).count == 1 && list(server, ben).isEmpty)
    }

    @Test func `one that was ended stays so until it would have expired`()
        throws
    {
        let server = try server()
        let (ana, ben) = (try server.login(), try server.login("ben@example.org"))
        let made = try JSON.parse(server.share(request(), token: ana.access).body)
        let path = "/v1/shares/\(made["id"]?.string ?? "")"
        #expect(server.call("DELETE", path, token: ana.access).status == 204)
        #expect(server.call("DELETE", path, token: ana.access).status == 404)
        let again = server.share(request { $0.opensMax = 9 }, token: ana.access)
        #expect(again.status == 400)
        #expect(try JSON.parse(again.body)["ended"] == .bool(true))
        #expect(problem(server.share(request(), token: ben.access)) == "malformed_request")
        #expect(open(server).status == 404 && card(server).status == 404)
        #expect(try list(server, ana).isEmpty)
        server.clock.advance(milliseconds: 7 * day * 1_000)
        let fresh = try server.login()
        #expect(server.share(request(), token: fresh.access).status == 201)
    }

    @Test func `its links are those of the server, whatever its owner has sent`() throws {
        let server = try server()
        server.server.change { $0.publicAddress = nil }
        let tokens = try server.login()
        let sent = server.share(
            request { $0.origin = "https://evil.example/path" }, token: tokens.access)
        #expect(sent.status == 201)
        for accept in ["text/html", "application/json"] {
            let answer = server.send(
                HTTPRequest(
                    method: "GET", path: "/s/\(hexadecimal(token))",
                    fields: [HTTPField("host", "sync.example.org:81"), HTTPField("accept", accept)])
            )
            #expect(!text(answer).contains("evil.example"))
            #expect(text(answer).contains("http://sync.example.org:81/path/s/card/"), "\(accept)")
        }
        server.server.change { $0.publicAddress = try? Origin("https://own.example/log") }
        let page = open(server, token, accept: "text/html")
        #expect(text(page).contains("https://own.example/log/s/card/"))
    }

    @Test func `it expires to the millisecond`() throws {
        let server = try server()
        let ana = try server.login()
        _ = server.share(request { $0.seconds = 60 }, token: ana.access)
        server.clock.advance(milliseconds: 59_999)
        #expect(open(server).status == 200 && card(server).status == 200)
        server.clock.advance(milliseconds: 1)
        #expect(open(server).status == 404 && card(server).status == 404)
        #expect(try list(server, ana).isEmpty)
    }

    @Test func `where openings are limited, the last one is the last, and its card stays a minute`()
        throws
    {
        let server = try server()
        let ana = try server.login()
        _ = server.share(request { $0.opensMax = 2 }, token: ana.access)
        // The card would show everything without an opening that counts.
        #expect(card(server).status == 404)
        #expect(open(server, method: "HEAD").status == 200)
        #expect(open(server).status == 200 && open(server, accept: "text/html").status == 200)
        #expect(open(server).status == 404 && open(server, method: "HEAD").status == 404)
        #expect(card(server).status == 200)
        server.clock.advance(milliseconds: 60_001)
        #expect(card(server).status == 404)
        let all = try list(server, ana)
        #expect(all[0]["opens"] == 2 && all[0]["opens_max"] == 2)
    }

    @Test func `many who open at the same time are not more than may`() throws {
        let server = try server()
        let ana = try server.login()
        _ = server.share(request { $0.opensMax = 5 }, token: ana.access)
        let answers = (0..<40).map { _ in Answered() }
        let address = HTTPRequest(method: "GET", path: "/s/\(hexadecimal(token))")
        DispatchQueue.concurrentPerform(iterations: answers.count) { index in
            server.server.respond(to: address) { answers[index].set($0) }
        }
        #expect(answers.map { $0.get().status }.filter { $0 == 200 }.count == 5)
    }

    @Test func `wrong, expired, revoked, used up and disabled look the same`() throws {
        let server = try server()
        let ana = try server.login()
        let tokens = (1...4).map { SHA256.hash([$0]) }
        let ids = try tokens.map { token in
            let made = server.share(ShareRequest(token: token), token: ana.access)
            return try #require(try JSON.parse(made.body)["id"]?.string)
        }
        #expect(server.call("DELETE", "/v1/shares/\(ids[0])", token: ana.access).status == 204)
        #expect(server.call("DELETE", "/v1/shares/\(ids[0])", token: ana.access).status == 404)
        _ = server.share(request { ($0.seconds, $0.opensMax) = (1, 1) }, token: ana.access)
        #expect(open(server).status == 200)
        let used = open(server)
        _ = try server.administer("user disable", ["email": "ana@example.org"])
        for accept in [nil, "text/html", "application/json"] {
            let wrong = open(server, SHA256.hash([99]), accept: accept)
            #expect(wrong.status == 404)
            if accept == nil { #expect(used.body == wrong.body) }
            for token in tokens + [token] {
                let answer = open(server, token, accept: accept)
                #expect(answer.status == 404 && answer.body == wrong.body)
                #expect(answer.fields == wrong.fields)
            }
        }
        #expect(text(open(server, accept: "text/html")).contains("Nothing is shown here"))
        _ = try server.administer("user enable", ["email": "ana@example.org"])
        #expect(open(server, tokens[1]).status == 200)
    }

    @Test func `a query, which sites add to links, changes nothing`() throws {
        let server = try server()
        _ = server.share(request(), token: try server.login().access)
        let answer = server.send(
            HTTPRequest(method: "GET", path: "/s/\(hexadecimal(token))", query: "fbclid=1"))
        #expect(answer.status == 200)
    }

    // Making.

    @Test func `what is no share is refused, with what to send`() throws {
        let server = try server()
        let ana = try server.login()
        let cases: [(String, (inout ShareRequest) -> Void)] = [
            ("its member title must be", { $0.document = Array(#"{"version":"1"}"#.utf8) }),
            ("not JSON", { $0.document = [0xFF] }),
            ("that of this server", { $0.origin = "javascript:alert(1)" }),
            ("that of this server", { $0.origin = "https://e.org/\"><script>" }),
            ("no PNG picture", { $0.card = [1, 2, 3] }),
            ("1200 by 630", { $0.card = PNGSample.file(width: 1_201) }),
            ("check sum", { $0.card[40] ^= 1 }),
        ]
        for (words, change) in cases {
            let answer = server.share(request(change), token: ana.access)
            #expect(problem(answer) == "malformed_request", "\(words)")
            let title = try JSON.parse(answer.body)["title"]?.string ?? ""
            #expect(title.contains(words) || words.hasPrefix("its member"), "\(title)")
        }
        let changes: [(inout ShareRequest) -> Void] = [
            { $0.token = [1] }, { $0.seconds = 0 }, { $0.seconds = 7_776_001 },
            { $0.opensMax = -1 }, { $0.opensMax = 1_000_001 }, { $0.document = [] },
            { $0.card = [UInt8](repeating: 0, count: 262_145) },
            { $0.document = [UInt8](repeating: 0x20, count: 32_769) },
        ]
        for change in changes {
            let answer = server.share(request(change), token: ana.access)
            #expect(problem(answer) == "malformed_request")
        }
        var newer = request()
        newer.version = 2
        #expect(problem(server.share(newer, token: ana.access)) == "unsupported_version")
        #expect(try list(server, ana).isEmpty)
    }

    @Test func `what is hidden in a picture is not kept`() throws {
        let server = try server()
        let place = PNGSample.chunk("tEXt", Array("GPS\u{0}48.1,11.5".utf8))
        let request = request { $0.card = PNGSample.file(more: place) }
        #expect(server.share(request, token: try server.login().access).status == 201)
        #expect(card(server).body == PNGSample.file())
    }

    @Test func `an account has a hundred shares at most, and those that expired are none`() throws {
        let server = try server()
        let ana = try server.login()
        for number in 0..<100 {
            var request = ShareRequest(token: SHA256.hash([UInt8(number), 1]))
            request.seconds = number == 0 ? 10 : 100
            #expect(server.share(request, token: ana.access).status == 201)
        }
        let full = server.share(request(), token: ana.access)
        #expect(full.status == 403 && problem(full) == "share_quota")
        #expect(try JSON.parse(full.body)["shares_max"] == 100)
        server.advance(seconds: 10)
        #expect(server.share(request(), token: ana.access).status == 201)
    }

    // What is kept.
}

extension ShareRequest {
    static let sampleCard = PNGSample.file(pixels: Array("canary-pixels".utf8))

    /// A request that is served: a meal for seven days.
    init(token: [UInt8]) {
        let document: JSON = [
            "version": "1", "kind": "meal", "from": "2026-11-20", "to": "2026-11-20",
            "slot": "lunch", "title": "canary-soup", "text": "I had canary-soup!",
            "energy_unit": "kcal",
            "nutrients": [
                "energy_kcal": 460, "protein_g": 24, "carbs_g": 60, "fat_g": 9, "fiber_g": nil,
            ],
            "incomplete": [], "logged_days": nil, "diet_score": nil, "parts": [],
            "left_out_count": 0,
        ]
        self.init(
            token: token, seconds: 7 * 86_400, opensMax: 0, origin: "https://sync.example.org",
            document: Array(document.compact.utf8), card: Self.sampleCard)
    }
}

extension TestServer {
    func share(_ request: ShareRequest, token: String) -> HTTPResponse {
        send(
            HTTPRequest(
                method: "POST", path: "/v1/shares",
                fields: [
                    HTTPField("Authorization", "Bearer \(token)"),
                    HTTPField("Content-Type", "application/cbor"),
                ], body: request.encoded()))
    }
}
