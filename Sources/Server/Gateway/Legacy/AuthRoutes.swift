/// The accounts of NutritionAI's face: `/api/auth/register`, `login`, `refresh`, `logout`, by the routes of the
/// server itself, with its limits.
import MacrologHTTP
import MacrologJSON
import MacrologService

enum AuthRoutes {
    static let all = [
        APIRoute(
            "POST", "/api/auth/register", "NutritionAI: makes an account, and logs in.",
            body: .object([
                Schema.Member("email", .text(3...254), isRequired: true),
                Schema.Member("password", .text(8...1_024), isRequired: true),
                Schema.Member("displayName", .nullable(.plain(1...80))),
                Schema.Member("invitation", .nullable(.text(1...100)), "Where one is needed."),
                cookie,
            ]), answers: [.init(201, tokensForm)], problems: credentialProblems,
            ignoresUnknown: true, .server { register($0, $1, $2) }),
        APIRoute(
            "POST", "/api/auth/login", "NutritionAI: begins a session.",
            body: .object([
                Schema.Member("email", .text(3...254), isRequired: true),
                Schema.Member("password", .text(1...1_024), isRequired: true),
                Schema.Member("code", .nullable(.text(1...64)), "Of a second factor."),
                cookie,
            ]), answers: [.init(200, tokensForm)], problems: credentialProblems,
            ignoresUnknown: true,
            .server { logIn($0, $1, status: 200, name: nil, $2) }),
        APIRoute(
            "POST", "/api/auth/refresh", "NutritionAI: exchanges a refresh token for new tokens.",
            body: .object([Schema.Member("refreshToken", .text(1...200), isRequired: true)]),
            answers: [.init(200, tokensForm)], problems: credentialProblems,
            ignoresUnknown: true, .server { refresh($0, $1, $2) }),
        APIRoute(
            "POST", "/api/auth/logout", "NutritionAI: ends this session.", answers: [.init(204)],
            problems: credentialProblems, ignoresUnknown: true,
            .server { gateway, call, reply in
                gateway.server.respond(to: call.asking("POST", "/v1/auth/logout")) {
                    reply($0.status == 204 ? $0.adding([PageCookie.field("", seconds: 0)]) : $0)
                }
            }),
        APIRoute(
            "POST", "/api/auth/logout-all", "NutritionAI: ends all sessions of the account.",
            answers: [.init(204)], problems: credentialProblems, ignoresUnknown: true,
            .server { gateway, call, reply in
                gateway.server.respond(to: call.asking("DELETE", "/v1/devices")) { answer in
                    guard answer.status == 204 else { return reply(answer) }
                    gateway.server.respond(to: call.asking("POST", "/v1/auth/logout")) {
                        reply($0.status == 204 ? $0.adding([PageCookie.field("", seconds: 0)]) : $0)
                    }
                }
            }),
    ]

    private static let tokensForm = Schema.report(
        "token: text?, refreshToken: text?, expiresIn: count", asked: "user: person?")

    private static let cookie = Schema.Member(
        "cookie", .nullable(.flag),
        "For pages of this server: sets the token as a cookie that no script can read.")

    private static let credentialProblems: [APIProblemKind] = [
        .unauthorized, .notRecorded, .tooManyRequests,
    ]

    /// What an owner sees in the list of devices.
    private static let device = "NutritionAI"

    private static func register(
        _ gateway: Gateway, _ call: APICall, _ reply: @escaping Gateway.Reply
    ) {
        var members = ["email", "password"].map { JSON.Member($0, call.body[$0] ?? .null) }
        if let invitation = call.body["invitation"]?.string {
            members.append(JSON.Member("invitation", .string(invitation)))
        }
        gateway.server.respond(
            to: call.asking("POST", "/v1/auth/register", .object(members))
        ) { answer in
            guard answer.status == 202 else { return reply(answer) }
            logIn(gateway, call, status: 201, name: call.body["displayName"]?.string) { answer in
                // The server does not tell who has an account, unless its operator allows it.
                let isTaken = answer.status == 401 && gateway.settings.revealsRegistration
                reply(isTaken ? APIProblem.taken.response : answer)
            }
        }
    }

    private static func logIn(
        _ gateway: Gateway, _ call: APICall, status: Int, name: String?,
        _ reply: @escaping Gateway.Reply
    ) {
        var members = ["email", "password"].map { JSON.Member($0, call.body[$0] ?? .null) }
        members.append(JSON.Member("device", .string(device)))
        if let code = call.body["code"]?.string {
            members.append(JSON.Member("code", .string(code)))
        }
        gateway.server.respond(
            to: call.asking("POST", "/v1/auth/login", .object(members))
        ) { answer in
            guard answer.status == 200, let tokens = try? JSON.parse(answer.body),
                let token = tokens["access_token"]?.string
            else { return reply(answer) }
            @Sendable func finish(_ profile: HTTPResponse) {
                let user = profile.status == 200 ? try? JSON.parse(profile.body) : nil
                reply(Self.tokens(tokens, status, user, asCookie: call.body["cookie"] == true))
            }
            gateway.respond(to: call.asking("GET", "/api/users/profile", token: token)) { answer in
                // An account that was there already keeps its name.
                let known = (try? JSON.parse(answer.body))?["displayName"]?.string
                guard let name, answer.status == 200, known == nil else { return finish(answer) }
                let body: JSON = ["displayName": .string(name)]
                gateway.respond(
                    to: call.asking("PUT", "/api/users/profile", body, token: token), reply: finish)
            }
        }
    }

    private static func refresh(
        _ gateway: Gateway, _ call: APICall, _ reply: @escaping Gateway.Reply
    ) {
        let body = JSON.object([
            JSON.Member("refresh_token", call.body["refreshToken"] ?? .null)
        ])
        gateway.server.respond(to: call.asking("POST", "/v1/auth/refresh", body)) { answer in
            guard answer.status == 200, let tokens = try? JSON.parse(answer.body) else {
                return reply(answer)
            }
            reply(Self.tokens(tokens, 200, nil))
        }
    }

    /// - Parameter asCookie: Whether the access token is in a cookie instead, and no token in the body.
    private static func tokens(
        _ tokens: JSON, _ status: Int, _ user: JSON?, asCookie: Bool = false
    ) -> HTTPResponse {
        let (token, seconds) = (tokens["access_token"] ?? .null, tokens["expires_in"] ?? .null)
        let json = JSON.object(
            [
                JSON.Member("token", asCookie ? .null : token),
                JSON.Member(
                    "refreshToken", asCookie ? .null : tokens["refresh_token"] ?? .null),
                JSON.Member("expiresIn", seconds),
            ] + (user.map { [JSON.Member("user", $0)] } ?? []))
        let cookie =
            asCookie
            ? [PageCookie.field(token.string ?? "", seconds: seconds.integer ?? 0)] : []
        return HTTPResponse(
            status: status,
            fields: [HTTPField("content-type", "application/json")] + cookie,
            body: Array(json.compact.utf8))
    }
}

extension APICall {
    /// Another request of the same sender.
    fileprivate func asking(
        _ method: String, _ path: String, _ body: JSON? = nil, token: String? = nil
    ) -> HTTPRequest {
        var request = HTTPRequest(
            method: method, path: path, fields: request.fields, peer: request.peer)
        request.fields.removeAll { field in
            ["content-type", "content-length", "content-encoding"].contains(
                asciiLowercased(field.name))
        }
        if let token {
            request.fields.removeAll { asciiLowercased($0.name) == "authorization" }
            request.fields.append(HTTPField("authorization", "Bearer \(token)"))
        }
        if let body {
            request.fields.append(HTTPField("content-type", "application/json"))
            request.body = Array(body.compact.utf8)
        }
        return request
    }
}

extension APIProblem {
    fileprivate static let taken = APIProblem(
        .malformedRequest, "This address has an account: log in, or use another address.")
}
