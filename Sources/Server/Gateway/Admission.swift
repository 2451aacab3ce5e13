/// What a request must bring besides a route: a form of answer that there is, a client that is new enough, a
/// token or the cookie of a page, and a right that is enough.
import MacrologEvents
import MacrologHTTP
import MacrologJSON
import MacrologNutrition
import MacrologService

extension Gateway {
    /// A request as it counts: `HEAD` asks what `GET` would, and the cookie of a page is a token.
    func counted(_ request: HTTPRequest) throws(APIProblem) -> HTTPRequest {
        var request = request
        if request.method == "HEAD" { request.method = "GET" }
        try checkVersion(of: request)
        guard request.field("authorization") == nil, let token = PageCookie.token(in: request)
        else { return request }
        guard isFromOwnPage(request) else { throw .foreignPage }
        request.fields.append(HTTPField("authorization", "Bearer \(token)"))
        return request
    }

    private func checkVersion(of request: HTTPRequest) throws(APIProblem) {
        guard let least = settings.clientVersionMin, let text = request.field("x-client-version")
        else { return }
        guard let version = ClientVersion(text) else {
            throw APIProblem(
                .malformedRequest, "X-Client-Version must be a version such as 2.10.0.")
        }
        guard version >= least else { throw .oldClient(least) }
    }

    /// Whether a cookie counts: only for pages of this server, so that no other page acts for a person.
    private func isFromOwnPage(_ request: HTTPRequest) -> Bool {
        switch request.field("sec-fetch-site") {
        case "same-origin": true
        // Typed, or from a bookmark.
        case "none": request.method == "GET"
        case nil: request.field("origin") == server.address(for: request, prefix: "")
        default: false
        }
    }
}

/// The cookie of a page: an access token that no script can read.
enum PageCookie {
    private static let name = "__Host-macrolog"

    /// The token of the one cookie with its exact name. A browser has no second one, as `__Host-` forbids other
    /// paths and domains: of two, neither counts.
    static func token(in request: HTTPRequest) -> String? {
        let fields = request.fields.filter { asciiLowercased($0.name) == "cookie" }
        let values = fields.flatMap { $0.value.utf8.split(separator: UInt8(ascii: ";")) }
            .compactMap { part -> String? in
                let pair = part.split(
                    separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
                guard pair.count == 2, trimmed(pair[0]).utf8.elementsEqual(name.utf8) else {
                    return nil
                }
                return String(trimmed(pair[1]))
            }
        guard values.count == 1, let token = values.first, !token.isEmpty else { return nil }
        return token.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } ? token : nil
    }

    /// Without white space at the ends.
    private static func trimmed(_ text: Substring.UTF8View) -> Substring {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
        let rest = text.drop(while: isSpace)
        return Substring(rest.dropLast(rest.reversed().prefix(while: isSpace).count))
    }

    /// Sets it for as many seconds; 0 removes it.
    static func field(_ token: String, seconds: Int64) -> HTTPField {
        HTTPField(
            "set-cookie",
            "\(name)=\(token); Max-Age=\(seconds); Path=/; Secure; HttpOnly; SameSite=Strict")
    }
}

/// The version of a client: `2.10.0`.
package struct ClientVersion: Comparable, Sendable, CustomStringConvertible {
    private let parts: [Int]

    /// Reads one to three numbers with points between them; `nil` for anything else.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { part in
            part.utf8.count <= 6 && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
                ? Int(part) : nil
        }
        let numbers = parts.compactMap { $0 }
        guard (1...3).contains(parts.count), numbers.count == parts.count else { return nil }
        self.parts = numbers + Array(repeating: 0, count: 3 - numbers.count)
    }

    package var description: String { parts.map { "\($0)" }.joined(separator: ".") }

    package static func < (left: ClientVersion, right: ClientVersion) -> Bool {
        left.parts.lexicographicallyPrecedes(right.parts)
    }
}

extension APIRoute {
    /// Refuses a caller whose token has no right to this route.
    func permit(_ caller: Caller) throws(APIProblem) {
        guard let right = caller.right else { return }
        let isAllowed =
            switch right.scope {
            case .write: true
            case .read: !isWrite && (right.firstDay == nil || isForOthers)
            case .quick: name == "POST /api/v1/quick"
            }
        guard isAllowed else { throw .notAllowed(right) }
    }

    /// Refuses a request whose `Accept` has no type of this route's answers.
    func checkAccept(_ request: HTTPRequest) throws(APIProblem) {
        guard let accept = request.field("accept"), answers.contains(where: { $0.status != 204 })
        else { return }
        let types = live == nil ? produces : produces + ["text/event-stream"]
        let isAccepted = accept.split(separator: ",").contains { element in
            let parts = asciiLowercased(String(element)).split(separator: ";").map {
                $0.filter { $0 != " " && $0 != "\t" }
            }
            let isRefused = parts.dropFirst().contains { part in
                part.hasPrefix("q=0") && part.dropFirst(3).allSatisfy { $0 == "." || $0 == "0" }
            }
            guard let range = parts.first, !isRefused else { return false }
            return range == "*/*"
                || types.contains { type in
                    range == type || range.hasSuffix("/*") && type.hasPrefix(range.dropLast())
                }
        }
        guard isAccepted || accept.allSatisfy({ $0 == " " }) else { throw .notAcceptable(types) }
    }
}

extension APICall {
    /// The first day that the caller may see; `nil` for all.
    var firstDay: Day? { caller?.right?.firstDay.flatMap { Day(number: $0) } }

    /// Refuses days before the first one that the caller may see.
    func require(_ day: Day) throws(APIProblem) {
        guard let first = firstDay, day < first else { return }
        throw APIProblem(.notAllowed, "This token shows \(first) and later days.")
    }

    /// What the caller may see of a day or of the numbers of some days: what is computed from days before
    /// its first one is null, and fasts that began before it are left out. Goals that are computed from the
    /// weight are left out, and so is whether they were met.
    ///
    /// - Parameter days: The days that it is about.
    func kept(_ json: JSON, of days: [DaySummary]) -> JSON {
        guard let first = firstDay, let members = json.object else { return json }
        // The trend of the weight may follow from any earlier weigh-in.
        let hidesGoals = days.contains { $0.targets?.computed != nil }
        return .object(
            members.map { member in
                let value = member.value
                switch member.key {
                case "streak_days", "longest_streak_days", "weight_trend_kg":
                    return JSON.Member(member.key, .null)
                case "fasts":
                    return JSON.Member(
                        member.key,
                        .array(
                            (value.array ?? []).filter { fast in
                                fast["day"]?.string.flatMap { Day($0) }.map { $0 >= first } ?? false
                            }))
                case "goal_status", "achieved_days", "missed_days", "achievement_rate_percent":
                    return hidesGoals ? JSON.Member(member.key, .null) : member
                case "goals" where hidesGoals:
                    return JSON.Member(
                        member.key, .array((value.array ?? []).filter { !Self.isComputed($0) }))
                case "averages" where hidesGoals:
                    return JSON.Member(
                        member.key, .array((value.array ?? []).map { Self.withoutGoal($0) }))
                default: return member
                }
            })
    }

    /// Whether what is said of a nutrient may have a goal that is computed.
    private static func isComputed(_ json: JSON) -> Bool {
        [Nutrient.energy, .protein, .carbs, .fat].contains {
            json["nutrient"]?.string == $0.key.string
        }
    }

    private static func withoutGoal(_ average: JSON) -> JSON {
        guard isComputed(average), let members = average.object else { return average }
        return .object(
            members.map { $0.key.hasPrefix("goal_") ? JSON.Member($0.key, .null) : $0 })
    }
}

extension APIProblem {
    fileprivate static let foreignPage = APIProblem(
        .notAllowed,
        "The cookie counts for pages of this server only; send Authorization: Bearer and a token.")

    fileprivate static func oldClient(_ least: ClientVersion) -> APIProblem {
        APIProblem(
            .clientTooOld, "This server needs version \(least) of the app; update it.",
            members: [JSON.Member("version_min", .string("\(least)"))])
    }

    static func notAllowed(_ right: TokenRight) -> APIProblem {
        let what =
            switch right.scope {
            case .quick: "only POST /api/v1/quick"
            case .read where right.firstDay != nil: "only days, meals, averages and tables"
            case .read, .write: "only reading"
            }
        return APIProblem(.notAllowed, "This token allows \(what).")
    }

    fileprivate static func notAcceptable(_ types: [String]) -> APIProblem {
        APIProblem(.notAcceptable, "Accept must have \(types.joined(separator: " or ")).")
    }
}
