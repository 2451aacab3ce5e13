/// One route of the server as a value: method, path, who may ask, limits, body, answers, problems,
/// and the function that answers.
import MacrologEvents
import MacrologHTTP

/// Everything that routing, the checks before a handler, the log and the tests know of a route.
package struct Route: Sendable {
    /// The method, such as `POST`.
    package let method: String
    /// Where it is.
    package let path: Path
    /// One sentence: what it does.
    package let summary: String
    /// Whether a request may have a query.
    package let takesQuery: Bool
    /// The body that it reads; without one, a body is ignored.
    package let body: Content?
    /// The media type of a body that is read as a whole; `nil` for one in pieces, or none.
    let messageType: StaticString?
    /// The maximum length of a body, as transferred and decompressed, in bytes.
    package let bodyBytesMax: Int
    /// The rates that it may be charged to.
    package let rates: [RateLimit]
    /// What it answers, unless with a problem.
    package let answers: [Answer]
    /// The problems of its own; ``allProblems`` has the others, too.
    package let problems: [ProblemKind]
    /// Answers a request.
    let handler: Handler

    init(
        _ method: String, _ path: Path, _ summary: String, takesQuery: Bool = false,
        body: Content? = nil, bodyBytesMax: Int = Bodies.strangerBytesMax, rates: [RateLimit] = [],
        answers: [Answer], problems: [ProblemKind] = [], handler: Handler
    ) {
        self.method = method
        self.path = path
        self.summary = summary
        self.takesQuery = takesQuery
        self.body = body
        messageType = body == .bytes ? nil : body?.mediaType
        self.bodyBytesMax = bodyBytesMax
        self.rates = rates
        self.answers = answers
        self.problems = problems
        self.handler = handler
    }

    /// Method and path, as in `protocol.md`: `DELETE /v1/devices/{id}`.
    package var name: String { "\(method) \(path.pattern)" }

    /// Who may ask.
    package var right: Right {
        switch handler {
        case .open: .anyone
        case .refreshToken: .refreshToken
        case .session, .upload: .session
        }
    }

    /// Its own problems, those that follow from its columns, and those of every route.
    package var allProblems: Set<ProblemKind> {
        var all = Routes.problems.union(problems)
        if right == .session { all.formUnion([.unauthorized, .accountDisabled]) }
        if right == .refreshToken { all.insert(.accountDisabled) }
        if !rates.isEmpty { all.insert(.tooManyRequests) }
        if path.parameter != nil { all.insert(.notFound) }
        if body != nil { all.insert(.unsupportedMediaType) }
        return all
    }
}

extension Route {
    /// What a request must bring.
    package enum Right: String, Sendable {
        /// Nothing.
        case anyone
        /// A refresh token in its body.
        case refreshToken = "refresh token"
        /// The access token of a session.
        case session
    }

    /// A body: its media type, and what is in it.
    package enum Content: Hashable, Sendable {
        /// Deterministic CBOR, by the name of its rule in the CDDL of `protocol.md`.
        case cbor(String)
        /// A JSON object, by the names of its members; those that end in `?` may be missing.
        case json([String])
        /// Bytes that are kept as they are.
        case bytes
        /// Server-sent events.
        case events
        /// Plain text.
        case text
        /// A page for people.
        case html
        /// A picture.
        case png

        /// The media type.
        package var mediaType: StaticString {
            switch self {
            case .cbor: "application/cbor"
            case .json: "application/json"
            case .bytes: "application/octet-stream"
            case .events: "text/event-stream"
            case .text: "text/plain; charset=utf-8"
            case .html: "text/html; charset=utf-8"
            case .png: "image/png"
            }
        }
    }

    /// An answer: its status, and its body where it has one.
    package struct Answer: Hashable, Sendable {
        package let status: Int
        package let content: Content?

        init(_ status: Int, _ content: Content? = nil) {
            self.status = status
            self.content = content
        }
    }

    /// A path, whose last segment may be a parameter: `/v1/devices/{id}`.
    package struct Path: Hashable, Sendable, ExpressibleByStringLiteral {
        /// As it is written in `protocol.md`.
        package let pattern: String
        /// The parameter's name.
        package let parameter: String?
        /// The pattern up to the parameter.
        private let prefix: String

        package init(stringLiteral pattern: String) {
            self.pattern = pattern
            let parts = pattern.split(separator: "{", omittingEmptySubsequences: false)
            prefix = String(parts[0])
            precondition(parts.count <= 2 && (parts.count == 1) == (pattern.last != "}"))
            parameter = parts.count == 2 ? String(parts[1].dropLast()) : nil
        }

        /// What stands in place of the parameter, empty for a path without one; `nil` if the path
        /// does not match.
        func match(_ path: String) -> String? {
            guard parameter != nil else { return path == prefix ? "" : nil }
            guard path.utf8.starts(with: prefix.utf8) else { return nil }
            return String(path[path.utf8.index(path.startIndex, offsetBy: prefix.utf8.count)...])
        }
    }

    /// The function that answers. What it is given says what a request must bring: a handler that
    /// needs a session cannot be reached without one.
    enum Handler: Sendable {
        case open(@Sendable (SyncServer) -> (Call) throws(Problem) -> Void)
        case refreshToken(@Sendable (SyncServer) -> (Call) throws(Problem) -> Void)
        case session(@Sendable (SyncServer) -> (Session, Call) throws(Problem) -> Void)
        /// Receives the body piece by piece.
        case upload(@Sendable (SyncServer) -> (Session, Call) throws(Problem) -> BodySink)
    }
}

/// A request that its route has let in.
struct Call: Sendable {
    let request: HTTPRequest
    /// What stands in place of the path's parameter.
    let parameter: String
    /// The decompressed body, of the route's type; empty if the route reads none.
    let body: [UInt8]
    /// Milliseconds since 1970 UTC.
    let now: Int64
    /// Receives the response, once.
    let reply: SyncServer.Answer
}
