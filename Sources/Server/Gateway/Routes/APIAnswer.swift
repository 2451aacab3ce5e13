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
        /// Printed as `--json` prints it.
        case json(JSON)
        /// Of the seeds' faces: on one line.
        case compact(JSON)
        case bytes([UInt8], type: String)
    }

    var status = 200
    var content = Content.none
    /// The validator of what is answered; `nil` for what changes by itself.
    var tag: String?
    var fields: [HTTPField] = []

    /// What exists, with a validator.
    static func entity(_ json: JSON) -> APIAnswer {
        APIAnswer(content: .json(json), tag: EntityTag.of(json))
    }

    static func json(_ json: JSON) -> APIAnswer { APIAnswer(content: .json(json)) }

    /// What was created, and where it is.
    static func created(_ json: JSON, at path: String) -> APIAnswer {
        APIAnswer(
            status: 201, content: .json(json), tag: EntityTag.of(json),
            fields: [HTTPField("location", path)])
    }

    static let nothing = APIAnswer(status: 204)

    /// The response to a request.
    func response(to request: HTTPRequest, isWrite: Bool) -> HTTPResponse {
        var fields = fields
        if let tag { fields.append(HTTPField("etag", tag)) }
        if !isWrite, let tag, EntityTag.list(request.field("if-none-match"), contains: tag) {
            return HTTPResponse(status: 304, fields: fields)
        }
        if isWrite, case .json = content, request.prefersMinimal {
            fields.append(HTTPField("preference-applied", "return=minimal"))
            return HTTPResponse(status: status == 201 ? 201 : 204, fields: fields)
        }
        var response = self.body(for: request)
        response.fields += fields
        return response
    }

    private func body(for request: HTTPRequest) -> HTTPResponse {
        switch content {
        case .none: HTTPResponse(status: status)
        case .json(let json):
            Bodies.response(
                Array((json.pretty + "\n").utf8), status: status, type: "application/json",
                for: request)
        case .compact(let json):
            Bodies.response(
                Array(json.compact.utf8), status: status, type: "application/json", for: request)
        case .bytes(let bytes, let type):
            Bodies.response(bytes, status: status, type: type, for: request)
        }
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
    static func of(_ json: JSON) -> String {
        "\"" + hexadecimal(Array(SHA256.hash(Array(json.compact.utf8)).prefix(16))) + "\""
    }

    /// Whether a list such as `"a", W/"b"` or `*` has a validator.
    static func list(_ list: String?, contains tag: String) -> Bool {
        guard let list else { return false }
        return list.split(separator: ",").contains { element in
            let text = String(element.filter { $0 != " " })
            return text == "*" || text == tag || text == "W/" + tag
        }
    }
}

extension APICall {
    /// Refuses a write whose `If-Match` does not name what is there now; the answer has the current state.
    func requireMatch(_ current: JSON) throws(APIProblem) {
        guard let list = request.field("if-match") else { return }
        let tag = EntityTag.of(current)
        guard !EntityTag.list(list, contains: tag) else { return }
        throw APIProblem(
            .preconditionFailed,
            "It was changed meanwhile: apply the change to the current state, and send its ETag.",
            members: [JSON.Member("current", current)], fields: [HTTPField("etag", tag)])
    }
}
