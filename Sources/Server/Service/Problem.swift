/// Why a request was refused: one problem document (RFC 9457) for each reason, with a stable type.
import MacrologJSON
package import MacrologHTTP

/// The last part of a problem's type, `urn:macrolog:problem:…`; a promise of `protocol.md` §10.
package enum ProblemKind: String, CaseIterable, Sendable {
    case malformedRequest = "malformed_request"
    case malformedEvent = "malformed_event"
    case invalidField = "invalid_field"
    case wrongHash = "wrong_hash"
    case unauthorized
    case wrongCredentials = "wrong_credentials"
    case wrongRefreshToken = "wrong_refresh_token"
    case codeRequired = "code_required"
    case wrongCode = "wrong_code"
    case accountDisabled = "account_disabled"
    case registrationClosed = "registration_closed"
    case invitation
    case quota
    case eventQuota = "event_quota"
    case shareQuota = "share_quota"
    case notFound = "not_found"
    case methodNotAllowed = "method_not_allowed"
    case secondFactor = "second_factor"
    case dotReuse = "dot_reuse"
    case expectedSeq = "expected_seq"
    case superseded
    case expectedOffset = "expected_offset"
    case divergent
    case epochChanged = "epoch_changed"
    case tooLarge = "too_large"
    case unsupportedMediaType = "unsupported_media_type"
    case rangeNotSatisfiable = "range_not_satisfiable"
    case unsupportedVersion = "unsupported_version"
    case tooManyRequests = "too_many_requests"
    case `internal`
    case busy
    case storageFull = "storage_full"

    /// The status of the answer.
    package var status: Int {
        switch self {
        case .malformedRequest, .malformedEvent, .invalidField, .wrongHash: 400
        case .unauthorized, .wrongCredentials, .wrongRefreshToken, .codeRequired, .wrongCode:
            401
        case .accountDisabled, .registrationClosed, .invitation, .quota, .eventQuota, .shareQuota:
            403
        case .notFound: 404
        case .methodNotAllowed: 405
        case .secondFactor, .dotReuse, .expectedSeq, .superseded, .expectedOffset, .divergent,
            .epochChanged:
            409
        case .tooLarge: 413
        case .unsupportedMediaType: 415
        case .rangeNotSatisfiable: 416
        case .unsupportedVersion: 426
        case .tooManyRequests: 429
        case .internal: 500
        case .busy: 503
        case .storageFull: 507
        }
    }
}

extension ProblemKind {
    private static let prefix = #"{"type":"urn:macrolog:problem:"#

    /// The name of the problem that a response tells of, also of one that only another room has; `nil` if it
    /// tells of none.
    package static func name(of response: HTTPResponse) -> String? {
        guard response.status >= 400, response.body.starts(with: prefix.utf8) else { return nil }
        let name = response.body.dropFirst(prefix.utf8.count).prefix { $0 != UInt8(ascii: "\"") }
        return String(decoding: name, as: UTF8.self)
    }

    /// Whether it refuses something that a client should not have sent, as opposed to what devices
    /// tell each other every day.
    package var isRefusal: Bool {
        switch self {
        case .dotReuse, .expectedSeq, .superseded, .expectedOffset, .divergent, .epochChanged,
            .rangeNotSatisfiable, .internal, .busy, .storageFull:
            false
        default: true
        }
    }
}

package struct Problem: Error {
    package let kind: ProblemKind
    /// One sentence for a person: what is wrong, and how to fix it.
    package let title: String
    /// The number of seconds after which the same request may succeed.
    var retryAfterSeconds: Int64?
    /// Machine-readable facts.
    var members: [JSON.Member] = []
    /// Additional header fields.
    var fields: [HTTPField] = []
    /// Why the server failed, for its log: the client does not receive it.
    fileprivate(set) var reason: String?

    init(
        _ kind: ProblemKind, _ title: String, retryAfterSeconds: Int64? = nil,
        members: [JSON.Member] = [], fields: [HTTPField] = []
    ) {
        self.kind = kind
        self.title = title
        self.retryAfterSeconds = retryAfterSeconds
        self.members = members
        self.fields = fields
    }

    /// No thread is free for a request.
    package static let overloaded = Problem(
        .busy, "The server has too many requests to answer.", retryAfterSeconds: 5)

    /// The answer that tells of it.
    package var response: HTTPResponse {
        let document = JSON.object(
            [
                JSON.Member("type", .string("urn:macrolog:problem:\(kind.rawValue)")),
                JSON.Member("title", .string(title)),
                JSON.Member("status", .integer(Int64(kind.status))),
            ] + members)
        var response = HTTPResponse(
            status: kind.status,
            fields: [HTTPField("content-type", "application/problem+json")],
            body: Array(document.compact.utf8))
        if let retryAfterSeconds {
            response.fields.append(HTTPField("retry-after", "\(retryAfterSeconds)"))
        }
        response.fields += fields
        if kind.status == 401 {
            response.fields.append(HTTPField("www-authenticate", "Bearer"))
        }
        return response
    }
}

extension Problem {
    static let notFound = Problem(.notFound, "There is nothing at this address.")
    static let unauthorized = Problem(
        .unauthorized, "Log in again: the access token is not valid.")
    static let wrongCredentials = Problem(
        .wrongCredentials, "The address or the password is wrong.")
    static let wrongRefreshToken = Problem(
        .wrongRefreshToken, "Log in again: the session has ended.")
    static let codeRequired = Problem(
        .codeRequired, "This account has a second factor: give the code of the app, too.")
    static let wrongCode = Problem(
        .wrongCode, "The code is wrong, or was used already, or has expired; take a new one.")
    static let accountDisabled = Problem(
        .accountDisabled,
        "This account is disabled. What is recorded stays on the devices; ask the server's operator.",
        retryAfterSeconds: 3_600)
    static let registrationClosed = Problem(
        .registrationClosed, "This server takes no new accounts; ask its operator for one.")
    static let invitationNeeded = Problem(
        .invitation, "This server takes new accounts by invitation; ask its operator for a code.")
    static let invitationWrong = Problem(
        .invitation,
        "This invitation is wrong, used up, or has ended; ask the server's operator for another.")
    static let busy = Problem(
        .busy, "The server is busy; try again soon.", retryAfterSeconds: 1)
    static let unmounted = Problem(
        .busy, "The server cannot reach the photos: its operator has to mount their folder.",
        retryAfterSeconds: 60)
    static let hashingBusy = Problem(
        .busy, "Too many people are logging in; try again soon.", retryAfterSeconds: 5)
    static let full = Problem(
        .storageFull, "The server has no room left; ask its operator for more.",
        retryAfterSeconds: 300)
    /// - Parameter reason: Why, for the log; `nil` if that has it already.
    static func failed(_ reason: String?) -> Problem {
        var problem = Problem(
            .internal, "The server failed; try again later. Its log says why.")
        problem.reason = reason
        return problem
    }

    static func tooLarge(_ bytesMax: Int) -> Problem {
        Problem(.tooLarge, "The body is longer than \(bytesMax) bytes; send less at once.")
    }

    static func tooMany(retryAfterSeconds: Int64) -> Problem {
        Problem(
            .tooManyRequests, "Too many attempts; try again in \(retryAfterSeconds) s.",
            retryAfterSeconds: retryAfterSeconds)
    }

    /// Another method is needed; RFC 9110 §15.5.6 requires `Allow`.
    static func method(_ allowed: String) -> Problem {
        Problem(
            .methodNotAllowed, "The method must be \(allowed.replacing(", ", with: " or ")).",
            fields: [HTTPField("allow", allowed)])
    }

    static func malformed(_ title: String) -> Problem {
        Problem(.malformedRequest, title)
    }

    static func invalid(_ field: String, _ title: String) -> Problem {
        Problem(.invalidField, title, members: [JSON.Member("field", .string(field))])
    }

    static func mediaType(_ expected: String) -> Problem {
        Problem(.unsupportedMediaType, "The body must be \(expected).")
    }
}

extension StoreError {
    /// The problem that the client receives.
    var problem: Problem {
        switch self {
        case .busy, .elsewhere: .busy
        case .unmounted: .unmounted
        case .full: .full
        case .failed(let reason): .failed(reason)
        }
    }
}

extension SyncServer {
    /// The answer that tells of a problem. If the server failed, its log has the reason before the answer is sent.
    package func answer(_ problem: Problem) -> HTTPResponse {
        noteFailure(problem)
        return problem.response
    }

    /// The answer that tells of an error of the store, as ``answer(_:)``.
    func refuse(_ error: StoreError) -> HTTPResponse { answer(error.problem) }

    /// Writes into the log why the server failed. Other problems are of its clients.
    package func noteFailure(_ problem: Problem) {
        guard let reason = problem.reason else { return }
        note(ServerNote(level: .error, event: "store.failed", facts: [("detail", reason)]))
    }
}
