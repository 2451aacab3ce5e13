import MacrologHTTP

/// One request, validated, in the form that the HTTP libraries need.
struct Outgoing {
    let url: String
    /// The fields to send: those of the request, without those that the transport sets itself.
    let fields: [HTTPField]
    let operation: String

    /// - Throws: ``TransportError`` with code `malformed` if a part could end its line early, and
    ///   so inject another line.
    init(_ request: HTTPRequest, to origin: Origin) throws(TransportError) {
        let operation = "\(request.method) \(origin)\(request.path)"
        func refuse(_ detail: String) -> TransportError {
            TransportError(code: .malformed(detail: detail), operation: request.method)
        }
        guard !request.method.isEmpty, request.method.utf8.allSatisfy(isToken) else {
            throw refuse("the method is no word")
        }
        guard request.path.utf8.first == UInt8(ascii: "/"), request.path.utf8.allSatisfy(isInPath)
        else { throw refuse("the path is not encoded, or does not begin with /") }
        guard request.query.utf8.allSatisfy({ isInPath($0) || $0 == UInt8(ascii: "?") }) else {
            throw refuse("the query is not encoded")
        }
        for field in request.fields {
            guard !field.name.isEmpty, field.name.utf8.allSatisfy(isToken),
                field.value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 })
            else { throw refuse("the field \(field.name) holds a character no field has") }
        }
        self.operation = operation
        url = "\(origin)\(request.path)" + (request.query.isEmpty ? "" : "?\(request.query)")
        fields = request.fields.filter { field in
            !transportFields.contains { $0.utf8.elementsEqual(field.name.utf8) }
        }
    }
}

/// The answer's fields without those that describe the transferred body, which has been
/// decompressed since.
func withoutTransfer(_ fields: [HTTPField]) -> [HTTPField] {
    let transfer = ["content-encoding", "content-length", "transfer-encoding"]
    return fields.filter { field in
        !transfer.contains { $0.utf8.elementsEqual(field.name.utf8) }
    }
}

private let transportFields = [
    "accept-encoding", "connection", "content-length", "expect", "host", "transfer-encoding",
    "user-agent",
]

/// A character of a method or a field's name (RFC 9110 §5.6.2).
private func isToken(_ byte: UInt8) -> Bool {
    byte > 0x20 && byte < 0x7F && !"\"(),/:;<=>?@[\\]{}".utf8.contains(byte)
}

/// A visible ASCII character that ends neither a path nor a request line.
private func isInPath(_ byte: UInt8) -> Bool {
    byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "#") && byte != UInt8(ascii: "?")
}
