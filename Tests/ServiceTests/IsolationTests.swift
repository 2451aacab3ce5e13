import MacrologEvents
import MacrologWire
import Foundation
import MacrologHTTP
import MacrologJSON
import MacrologService
import MacrologTestSupport
import Testing

/// Goal: no one learns anything of another account, not even that it is there (promise S7).
/// Method: every route of the table × every kind of wrong token and wrong id; everyone who asks gets the
/// same status and the same body whatever kind of wrong it is.
@Suite(.onBothStores) struct IsolationTests {
    /// Two accounts; what the second one asks for is the first one's.
    private struct Two {
        let server: TestServer
        let ana: Tokens
        let ben: Tokens
        /// What is Ana's.
        let hers: ServedAccount
        var phone: TestDevice

        init() throws {
            server = try TestServer { $0.rates = .none }
            hers = try ServedAccount(server)
            (ana, phone) = (hers.tokens, hers.phone)
            ben = try server.login("ben@example.org")
        }

        /// The token of a share that has expired.
        private func expired() throws -> String {
            var request = ShareRequest(token: SHA256.hash([5]))
            request.seconds = 1
            #expect([200, 201].contains(server.share(request, token: ben.access).status))
            server.advance(seconds: 1)
            return hexadecimal(request.token)
        }

        /// What a path's parameter may be that names nothing of Ben's, and why.
        func wrongIDs(_ route: Route) throws -> [(kind: String, id: String)] {
            let deleted: String
            let others: String
            switch route.path.parameter {
            case "id" where route.name == "DELETE /v1/shares/{id}":
                let bens = try ServedAccount(server, "ben@example.org").share
                let path = "/v1/shares/\(bens)"
                #expect(server.call("DELETE", path, token: ben.access).status == 204)
                (deleted, others) = (bens, hers.share)
            case "id":
                deleted = try server.login("ben@example.org", device: "old").session
                #expect(
                    server.call("DELETE", "/v1/devices/\(deleted)", token: ben.access).status == 204
                )
                others = ana.session
            case "sha256":
                // A name of his that he never stored is as good as deleted.
                (deleted, others) = (digits([7]), digits(ServedAccount.blob))
            case "token":
                // Everyone who has a token may open what is shared; this one differs in its last letter.
                let token = hexadecimal(hers.shareToken)
                deleted = try expired()
                others = token.dropLast() + (token.last == "0" ? "1" : "0")
            default: throw Unexpected(response: "no wrong ids for \(route.name)")
            }
            return [
                ("another account's", others),
                ("another account's, in capitals", others.uppercased()),
                ("another account's session", ana.session),
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
        for route in Routes.all where route.path.parameter != nil {
            for (kind, id) in try two.wrongIDs(route) {
                // Bytes may be stored under their own name, even if others have them.
                guard route.body != .bytes || id.utf8.count != 64 || id != id.lowercased()
                else { continue }
                for request in try two.hers.requests(
                    route, token: two.ben.access, parameter: id)
                {
                    let answer = two.server.send(request)
                    let what = "\(route.name): \(kind)"
                    #expect(answer.status == nothing.status, "\(what)")
                    #expect(answer.body == nothing.body, "\(what)")
                    let names = answer.fields.map(\.name).filter { $0 != "upload-offset" }
                    #expect(names == nothing.fields.map(\.name), "\(what)")
                }
            }
        }
        // Ana noticed nothing.
        #expect(two.server.call("GET", "/v1/devices", token: two.ana.access).status == 200)
    }

    @Test func `another account's tokens, device and log give no one anything`() throws {
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

    /// Tokens that give no right, and why.
    private static func wrongTokens(_ two: Two) throws -> [(kind: String, field: String?)] {
        let (server, email) = (two.server, "ana@example.org")
        let ended = try server.login(email, device: "ended")
        #expect(server.post("/v1/auth/logout", [:], token: ended.access).status == 204)
        let revoked = try server.login(email, device: "revoked")
        #expect(
            server.call("DELETE", "/v1/devices/\(revoked.session)", token: two.ana.access).status
                == 204)
        let surplus = try server.login("ben@example.org", device: "surplus")
        #expect(server.call("DELETE", "/v1/devices", token: two.ben.access).status == 204)
        let parts = two.ana.access.split(separator: ".")
        return [
            ("missing", nil), ("empty", ""), ("without a token", "Bearer"),
            ("with an empty token", "Bearer "), ("of another scheme", "Basic YTpi"),
            ("a session's", "Bearer \(two.ana.session)"),
            ("a refresh token", "Bearer \(two.ana.refresh)"),
            ("logged out", "Bearer \(ended.access)"), ("revoked", "Bearer \(revoked.access)"),
            ("revoked with all others", "Bearer \(surplus.access)"),
            ("forged", "Bearer \(parts[0]).\(parts[1]).\(String(repeating: "A", count: 86))"),
        ]
    }

    @Test func `every route with a right asks who is there before anything else`() throws {
        let two = try Two()
        let refused = two.server.send(HTTPRequest(method: "GET", path: "/v1/devices"))
        #expect(refused.status == 401 && refused.field("www-authenticate") == "Bearer")
        for (kind, field) in try Self.wrongTokens(two) {
            // A reset code is a right of its own, and ends the sessions that are looked at below.
            for route in Routes.all where route.name != "POST /v1/auth/reset" {
                for id in [nil, "x"] {
                    for body in [nil, [], [0xFF], Array("{}".utf8)] as [[UInt8]?] {
                        for var request in try two.hers.requests(
                            route, token: nil, parameter: id)
                        {
                            request.fields += field.map { [HTTPField("authorization", $0)] } ?? []
                            if let body { request.body = body }
                            let answer = two.server.send(request)
                            let isRefused = answer.status == 401 && answer.body == refused.body
                            let isExpected = route.right == .session
                            #expect(isRefused == isExpected, "\(route.name): \(kind)")
                        }
                    }
                }
            }
        }
        // Nothing of it changed anything.
        let sessions = try JSON.parse(
            two.server.call("GET", "/v1/devices", token: two.ana.access).body)
        let names = sessions["devices"]?.array?.compactMap { $0["name"]?.string } ?? []
        #expect(names.contains("old") && names.contains("phone"))
        #expect(
            two.server.call(
                "GET", "/v1/blobs/\(digits(ServedAccount.blob))", token: two.ana.access
            ).status == 200)
    }

    @Test func `an expired token opens no route with a right`() throws {
        let two = try Two()
        // A token lasts thirty days.
        two.server.advance(seconds: 30 * 86_400 + 3_600)
        for route in Routes.all where route.right == .session {
            for request in try two.hers.requests(route) {
                let answer = two.server.send(request)
                #expect(answer.status == 401 && problem(answer) == "unauthorized", "\(route.name)")
            }
        }
    }
}
