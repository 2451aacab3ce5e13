import MacrologEvents
import Foundation
import MacrologHTTP
import MacrologJSON
import MacrologService
import Testing

/// Goal: nobody learns anything of another account, not even that it is there (promise S7).
/// Method: a table of every door and every table of wrong ids; whoever asks gets the same status and
/// the same body whatever kind of wrong it is. A new route is one line.
@Suite struct IsolationTests {
    /// What is at a route's place for an id, or whose log a route speaks of.
    enum Place: Sendable {
        /// The path holds the id of something that belongs to one account.
        case id(Owned)
        /// The path holds the SHA-256 of bytes that belong to one account: `BlobTests` try those of
        /// others.
        case hash
        /// It speaks of the asking session's space and of nothing else.
        case space
        /// It asks for no session at all.
        case open
    }

    /// Things with ids that belong to one account.
    enum Owned: Sendable { case session }

    /// One route; with the body of a request that would be served, where it takes one.
    struct Route: Sendable {
        let method: String
        let path: String
        let place: Place
        let type: String
        let body: [UInt8]

        init(
            _ method: String, _ path: String, _ place: Place, type: String = "", body: String = ""
        ) {
            (self.method, self.path, self.place) = (method, path, place)
            (self.type, self.body) = (type, Array(body.utf8))
        }

        func request(id: String, token: String?, body: [UInt8]? = nil) -> HTTPRequest {
            var fields = token.map { [HTTPField("Authorization", "Bearer \($0)")] } ?? []
            if !type.isEmpty { fields.append(HTTPField("Content-Type", type)) }
            return HTTPRequest(
                method: method, path: path.replacing("{id}", with: id), fields: fields,
                body: body ?? self.body)
        }
    }

    /// Every route of `protocol.md` §6, §8 and §11. Where a path holds an id, `{id}` stands for it.
    static let routes: [Route] = [
        Route("POST", "/v1/sync", .space),
        Route("POST", "/v1/heal", .space),
        Route("POST", "/v1/digest", .space),
        Route("PUT", "/v1/blobs/{id}", .hash),
        Route("GET", "/v1/blobs/{id}", .hash),
        Route("HEAD", "/v1/blobs/{id}", .hash),
        Route("GET", "/v1/events", .space),
        Route("GET", "/v1/live", .space),
        Route("POST", "/v1/auth/register", .open),
        Route("POST", "/v1/auth/login", .open),
        Route("POST", "/v1/auth/refresh", .open),
        Route("POST", "/v1/auth/logout", .space),
        Route("GET", "/v1/devices", .space),
        Route("DELETE", "/v1/devices", .space),
        Route("DELETE", "/v1/devices/{id}", .id(.session)),
        Route(
            "PUT", "/v1/devices/{id}", .id(.session), type: "application/json",
            body: #"{"name": "tablet"}"#),
        Route("GET", "/health", .open),
    ]

    /// Two accounts; what the second one asks for is the first one's.
    private struct Two {
        let server: TestServer
        let ana: Tokens
        let ben: Tokens
        var phone = TestDevice(1)

        init() throws {
            server = try TestServer { $0.rates = .none }
            ana = try server.login("ana@example.org")
            ben = try server.login("ben@example.org")
            phone.record("oats")
            phone.record("milk")
            _ = try phone.fold(server.sync(phone.request, token: ana.access))
        }

        /// Ids that name nothing of Ben's, and why.
        func wrongIDs(_ owned: Owned) throws -> [(kind: String, id: String)] {
            let deleted: String
            switch owned {
            case .session:
                deleted = try server.login("ben@example.org", device: "old").session
                #expect(
                    server.call("DELETE", "/v1/devices/\(deleted)", token: ben.access).status == 204
                )
            }
            let others: String
            switch owned {
            case .session: others = ana.session
            }
            return [
                ("another account's", others),
                ("another account's, in capitals", others.uppercased()),
                ("another account's name", ana.account),
                ("one's own account", ben.account),
                ("deleted", deleted),
                ("random", "7a3e1b52-6f2d-4c8e-9b0a-5d4c3b2a1f00"),
                ("of zeros", "00000000-0000-0000-0000-000000000000"),
                ("empty", ""),
                ("too short", String(others.dropLast())),
                ("too long", others + "0"),
                ("without hyphens", others.filter { $0 != "-" }),
                ("in braces", "%7B\(others)%7D"),
                ("no id", "x"),
                ("a number", "1"),
                ("a path", others + "/x"),
                ("a query's", "' OR 1=1 --"),
                ("with a NUL", others + "\0"),
                ("very long", String(repeating: "a", count: 2_000)),
            ]
        }
    }

    private static func owned(_ place: Place) -> Owned? {
        if case .id(let owned) = place { owned } else { nil }
    }

    @Test(arguments: ["GET", "HEAD", "POST", "DELETE"])
    func `a snapshot of a log is at no address`(method: String) throws {
        let two = try Two()
        let nothing = two.server.call(method, "/v1/nothing", token: two.ana.access)
        #expect(nothing.status == 404)
        for path in ["/v1/snapshot", "/v1/snapshot/" + String(repeating: "0", count: 64)] {
            let answer = two.server.call(method, path, token: two.ana.access)
            #expect(answer.status == 404 && answer.body == nothing.body)
        }
    }

    @Test func `a wrong id is nothing at all, of whatever kind it is, and changes nothing`() throws
    {
        let two = try Two()
        let nothing = two.server.call("GET", "/v1/nothing", token: two.ben.access)
        #expect(nothing.status == 404 && problem(nothing) == "not_found")
        for route in Self.routes {
            guard let owned = Self.owned(route.place) else { continue }
            for (kind, id) in try two.wrongIDs(owned) {
                let answer = two.server.send(route.request(id: id, token: two.ben.access))
                #expect(answer.status == nothing.status, "\(route.method) \(route.path): \(kind)")
                #expect(answer.body == nothing.body, "\(route.method) \(route.path): \(kind)")
                #expect(
                    answer.fields.map(\.name) == nothing.fields.map(\.name),
                    "\(route.method) \(route.path): \(kind)")
            }
        }
        // Ana noticed nothing.
        #expect(two.server.call("GET", "/v1/devices", token: two.ana.access).status == 200)
    }

    @Test func `another account's tokens, device and log give nobody anything`() throws {
        var two = try Two()
        // Ben asks under Ana's device's name, from where her log begins.
        var thief = TestDevice(1)
        let page = try thief.fold(two.server.sync(thief.request, token: two.ben.access))
        #expect(page.head == 0 && page.rows.isEmpty && page.admitted == 0)
        // Ben claims to have Ana's log: it is no log of his, and he is not told how far hers goes.
        let claims = two.server.sync(two.phone.request, token: two.ben.access)
        #expect(claims.status == 409 && problem(claims) == "epoch_changed")
        var further = two.phone
        further.cursor += 5
        let beyond = two.server.sync(further.request, token: two.ben.access)
        #expect(beyond.body == claims.body)
        // Ben recovers with Ana's log: that is his own log from then on, and hers is as it was.
        let devices = try JSON.parse(
            two.server.call("GET", "/v1/devices", token: two.ben.access).body)
        let ids = devices["devices"]?.array?.compactMap { $0["id"]?.string }
        #expect(ids == [two.ben.session])
        let poll = HTTPRequest(
            method: "GET", path: "/v1/events", query: "after=0",
            fields: [HTTPField("Authorization", "Bearer \(two.ben.access)")])
        #expect(two.server.send(poll).status == 204)
        // Ending all of his sessions ends none of hers.
        #expect(two.server.call("DELETE", "/v1/devices", token: two.ben.access).status == 204)
        two.phone.record("honey")
        let answer = try two.phone.fold(
            two.server.sync(two.phone.request, token: two.ana.access))
        #expect(answer.head == 3)
    }

    @Test func `every door that is not open asks who is there before anything else`() throws {
        let two = try Two()
        let refused = two.server.send(HTTPRequest(method: "GET", path: "/v1/devices"))
        for route in Self.routes {
            if case .open = route.place { continue }
            for id in [two.ana.session, "x"] {
                for body in [nil, [], [0xFF], Array("{}".utf8)] as [[UInt8]?] {
                    let answer = two.server.send(route.request(id: id, token: nil, body: body))
                    #expect(answer.status == 401, "\(route.method) \(route.path)")
                    #expect(answer.body == refused.body, "\(route.method) \(route.path)")
                }
            }
        }
    }

    @Test func `the table has every route of the protocol`() throws {
        let two = try Two()
        // A route that exists answers another method with 405 or serves it, one that doesn't with 404.
        for route in Self.routes {
            var id = two.ben.session
            if case .hash = route.place { id = String(repeating: "a", count: 64) }
            let path = route.path.replacing("{id}", with: id)
            let other = two.server.call("TRACE", path, token: two.ben.access)
            #expect(other.status == 405, "\(path)")
            #expect(other.field("allow")?.contains(route.method) == true, "\(path)")
        }
        let root = #filePath.components(separatedBy: "Tests/ServiceTests/")[0]
        let page = try String(contentsOfFile: root + "protocol.md", encoding: .utf8)
        let written = page.matches(of: /`(GET|HEAD|POST|PUT|DELETE|PATCH) (\/[a-z0-9\/{}]+)`/)
            .map { "\($0.output.1) \($0.output.2)" }
        let reserved = page.components(separatedBy: "## 16 Reserved").last ?? ""
        for route in Set(written) where !reserved.contains("`\(route)`") {
            #expect(
                Self.routes.contains {
                    "\($0.method) \($0.path)" == route.replacing(/\{[a-z0-9]+\}/, with: "{id}")
                }, "\(route)")
        }
    }
}
