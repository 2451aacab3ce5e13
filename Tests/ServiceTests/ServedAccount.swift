import MacrologEvents
import MacrologWire
import MacrologHTTP
import MacrologJSON
import MacrologService
import MacrologTestSupport
import Testing

/// An account with two sessions, two events, one blob and one share, and for each route requests that are served.
///
/// The requests follow from the row of the table. A new route that takes a body, or has a parameter
/// of another name, has no request here, and fails all tests that walk the table.
struct ServedAccount {
    static let blob = bytes(3)
    /// The token of its share.
    let shareToken: [UInt8]
    /// The id of its share.
    private(set) var share = ""

    let email: String
    let tokens: Tokens
    /// The session that a path's id names.
    let other: Tokens
    private(set) var phone = TestDevice(1)
    /// What the operator gave for a new password.
    private let resetCode: String
    /// A code of a second factor that is not confirmed.
    private let totp: String

    init(_ server: TestServer, _ email: String = "ana@example.org") throws {
        self.email = email
        shareToken = SHA256.hash(Array(email.utf8))
        tokens = try server.login(email)
        other = try server.login(email, device: "old")
        let reset = try server.administer("user reset-code", ["email": .string(email)])
        resetCode = try #require(reset["code"]?.string)
        totp = try server.code(
            of: server.beginSecondFactor(token: tokens.access), at: server.clock.now)
        phone.record("oats")
        phone.record("milk")
        _ = try phone.fold(server.sync(phone.request, token: tokens.access))
        for request in try requests(Self.upload) { #expect(server.send(request).status == 201) }
        let shared = server.share(ShareRequest(token: shareToken), token: tokens.access)
        share = try #require(try JSON.parse(shared.body)["id"]?.string)
    }

    private static var upload: Route {
        get throws { try #require(Routes.all.first { $0.name == "PUT /v1/blobs/{sha256}" }) }
    }

    /// The requests for a route, by the token of this account, another one, or none.
    func requests(
        _ route: Route, token: String?, parameter: String? = nil
    ) throws -> [HTTPRequest] {
        let given = try parameter ?? self.parameter(route)
        let path = route.path.pattern.replacing(/\{\w+\}/, with: given)
        return try bodies(route).map { body in
            var fields = token.map { [HTTPField("Authorization", "Bearer \($0)")] } ?? []
            fields += route.body.map { [HTTPField("Content-Type", "\($0.mediaType)")] } ?? []
            if !body.isEmpty { fields.append(HTTPField("Content-Length", "\(body.count)")) }
            let query = route.name == "GET /v1/events" ? "after=0" : ""
            return HTTPRequest(
                method: route.method, path: path, query: query, fields: fields, body: body,
                peer: "198.51.100.7")
        }
    }

    /// The requests for a route with this account's token.
    func requests(_ route: Route) throws -> [HTTPRequest] {
        try requests(route, token: tokens.access)
    }

    private func parameter(_ route: Route) throws -> String {
        switch route.path.parameter {
        case nil: return ""
        case "id": return route.name == "DELETE /v1/shares/{id}" ? share : other.session
        case "token": return hexadecimal(shareToken)
        case "sha256": return digits(Self.blob)
        default: throw Unexpected(response: "no parameter for \(route.name)")
        }
    }

    private func bodies(_ route: Route) throws -> [[UInt8]] {
        switch (route.body, route.name) {
        case (nil, _): return [[]]
        case (.bytes, _): return [Self.blob]
        case (.json(let members), _): return [try object(members, route)]
        case (_, "POST /v1/sync"):
            var pusher = TestDevice(5)
            let pull = pusher.request
            pusher.record("eggs")
            return [pull.encoded(), pusher.request.encoded()]
        case (_, "POST /v1/heal"):
            var giver = TestDevice(6)
            giver.record("eggs")
            let row = HealRequest.Row(t: 1, body: giver.request.pushed[0].body)
            return [HealRequest(after: 0, rows: [row], digest: phone.digest).encoded()]
        case (_, "POST /v1/digest"):
            let range = DigestRequest.Range(after: 0, through: 2, parts: 2)
            return [DigestRequest(ranges: [range]).encoded()]
        case (_, "POST /v1/shares"):
            return [ShareRequest(token: SHA256.hash(shareToken)).encoded()]
        default: throw Unexpected(response: "no body for \(route.name)")
        }
    }

    private func object(_ members: [String], _ route: Route) throws -> [UInt8] {
        let values = [
            "email": email, "password": password, "device": "tablet", "name": "tablet",
            "refresh_token": tokens.refresh, "new_password": password, "scope": "read",
            "code": route.name == "POST /v1/auth/reset" ? resetCode : totp,
        ]
        let body = try members.filter { !$0.hasSuffix("?") }.map { name in
            guard let value = values[name] else {
                throw Unexpected(response: "no \(name) for \(route.name)")
            }
            return JSON.Member(name, .string(value))
        }
        return Array(JSON.object(body).compact.utf8)
    }
}

/// An answer is one that its route declares: status, type, members, or one of its problems.
func checkDeclared(_ answer: HTTPResponse, to request: HTTPRequest) {
    guard let route = Routes.index(of: request).map({ Routes.all[$0] }) else { return }
    let type = answer.field("content-type")
    let declared = route.answers.filter { $0.status == answer.status }
    let exact = declared.first { $0.content.map { "\($0.mediaType)" } == type }
    if answer.status >= 400, exact == nil {
        let kind = problem(answer)
        #expect(
            route.allProblems.contains { $0.rawValue == kind && $0.status == answer.status },
            "\(route.name) answers \(answer.status) \(kind ?? "")")
        return
    }
    #expect(exact != nil, "\(route.name) answers \(answer.status) with \(type ?? "nothing")")
    guard case .json(let members) = exact?.content else { return }
    let names = (try? JSON.parse(answer.body))?.object?.map(\.key)
    #expect(names == members, "\(route.name)")
}
