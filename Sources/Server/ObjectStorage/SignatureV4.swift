/// AWS Signature Version 4, with which requests to S3 prove who sends them.
import MacrologEvents
package import MacrologHTTP
package import MacrologSystem
import MacrologWire

/// Who may use a bucket.
package struct S3Credentials: Sendable {
    package let accessKey: String
    @Secret package private(set) var secretKey: String

    package init(accessKey: String, secretKey: String) {
        self.accessKey = accessKey
        self.secretKey = secretKey
    }
}

/// Signs requests for one region.
package struct SignatureV4: Sendable {
    private let credentials: S3Credentials
    private let region: String

    package init(_ credentials: S3Credentials, region: String) {
        self.credentials = credentials
        self.region = region
    }

    /// The fields that are added to a request: its time, the hash of its body, and the signature over method,
    /// path, query, host, and all of its fields.
    ///
    /// - Parameters:
    ///   - request: Its path and the names and values of its query are encoded as they are sent.
    ///   - host: With the port, unless it is the usual one.
    ///   - bodyHash: The SHA-256 of the body.
    ///   - now: Milliseconds since 1970 UTC. A store refuses a time that is fifteen minutes wrong.
    package func fields(
        for request: HTTPRequest, host: String, bodyHash: [UInt8], now: Int64
    ) -> [HTTPField] {
        let time = Self.time(now)
        let date = String(time.prefix(8))
        let added = [
            HTTPField("x-amz-content-sha256", hexadecimal(bodyHash)), HTTPField("x-amz-date", time),
        ]
        let signed = ([HTTPField("host", host)] + request.fields + added)
            .map { (name: asciiLowercased($0.name), value: $0.value) }.sorted { $0.name < $1.name }
        let names = signed.map(\.name).joined(separator: ";")
        let canonical = [
            request.method, request.path, Self.canonicalQuery(request.query),
            signed.map { "\($0.name):\($0.value)\n" }.joined(), names, hexadecimal(bodyHash),
        ].joined(separator: "\n")
        let scope = "\(date)/\(region)/s3/aws4_request"
        let text = [
            "AWS4-HMAC-SHA256", time, scope, hexadecimal(SHA256.hash(Array(canonical.utf8))),
        ].joined(separator: "\n")
        var key = Array("AWS4\(credentials.secretKey)".utf8)
        for part in [date, region, "s3", "aws4_request"] {
            key = SHA256.hmac(Array(part.utf8), key: key)
        }
        let signature = hexadecimal(SHA256.hmac(Array(text.utf8), key: key))
        return added + [
            HTTPField(
                "authorization",
                "AWS4-HMAC-SHA256 Credential=\(credentials.accessKey)/\(scope), "
                    + "SignedHeaders=\(names), Signature=\(signature)")
        ]
    }

    /// The parts of a query in order, each with an equals sign.
    private static func canonicalQuery(_ query: String) -> String {
        query.split(separator: "&").map { $0.contains("=") ? String($0) : "\($0)=" }
            .sorted().joined(separator: "&")
    }

    /// A text as it is written in a query: all but letters, digits and `-._~` as percent and two digits.
    package static func encoded(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                bytes.append(byte)
            default:
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A moment such as `20130524T000000Z`.
    static func time(_ milliseconds: Int64) -> String {
        SystemClock.utc(milliseconds).filter { $0 != "-" && $0 != ":" }
    }
}
