/// Why a request to the gateway was refused: one problem document (RFC 9457) for each reason.
import MacrologDiary
import MacrologEngine
import MacrologEvents
import MacrologFaces
import MacrologHTTP
import MacrologJSON
import MacrologNutrition
import MacrologNutritionModels

/// The last part of a problem's type, `urn:macrolog:problem:…`; `docs/rest.md` lists them.
package enum APIProblemKind: String, CaseIterable, Sendable {
    case malformedRequest = "malformed_request"
    case invalidParameter = "invalid_parameter"
    case unauthorized
    case notAllowed = "not_allowed"
    case notRecorded = "not_recorded"
    case notFound = "not_found"
    case methodNotAllowed = "method_not_allowed"
    case notAcceptable = "not_acceptable"
    case conflict
    case deleted
    case preconditionFailed = "precondition_failed"
    case consentRequired = "consent_required"
    case tooLarge = "too_large"
    case unsupportedMediaType = "unsupported_media_type"
    case invalidMember = "invalid_member"
    case idempotencyKey = "idempotency_key"
    case clientTooOld = "client_too_old"
    case tooManyRequests = "too_many_requests"
    case `internal`
    case busy
    case analysisFailed = "analysis_failed"
    case analysisUnavailable = "analysis_unavailable"

    /// The status of the answer.
    package var status: Int {
        switch self {
        case .malformedRequest, .invalidParameter: 400
        case .unauthorized: 401
        case .notAllowed, .notRecorded: 403
        case .notFound: 404
        case .methodNotAllowed: 405
        case .notAcceptable: 406
        case .conflict: 409
        case .deleted: 410
        case .preconditionFailed: 412
        case .consentRequired: 428
        case .tooLarge: 413
        case .unsupportedMediaType: 415
        case .invalidMember, .idempotencyKey: 422
        case .clientTooOld: 426
        case .tooManyRequests: 429
        case .internal: 500
        case .analysisFailed: 502
        case .busy, .analysisUnavailable: 503
        }
    }
}

/// A refusal. Nothing was recorded.
struct APIProblem: Error, Sendable {
    let kind: APIProblemKind
    /// One sentence for a person: what is wrong, and what to send instead.
    let title: String
    /// Machine-readable facts.
    var members: [JSON.Member] = []
    /// Header fields.
    var fields: [HTTPField] = []
    /// Why the server failed, for its log: the client does not receive it.
    let reason: String?

    init(
        _ kind: APIProblemKind, _ title: String, members: [JSON.Member] = [],
        fields: [HTTPField] = [], reason: String? = nil
    ) {
        self.kind = kind
        self.title = title
        self.members = members
        self.fields = fields
        self.reason = reason
    }

    var response: HTTPResponse {
        let document = JSON.object(
            [
                JSON.Member("type", .string("urn:macrolog:problem:\(kind.rawValue)")),
                JSON.Member("title", .string(title)),
                JSON.Member("status", .integer(Int64(kind.status))),
            ] + members)
        return HTTPResponse(
            status: kind.status,
            fields: [HTTPField("content-type", "application/problem+json")] + fields,
            body: Array(document.compact.utf8))
    }
}

extension APIProblem {
    static let notFound = APIProblem(
        .notFound, "There is nothing at this address; GET /api lists the addresses.")
    static let busy = APIProblem(
        .busy, "The server is busy; try again soon.", fields: [HTTPField("retry-after", "1")])

    /// As `/ready` says it.
    static let diskFull = APIProblem(
        .busy, "The server's disk has no room left; its operator has to make some.",
        fields: [HTTPField("retry-after", "60")])

    /// What should not happen.
    static func failed(_ file: StaticString = #fileID, _ line: UInt = #line) -> APIProblem {
        APIProblem(
            .internal, "The server failed; try again later. Its log says why.",
            reason: "\(file):\(line) met what should not be: please report this line")
    }

    /// A member of the body that cannot be taken.
    ///
    /// - Parameter pointer: Where it is (RFC 6901), such as `/items/0/name`.
    static func invalid(_ pointer: String, _ title: String) -> APIProblem {
        APIProblem(
            .invalidMember, title, members: [JSON.Member("pointer", .string("#" + pointer))])
    }

    /// A body that is not JSON, with the member in which it stops being so.
    static func noJSON(_ error: JSONError) -> APIProblem {
        APIProblem(
            .malformedRequest, "The body is not JSON: \(error).",
            members: error.pointer.isEmpty
                ? [] : [JSON.Member("pointer", .string("#" + error.pointer))])
    }

    /// A parameter of the path or the query that cannot be taken.
    static func parameter(_ name: String, _ title: String) -> APIProblem {
        APIProblem(.invalidParameter, title, members: [JSON.Member("parameter", .string(name))])
    }

    /// Another method is needed; RFC 9110 §15.5.6 requires `Allow`.
    static func method(_ allowed: [String]) -> APIProblem {
        APIProblem(
            .methodNotAllowed, "The method must be \(allowed.joined(separator: " or ")).",
            fields: [HTTPField("allow", allowed.joined(separator: ", "))])
    }
}

extension APIProblem {
    /// Why the diary refused an action.
    init(_ error: EntryError, in kind: Kind? = nil) {
        switch error.code {
        case .invalid(let findings): self.init(findings)
        case .notFound(let kind): self.init(.notFound, "There is no such \(kind.title).")
        case .deleted(let kind):
            self.init(
                .deleted, "That \(kind.title) is deleted; \(Self.wayBack(of: kind)) brings it back."
            )
        case .recursiveRecipe, .fastInProgress, .noFastInProgress, .noSuchTime:
            self.init(.conflict, Self.sentence(error))
        }
    }

    /// The request that restores a deleted entity of a kind.
    private static func wayBack(of kind: Kind) -> String {
        switch kind.name {
        // On the faces of the earlier systems, too.
        case Kind.meal.name: "POST /api/v1/meals/{id}/restore"
        case Kind.photo.name: "POST /photos with the same image"
        default: "POST …/restore"
        }
    }

    /// The first thing that is wrong with what was sent, and the others as members.
    ///
    /// - Parameter names: What a face calls members that it names otherwise: `slot` → `meal_type`.
    init(_ findings: [Finding], naming names: [String: String] = [:]) {
        let all = findings.filter { $0.severity == .hard }
        guard let first = all.first else {
            self = .failed()
            return
        }
        self = .invalid("/" + Self.key(first, names), Self.sentence(first, names))
        members.append(
            JSON.Member(
                "errors",
                .array(
                    all.map {
                        [
                            "pointer": .string("#/" + Self.key($0, names)),
                            "detail": .string(Self.sentence($0, names)),
                        ]
                    })))
    }

    private static func key(_ finding: Finding, _ names: [String: String]) -> String {
        let key = FieldJSON.key(of: finding.field, in: finding.kind)
        let place = Nutrient(key: finding.field) == nil ? key : "nutrients/" + key
        return names[place] ?? place
    }

    private static func sentence(_ finding: Finding, _ names: [String: String]) -> String {
        "\(key(finding, names)) \(finding.problem.string): \(finding.hint.string)."
    }

    private static func sentence(_ error: some ExplainedError) -> String {
        let text = error.hint.map { "\(error.explanation); \($0)" } ?? error.explanation
        return text.prefix(1).uppercased() + text.dropFirst() + "."
    }

    /// Why the server did not take what was recorded.
    init(_ error: AccountError) {
        guard !error.isRetryable else {
            self = .busy
            return
        }
        self.init(.notRecorded, "Not recorded: " + Self.sentence(error))
    }

    /// Any other error that explains itself, such as an undo of nothing.
    init(explaining error: some ExplainedError) {
        self.init(.conflict, Self.sentence(error))
    }
}
