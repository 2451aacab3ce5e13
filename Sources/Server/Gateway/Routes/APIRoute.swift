/// One route of the gateway as a value: method, path, parameters, body, answers, problems, an example, who
/// may ask, and the function that answers. Routing, checking and the documents follow from it.
import MacrologDiary
import MacrologHTTP
package import MacrologJSON

package struct APIRoute: Sendable {
    /// The method, such as `POST`.
    package let method: String
    package let path: PathPattern
    /// One sentence: what it does.
    package let summary: String
    /// The parameters of the query.
    package let query: [APIParameter]
    /// The body that it reads; `nil` for none.
    package let body: Schema?
    /// What it answers, unless with a problem.
    package let answers: [Answer]
    /// The problems of its own; ``allProblems`` has the others, too.
    let problems: [APIProblemKind]
    /// A body for the documents and the tests.
    package let example: JSON?
    /// Whether members that are not declared are ignored, as the earlier systems' apps expect.
    package let ignoresUnknown: Bool
    /// Whether the body may be a form of a page instead of JSON.
    let takesForm: Bool
    let handler: Handler
    /// The media types of its answers.
    var produces = ["application/json"]
    /// Whether it answers everyone the same.
    var isDocument = false
    /// Whether a token for someone else may ask; then it keeps to the days of the token.
    var isForOthers = false
    /// What is sent whenever it changes, to who accepts server-sent events; `nil` for none.
    var live: (@Sendable (borrowing Diary, APICall) throws -> JSON)?
    /// Whether it answers with a file, which has no version.
    var isFile = false
    /// Whether its body names what it changes, and not its path.
    var namesInBody = false
    /// The parts of a form with a photo (`multipart/form-data`) that it reads itself; empty for none.
    var upload: [Schema.Member] = []
    /// Whether the form is for a model, so that there must be one, and people without an account may send it
    /// where the operator allows it.
    var asksModel = false

    /// An answer: its status, and what is in it.
    package struct Answer: Sendable {
        package let status: Int
        package let schema: Schema?

        init(_ status: Int, _ schema: Schema? = nil) {
            self.status = status
            self.schema = schema
        }
    }

    /// The function that answers. What it is given says what a request must bring.
    enum Handler: Sendable {
        /// For anyone; has no log.
        case open(@Sendable (Gateway, APICall) throws -> APIAnswer)
        /// Reads one state of the caller's log.
        case read(@Sendable (borrowing Diary, APICall) throws -> APIAnswer)
        /// Records into the caller's log, as one action.
        case write(@Sendable (inout Diary, APICall) throws -> APIAnswer)
        /// Uses the caller's replica otherwise.
        case person(isWrite: Bool, @Sendable (Person, APICall) throws -> APIAnswer)
        /// Asks the server itself, as the sender.
        case server(@Sendable (Gateway, APICall, @escaping Gateway.Reply) throws -> Void)
    }

    init(
        _ method: String, _ path: PathPattern, _ summary: String, query: [APIParameter] = [],
        body: Schema? = nil, answers: [Answer],
        problems: [APIProblemKind] = [], example: JSON? = nil, ignoresUnknown: Bool = false,
        takesForm: Bool = false, _ handler: Handler
    ) {
        self.method = method
        self.path = path
        self.summary = summary
        self.query = query
        self.body = body
        self.answers = answers
        self.problems = problems
        self.example = example
        self.ignoresUnknown = ignoresUnknown
        self.takesForm = takesForm
        self.handler = handler
    }

    /// The same route, for others too, or with answers of another type.
    func with(types: [String]? = nil, forOthers: Bool = false) -> APIRoute {
        var route = self
        if let types { route.produces = types }
        route.isForOthers = forOthers
        return route
    }

    /// Method and path: `GET /api/v1/meals/{id}`.
    package var name: String { "\(method) \(path.text)" }

    /// Whether an account must be logged in.
    package var needsAccount: Bool {
        switch handler {
        case .open, .server: false
        case .read, .write, .person: true
        }
    }

    /// Whether it may record.
    package var isWrite: Bool {
        switch handler {
        case .write, .person(true, _): true
        case .open, .read, .person, .server: false
        }
    }

    /// Whether a client that has the answer already gets 304 (RFC 9110 §13.1.2).
    package var seesVersions: Bool { isDocument || needsAccount && !isWrite && !isFile }

    /// Whether it can refuse to change what the client has not seen (RFC 9110 §13.1.1).
    package var keepsVersions: Bool {
        guard case .write = handler, isNative else { return false }
        return method != "POST" || !path.parameters.isEmpty || namesInBody
    }

    /// Whether it is none of the earlier systems' routes, whose apps send no versions.
    private var isNative: Bool { path.text.hasPrefix("/api/v1/") }

    /// Whether it records, and refuses members that it would drop. The earlier systems' apps send some.
    var refusesBodies: Bool {
        isNative && isWrite && body == nil && upload.isEmpty
    }

    /// Its own problems, those that follow from its declaration, and those of every route.
    package var allProblems: Set<APIProblemKind> {
        var all = Set(problems).union([
            .malformedRequest, .tooLarge, .clientTooOld, .internal, .busy,
        ])
        if needsAccount { all.formUnion([.unauthorized, .notAllowed, .tooManyRequests]) }
        if answers.contains(where: { $0.status != 204 }) { all.insert(.notAcceptable) }
        if !path.parameters.isEmpty { all.formUnion([.invalidParameter, .notFound]) }
        if !query.isEmpty { all.insert(.invalidParameter) }
        if body != nil { all.formUnion([.unsupportedMediaType, .invalidMember]) }
        if refusesBodies { all.insert(.invalidMember) }
        if isWrite { all.formUnion([.notRecorded, .conflict, .deleted]) }
        if keepsVersions { all.insert(.preconditionFailed) }
        if method == "POST", isWrite { all.insert(.idempotencyKey) }
        return all
    }
}
