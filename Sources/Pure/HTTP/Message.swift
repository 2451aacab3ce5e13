/// One HTTP header field. Names compare without regard to ASCII case (RFC 9110 §5.1).
public struct HTTPField: Hashable, Sendable {
    /// The field's name, in lower case.
    public let name: String
    /// The field's value, without surrounding white space.
    public let value: String

    /// Stores the name in lower case.
    public init(_ name: String, _ value: String) {
        self.name = asciiLowercased(name)
        self.value = value
    }
}

/// One request as plain values: no socket, no library.
public struct HTTPRequest: Sendable {
    /// The method, such as `POST`.
    public var method: String
    /// The path without the query, percent-encoding as received, such as `/v1/sync`.
    public var path: String
    /// The query without `?`; empty when there is none.
    public var query: String
    /// The header fields, in order.
    public var fields: [HTTPField]
    /// The body as transferred (not decompressed).
    public var body: [UInt8]
    /// A part of a file to send instead of ``body``; `nil` for nearly every request.
    public var file: FilePart?
    /// Receives the body piece by piece, instead of ``body``; only for a received request, and
    /// `nil` for nearly every one.
    public var sink: BodySink?
    /// Receives the body of the answer piece by piece; only for a request to send.
    public var receiver: BodyReceiver?
    /// The address of the peer as reported by the socket (`127.0.0.1`), or empty if there is none.
    public var peer: String

    /// Memberwise initializer.
    public init(
        method: String, path: String, query: String = "", fields: [HTTPField] = [],
        body: [UInt8] = [], peer: String = ""
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.fields = fields
        self.body = body
        self.peer = peer
    }

    /// The first field with a name, or `nil`.
    public func field(_ name: String) -> String? { first(name, in: fields) }
}

/// One response as plain values.
public struct HTTPResponse: Sendable {
    /// The status code, 100 to 599.
    public var status: Int
    /// The header fields, in order.
    public var fields: [HTTPField]
    /// The body.
    public var body: [UInt8]
    /// A streamed body, instead of ``body``; `nil` for nearly every response.
    public var stream: BodyStream?
    /// A part of a file to send instead of ``body``; `nil` for nearly every response.
    public var file: FilePart?

    /// Memberwise initializer.
    public init(
        status: Int, fields: [HTTPField] = [], body: [UInt8] = [], stream: BodyStream? = nil,
        file: FilePart? = nil
    ) {
        self.status = status
        self.fields = fields
        self.body = body
        self.stream = stream
        self.file = file
    }

    /// The first field with a name, or `nil`.
    public func field(_ name: String) -> String? { first(name, in: fields) }
}

private func first(_ name: String, in fields: [HTTPField]) -> String? {
    let name = asciiLowercased(name)
    let count = name.utf8.count
    // Most names differ in length. By index: an element would be copied with both of its strings.
    let index = fields.indices.first {
        fields[$0].name.utf8.count == count && haveSameBytes(fields[$0].name, name)
    }
    return index.map { fields[$0].value }
}

/// Whether two strings are the same, byte by byte.
private func haveSameBytes(_ left: String, _ right: String) -> Bool {
    let isSame = left.utf8.withContiguousStorageIfAvailable { left in
        right.utf8.withContiguousStorageIfAvailable { right in
            left.elementsEqual(right)
        } ?? false
    }
    return isSame ?? left.utf8.elementsEqual(right.utf8)
}

/// Converts ASCII letters to lower case and leaves every other byte unchanged
/// (`String.lowercased()` would turn the Kelvin sign into `k`).
public func asciiLowercased(_ text: String) -> String {
    let isCapital = { (byte: UInt8) in byte &- UInt8(ascii: "A") < 26 }
    let hasCapitals =
        text.utf8.withContiguousStorageIfAvailable { $0.contains(where: isCapital) }
        ?? text.utf8.contains(where: isCapital)
    guard hasCapitals else { return text }
    return String(decoding: text.utf8.map { isCapital($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
}
