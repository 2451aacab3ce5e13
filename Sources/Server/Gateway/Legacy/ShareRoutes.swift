/// The links of NutritionAI's face: `/api/share`. What they show is drawn here and kept by the server, like what a
/// device shares.
import MacrologDiary
import MacrologDrawing
import MacrologEvents
import MacrologWire
import MacrologFaces
import MacrologHTTP
import MacrologJSON
import MacrologNutrition
import MacrologService

enum ShareRoutes {
    static let all = [
        APIRoute(
            "POST", "/api/share/meal/{id}", "NutritionAI: makes a link that shows a meal.",
            query: [days], answers: [.init(201, made)], problems: [.notRecorded],
            ignoresUnknown: true, .person(isWrite: true) { try share($0, $1) }),
        APIRoute(
            "GET", "/api/share/{token}", "NutritionAI: what a link shows, for anyone; it counts.",
            answers: [.init(200, shown)], problems: [.tooManyRequests], ignoresUnknown: true,
            .server { show($0, $1, $2) }),
        APIRoute(
            "DELETE", "/api/share/{token}", "NutritionAI: ends a link.", answers: [.init(204)],
            ignoresUnknown: true, .person(isWrite: true) { try end($0, $1) }),
    ]

    private static let days = APIParameter(
        "days", .integer(1...90), "For how many days; 7 otherwise.", example: "7")

    private static let made = Schema.object([
        Schema.Member("id", .id, isRequired: true),
        Schema.Member("token", .text(64...64), isRequired: true),
        Schema.Member("url", .text(1...800), isRequired: true),
        Schema.Member("expiresAt", .instant, isRequired: true),
    ])
    private static let shown = Schema.object([
        Schema.Member("share", .anyObject, isRequired: true),
        Schema.Member("expires", .number(0...(1 << 53), scale: 0), isRequired: true),
        Schema.Member("card", .text(1...800), isRequired: true),
    ])

    private static func share(_ person: Person, _ call: APICall) throws -> APIAnswer {
        let share = try person.read { try document($0, call.id()) }
        let card: [UInt8]
        do throws(DrawingError) { card = try share.card.png(.light).bytes } catch {
            throw APIProblem(
                .busy, "The server cannot draw the card of the link: \(error). Ask its operator.")
        }
        var seconds = (call.integer("days") ?? 7) * 86_400
        // No link outlives the token that makes it.
        if let end = try call.caller.flatMap({ try person.server.end(of: $0) }) {
            seconds = max(1, min(seconds, (end - person.server.now) / 1_000))
        }
        // The same key makes the same link.
        let token = person.unguessable(call.idempotency?.group)
        let request = ShareRequest(
            token: token, seconds: seconds, opensMax: 0,
            origin: "https://localhost", document: Array(share.json.compact.utf8), card: card)
        let answer = person.ask("POST", "/v1/shares", request.encoded(), of: call.request)
        guard answer.status < 300, let json = try? JSON.parse(answer.body),
            let expires = json["expires"]?.integer
        else { throw refusal(answer) }
        let digits = hexadecimal(token)
        return APIAnswer(
            status: 201,
            content: .compact([
                "id": json["id"] ?? .null, "token": .string(digits),
                "url": .string("\(person.address(for: call.request))/s/\(digits)"),
                "expiresAt": .instant(expires),
            ]), fields: [HTTPField("location", "/api/share/\(digits)")])
    }

    private static func document(_ diary: borrowing Diary, _ id: Identifier) throws -> Share {
        _ = try diary.require(Meal.self, id)
        guard let detail = try diary.meal(id) else { throw APIProblem.failed() }
        guard detail.meal.isConsumed else {
            throw APIProblem(
                .conflict, "That meal is planned: POST /api/meals/{id}/consume when it is eaten.")
        }
        let profile = try diary.profile()
        let scored = try profile.dietType.flatMap {
            try diary.dietScore(ofMeal: id, for: $0, shares: profile.customMacroShares)
        }
        let score = scored.flatMap { meal in
            meal.score.score.map { Share.Score(diet: meal.score.diet, points: $0) }
        }
        return Share(detail, score: score, in: try diary.preferences().energyUnit ?? .kilocalories)
    }

    private static func show(
        _ gateway: Gateway, _ call: APICall, _ reply: @escaping Gateway.Reply
    ) {
        var request = call.request
        // An opening counts, and HEAD is none.
        if call.isHead { request.method = "HEAD" }
        request.path = "/s/\(call.text("token") ?? "")"
        request.query = ""
        request.fields.removeAll { asciiLowercased($0.name) == "accept" }
        request.fields.append(HTTPField("accept", "application/json"))
        gateway.server.respond(to: request, reply: reply)
    }

    private static func end(_ person: Person, _ call: APICall) throws -> APIAnswer {
        guard let id = try person.share(token: call.text("token") ?? "") else {
            throw APIProblem.notFound
        }
        let answer = person.ask("DELETE", "/v1/shares/\(id)", [], of: call.request)
        guard answer.status == 204 else { throw refusal(answer) }
        return .nothing
    }

    /// Why the server did not take it.
    private static func refusal(_ answer: HTTPResponse) -> APIProblem {
        let body = try? JSON.parse(answer.body)
        let title = body?["title"]?.string ?? "The server refused it."
        switch answer.status {
        case 400 where body?["ended"] == .bool(true):
            return APIProblem(
                .deleted, "The link of this request was ended; send a new Idempotency-Key.")
        case 403: return APIProblem(.notRecorded, title)
        case 404: return .notFound
        case 429:
            let after = answer.field("retry-after").map { [HTTPField("retry-after", $0)] }
            return APIProblem(.tooManyRequests, title, fields: after ?? [])
        default: return .busy
        }
    }
}
