/// What a handler answers, and how it becomes a response: bytes, validators, preferences, compression.
import MacrologEvents
import MacrologWire
import MacrologFaces
import MacrologHTTP
import MacrologJSON
import MacrologService

struct APIAnswer: Sendable {
    enum Content: Sendable {
        case none
        /// JSON as `--json` prints it.
        case json([UInt8])
        /// Of the earlier systems' faces: on one line.
        case compact(JSON)
        case bytes([UInt8], type: String)
        /// The same for everyone, and long.
        case shared(PreparedBody, type: String)
        /// In a file.
        case spool(Spool, type: String)
    }

    var status = 200
    var content = Content.none
    /// The validator of what is answered; `nil` for that of its bytes.
    var tag: String?
    var fields: [HTTPField] = []

    /// What exists, with a validator.
    static func entity(_ json: JSON) -> APIAnswer {
        let bytes = printed(json)
        return APIAnswer(content: .json(bytes), tag: EntityTag.of(bytes))
    }

    static func json(_ json: JSON) -> APIAnswer { APIAnswer(content: .json(printed(json))) }

    static func printed(_ json: JSON) -> [UInt8] { Array((json.pretty + "\n").utf8) }

    /// What was created, and where it is.
    static func created(_ json: JSON, at path: String) -> APIAnswer {
        var answer = entity(json)
        answer.status = 201
        answer.fields = [HTTPField("location", path)]
        return answer
    }

    /// A document that is the same for everyone, with a validator.
    static func document(_ text: String, type: String, fields: [HTTPField] = []) -> APIAnswer {
        let body = PreparedBody(Array(text.utf8))
        return APIAnswer(
            content: .shared(body, type: type), tag: EntityTag.of(body.plain), fields: fields)
    }

    static let nothing = APIAnswer(status: 204)

    /// The response to a request.
    ///
    /// - Parameter spool: Makes the file of a long answer.
    func response(
        to request: HTTPRequest, isWrite: Bool, spool: () throws -> Spool
    ) throws -> HTTPResponse {
        var fields = fields
        let tag = tag ?? (isWrite ? nil : bytes.map { EntityTag.of($0) })
        if let tag { fields.append(HTTPField("etag", tag)) }
        if !isWrite, let tag, request.names(tag, in: "if-none-match") {
            return HTTPResponse(status: 304, fields: fields)
        }
        if isWrite, case .json = content, request.prefersMinimal {
            fields.append(HTTPField("preference-applied", "return=minimal"))
            return HTTPResponse(status: status == 201 ? 201 : 204, fields: fields)
        }
        var response = try body(for: request, spool)
        response.fields += fields
        return response
    }

    /// What is answered, where that is in memory.
    private var bytes: [UInt8]? {
        switch content {
        case .json(let bytes), .bytes(let bytes, _): bytes
        case .compact(let json): Array(json.compact.utf8)
        case .none, .shared, .spool: nil
        }
    }

    private func body(
        for request: HTTPRequest, _ spool: () throws -> Spool
    ) throws -> HTTPResponse {
        let (bytes, type): ([UInt8], String)
        switch content {
        case .none: return HTTPResponse(status: status)
        case .json(let printed): (bytes, type) = (printed, Self.jsonType)
        case .compact(let json): (bytes, type) = (Array(json.compact.utf8), Self.jsonType)
        case .bytes(let given, let name): (bytes, type) = (given, name)
        case .shared(let body, let type):
            let (bytes, fields) = body.encoded(for: request)
            return streamed(.shared(bytes), type).adding(fields)
        case .spool(let spool, let type): return streamed(spool.body, type)
        }
        let response = Bodies.response(bytes, status: status, type: type, for: request)
        guard response.body.count > Spools.memoryMax else { return response }
        let file = try spool()
        try file.write(response.body)
        return HTTPResponse(status: status, fields: response.fields, stream: file.body)
    }

    private static let jsonType = "application/json"

    private func streamed(_ stream: BodyStream, _ type: String) -> HTTPResponse {
        HTTPResponse(status: status, fields: [HTTPField("content-type", type)], stream: stream)
    }
}

extension HTTPRequest {
    /// Whether the client asks for server-sent events.
    var wantsEvents: Bool {
        (field("accept") ?? "").split(separator: ",").contains { element in
            asciiLowercased(String(element.prefix { $0 != ";" })).filter { $0 != " " }
                == "text/event-stream"
        }
    }

    /// Whether the client wants no body after a write (RFC 7240).
    var prefersMinimal: Bool {
        fields.contains { field in
            asciiLowercased(field.name) == "prefer"
                && asciiLowercased(field.value).split(separator: ",").contains {
                    $0.filter { $0 != " " } == "return=minimal"
                }
        }
    }
}

/// Validators of entities (RFC 9110 §8.8.3): a hash of what is shown.
enum EntityTag {
    static func of(_ printed: [UInt8]) -> String {
        "\"" + hexadecimal(Array(SHA256.hash(printed).prefix(16))) + "\""
    }
}

extension APICall {
    /// Refuses a write whose `If-Match` does not name what is there now; the answer has the current state.
    ///
    /// - Parameter given: The version of what is there now; `nil` for that of its bytes.
    func requireMatch(_ current: JSON, tag given: String? = nil) throws(APIProblem) {
        guard request.field("if-match") != nil else { return }
        let tag = given ?? EntityTag.of(APIAnswer.printed(current))
        guard !request.names(tag, in: "if-match") else { return }
        throw APIProblem(
            .preconditionFailed,
            "It was changed meanwhile: apply the change to the current state, and send its ETag.",
            members: [JSON.Member("current", current)], fields: [HTTPField("etag", tag)])
    }
}

extension HTTPResponse {
    /// The response with more fields.
    func adding(_ more: [HTTPField]) -> HTTPResponse {
        var response = self
        response.fields += more
        return response
    }
}
