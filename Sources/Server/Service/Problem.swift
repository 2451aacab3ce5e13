/// Why a request was refused: one problem document (RFC 9457) for each reason, with a stable type.
import MacrologJSON
import MacrologHTTP

struct Problem: Error {
    let status: Int
    /// The last part of `urn:macrolog:problem:…`; a promise of `protocol.md`.
    let kind: StaticString
    /// One sentence for a person: what is wrong, and how to fix it.
    let title: String
    /// The number of seconds after which the same request may succeed.
    var retryAfterSeconds: Int64?
    /// The allowed methods.
    var allow: String?
    /// Machine-readable facts.
    var members: [JSON.Member] = []
    /// Additional header fields.
    var fields: [HTTPField] = []

    var response: HTTPResponse {
        let document = JSON.object(
            [
                JSON.Member("type", .string("urn:macrolog:problem:\(kind)")),
                JSON.Member("title", .string(title)),
                JSON.Member("status", .integer(Int64(status))),
            ] + members)
        var response = HTTPResponse(
            status: status, fields: [HTTPField("content-type", "application/problem+json")],
            body: Array(document.compact.utf8))
        if let retryAfterSeconds {
            response.fields.append(HTTPField("retry-after", "\(retryAfterSeconds)"))
        }
        response.fields += fields
        if let allow { response.fields.append(HTTPField("allow", allow)) }
        if status == 401 {
            response.fields.append(HTTPField("www-authenticate", "Bearer"))
        }
        return response
    }
}

extension Problem {
    static let notFound = Problem(
        status: 404, kind: "not_found", title: "There is nothing at this address.")
    static let unauthorized = Problem(
        status: 401, kind: "unauthorized", title: "Log in again: the access token is not valid.")
    static let wrongCredentials = Problem(
        status: 401, kind: "wrong_credentials", title: "The address or the password is wrong.")
    static let wrongRefreshToken = Problem(
        status: 401, kind: "wrong_refresh_token", title: "Log in again: the session has ended.")
    static let busy = Problem(
        status: 503, kind: "busy", title: "The server is busy; try again soon.",
        retryAfterSeconds: 1)
    static let hashingBusy = Problem(
        status: 503, kind: "busy", title: "Too many people are logging in; try again soon.",
        retryAfterSeconds: 5)
    static let full = Problem(
        status: 507, kind: "storage_full", title: "The server has no room left.",
        retryAfterSeconds: 300)
    static let failed = Problem(
        status: 500, kind: "internal", title: "The server failed; its log says why.")
    static let tooLarge = Problem(
        status: 413, kind: "too_large", title: "The body is longer than 1,048,576 bytes.")

    static func tooMany(retryAfterSeconds: Int64) -> Problem {
        Problem(
            status: 429, kind: "too_many_requests",
            title: "Too many attempts; try again in \(retryAfterSeconds) s.",
            retryAfterSeconds: retryAfterSeconds)
    }

    static func method(_ allowed: String) -> Problem {
        Problem(
            status: 405, kind: "method_not_allowed", title: "The method must be \(allowed).",
            allow: allowed)
    }

    static func malformed(_ title: String) -> Problem {
        Problem(status: 400, kind: "malformed_request", title: title)
    }

    static func invalid(_ field: String, _ title: String) -> Problem {
        Problem(
            status: 400, kind: "invalid_field", title: title,
            members: [JSON.Member("field", .string(field))])
    }

    static func mediaType(_ expected: String) -> Problem {
        Problem(
            status: 415, kind: "unsupported_media_type", title: "The body must be \(expected).")
    }
}

extension StoreError {
    /// The problem that the client receives.
    var problem: Problem {
        switch self {
        case .busy: .busy
        case .full: .full
        case .failed: .failed
        }
    }
}
