/// Converts a response to libmicrohttpd's, with the headers that every response carries.
import CMacrologMicroHTTPD
import MacrologHTTP
import MacrologPlatform
import MacrologSystem

enum Answer {
    /// Queues a response; libmicrohttpd adds `Content-Length`, or `Transfer-Encoding` for a stream,
    /// and `Date`.
    static func queue(
        _ response: HTTPResponse, _ writer: StreamWriter?, on handle: OpaquePointer,
        isSecure: Bool, closes: Bool
    ) -> MHD_Result {
        let whole = { () -> OpaquePointer? in
            response.body.withUnsafeBytes { body in
                MHD_create_response_from_buffer(
                    body.count, UnsafeMutableRawPointer(mutating: body.baseAddress),
                    .RESPMEM_MUST_COPY)
            }
        }
        var response = response
        var made: OpaquePointer?
        if let file = response.file {
            made = Self.made(of: file)
            if made == nil { response = .stopping }
        }
        guard let made = made ?? writer.map({ $0.response() }) ?? whole() else { return .NO }
        defer { MHD_destroy_response(made) }
        if response.field("cache-control") == nil { add(caching.0, caching.1, to: made) }
        if response.field("content-security-policy") == nil { add(policy.0, policy.1, to: made) }
        for (name, value) in common.dropFirst(2) { add(name, value, to: made) }
        if isSecure { add(transportSecurity.0, transportSecurity.1, to: made) }
        for field in response.fields {
            field.name.withCString { name in
                field.value.withCString { _ = MHD_add_response_header(made, name, $0) }
            }
        }
        if closes { MHD_add_response_header(made, "connection", "close") }
        return MHD_queue_response(handle, UInt32(response.status), made)
    }

    /// The system copies a file to the socket; libmicrohttpd closes it. `nil` if the file cannot be
    /// opened.
    private static func made(of file: FilePart) -> OpaquePointer? {
        guard let opened = try? File.open(file.path) else { return nil }
        let made = MHD_create_response_from_fd_at_offset64(
            UInt64(file.count), opened.descriptor, UInt64(file.offset))
        if made != nil { opened.release() }
        return made
    }

    private static func add(_ name: StaticString, _ value: StaticString, to made: OpaquePointer) {
        let text = { (text: StaticString) in
            UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
        }
        MHD_add_response_header(made, text(name), text(value))
    }
}

/// No caching, unless the response says otherwise.
private let caching: (StaticString, StaticString) = ("cache-control", "no-store")

/// Nothing to run, load or frame, unless the response says otherwise.
private let policy: (StaticString, StaticString) = (
    "content-security-policy", "default-src 'none'; frame-ancestors 'none'"
)

/// Those two, no content sniffing, no referrer.
private let common: [(StaticString, StaticString)] = [
    caching, policy,
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
]

private let transportSecurity: (StaticString, StaticString) = (
    "strict-transport-security", "max-age=31536000; includeSubDomains"
)

/// Responses to requests that never reach the handler.
enum ProblemResponse {
    static func response(_ status: Int, _ reason: String) -> HTTPResponse {
        HTTPResponse(
            status: status,
            fields: [
                HTTPField("content-type", "application/problem+json"),
                HTTPField("connection", "close"),
            ], body: body(status, reason))
    }

    /// Writes a refusal directly to the socket, as much of it as fits at once.
    static func write(_ status: Int, _ reason: String, to descriptor: Int32) {
        let content = body(status, reason)
        var text = "HTTP/1.1 \(status) Refused\r\nContent-Length: \(content.count)\r\n"
        text += "Content-Type: application/problem+json\r\nConnection: close\r\n"
        for (name, value) in common { text += "\(name): \(value)\r\n" }
        let bytes = Array((text + "\r\n").utf8) + content
        bytes.withUnsafeBytes {
            _ = send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
    }

    /// A problem document (RFC 9457). The reasons are literals of this module, without quotes.
    private static func body(_ status: Int, _ reason: String) -> [UInt8] {
        let kind = status == 413 ? "too_large" : "malformed_request"
        return Array(
            """
            {"type":"urn:macrolog:problem:\(kind)","title":"\(reason)","status":\(status)}
            """.utf8)
    }
}
