/// Where messages are sent, and how they are signed (Standard Webhooks 1.0).
import MacrologAnalysis
import MacrologEvents
import MacrologHTTP
import MacrologSystem
import MacrologWire

/// The address of a receiver.
struct WebhookTarget: Sendable {
    let origin: Origin
    let path: String
    let query: String

    static let bytesMax = 500

    /// Reads `https://host:port/path?query`.
    ///
    /// - Parameter reachesPrivate: Whether the operator allows private networks, and http. Whether a name
    ///   leads to one is seen when a connection is opened.
    init(_ text: String, reachesPrivate: Bool) throws(APIProblem) {
        let isPlain = text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }
        guard isPlain, text.utf8.count <= Self.bytesMax else {
            throw .invalid("/url", "url must be an address in ASCII letters, without # and blanks.")
        }
        let parts = text.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count > 2, parts[1].isEmpty else {
            throw .invalid("/url", "url must be an address such as https://example.org/path.")
        }
        let authority = parts[2].prefix { $0 != "?" }
        do throws(OriginError) {
            origin = try Origin("\(parts[0])//\(authority)", allowingInsecure: true)
        } catch {
            throw .invalid(
                "/url", "url is no address such as https://example.org/path: \(error.explanation).")
        }
        // From the end of the host on.
        let rest = text.dropFirst(parts[0].count + 2 + authority.count)
        let pieces = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = pieces.first.flatMap { $0.isEmpty ? nil : String($0) } ?? "/"
        query = pieces.count == 2 ? String(pieces[1]) : ""
        guard !reachesPrivate else { return }
        guard origin.isSecure else { throw .invalid("/url", "url must begin with https://.") }
        let isPublic = IPAddress.bytes(of: origin.host).map { IPAddress.isPublic($0) } ?? true
        guard isPublic, !origin.isLoopback else {
            throw .invalid(
                "/url",
                "url leads into a private network, which this server's operator does not allow.")
        }
    }
}

/// The secret of a receiver, and what is signed with it.
enum WebhookSignature {
    /// How a secret is shown.
    static func text(of secret: [UInt8]) -> String { "whsec_" + Base64.text(secret) }

    /// The fields that prove who sends a message, and when.
    ///
    /// - Parameter now: Milliseconds since 1970 UTC.
    static func fields(
        of id: Identifier, _ body: [UInt8], at now: Int64, _ secret: [UInt8]
    ) -> [HTTPField] {
        let seconds = now / 1_000
        let signature = SHA256.hmac(Array("\(id).\(seconds).".utf8) + body, key: secret)
        return [
            HTTPField("webhook-id", "\(id)"), HTTPField("webhook-timestamp", "\(seconds)"),
            HTTPField("webhook-signature", "v1,\(Base64.text(signature))"),
        ]
    }
}
