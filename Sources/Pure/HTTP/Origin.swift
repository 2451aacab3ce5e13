/// The address of a server: scheme, host, port, and path prefix, as people write it:
/// `https://sync.example.org:8443/macrolog`.
///
/// Plain `http` is accepted for this computer only, unless explicitly allowed: anyone on the
/// network can read a token that is sent unencrypted.
public struct Origin: Hashable, Sendable, CustomStringConvertible {
    /// Whether the scheme is `https`.
    public let isSecure: Bool
    /// The host in lower case: a name, an IPv4 address, or an IPv6 address without its brackets.
    public let host: String
    /// The port, 1 to 65535.
    public let port: Int
    /// The prefix of every request's path: empty, or `/` and more without a trailing `/`.
    public let prefix: String

    /// Reads `https://host`, `https://host:port` or `https://host:port/prefix`.
    ///
    /// - Parameter allowingInsecure: Whether `http` is accepted for other computers.
    /// - Throws: ``OriginError``.
    public init(_ text: String, allowingInsecure: Bool = false) throws(OriginError) {
        var rest = Array(text.utf8)[...]
        guard !rest.isEmpty else { throw OriginError(.empty) }
        if Self.take("https://", from: &rest) {
            isSecure = true
        } else if Self.take("http://", from: &rest) {
            isSecure = false
        } else {
            throw OriginError(.scheme)
        }

        let authority = rest.prefix { $0 != UInt8(ascii: "/") }
        let path = rest.dropFirst(authority.count)
        let (host, portDigits) = try Self.split(authority)
        self.host = asciiLowercased(String(decoding: host, as: UTF8.self))
        port = try Self.port(portDigits) ?? (isSecure ? 443 : 80)
        prefix = try Self.prefix(path)
        guard isSecure || allowingInsecure || isLoopback else { throw OriginError(.insecure) }
    }

    /// Whether the host is this computer: `localhost`, a name under it, `127.x.x.x` or `::1`.
    ///
    /// Other notations of these addresses, such as `127.1`, `0x7f.0.0.1` or `::ffff:127.0.0.1`, do
    /// not count: a resolver may treat them as names and look them up.
    public var isLoopback: Bool {
        let bytes = Array(host.utf8)
        if bytes.elementsEqual("localhost".utf8) || bytes.elementsEqual("::1".utf8) { return true }
        if bytes.count > 10, bytes.suffix(10).elementsEqual(".localhost".utf8) { return true }
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0].elementsEqual("127".utf8)
            && parts.allSatisfy(Self.isByte)
    }

    /// The URL, without a default port.
    public var description: String {
        let isUsual = port == (isSecure ? 443 : 80)
        let shown = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        return "\(isSecure ? "https" : "http")://\(shown)\(isUsual ? "" : ":\(port)")\(prefix)"
    }
}

extension Origin {
    /// Removes a scheme from the front, ignoring case.
    private static func take(_ scheme: StaticString, from rest: inout ArraySlice<UInt8>) -> Bool {
        let count = scheme.utf8CodeUnitCount
        guard rest.count >= count else { return false }
        for (index, byte) in rest.prefix(count).enumerated() {
            let isCapital = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            guard (isCapital ? byte + 32 : byte) == scheme.utf8Start[index] else { return false }
        }
        rest = rest.dropFirst(count)
        return true
    }

    /// Splits `host:port` or `[address]:port`.
    private static func split(
        _ authority: ArraySlice<UInt8>
    ) throws(OriginError) -> (host: ArraySlice<UInt8>, port: ArraySlice<UInt8>?) {
        if authority.contains(UInt8(ascii: "@")) { throw OriginError(.userInformation) }
        if authority.first == UInt8(ascii: "[") {
            let host = authority.dropFirst().prefix { $0 != UInt8(ascii: "]") }
            let rest = authority.dropFirst(host.count + 2)
            let isAddress = host.allSatisfy {
                isHex($0) || [UInt8(ascii: ":"), UInt8(ascii: ".")].contains($0)
            }
            guard authority.count >= host.count + 2, host.count >= 2, isAddress,
                host.contains(UInt8(ascii: ":")),
                rest.isEmpty || rest.first == UInt8(ascii: ":")
            else { throw OriginError(.host) }
            return (host, rest.isEmpty ? nil : rest.dropFirst())
        }
        let host = authority.prefix { $0 != UInt8(ascii: ":") }
        let isName = host.allSatisfy {
            isDigit($0) || isLetter($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-")
                || $0 == UInt8(ascii: "_")
        }
        guard (1...253).contains(host.count), isName, host.first != UInt8(ascii: "-"),
            host.first != UInt8(ascii: ".")
        else { throw OriginError(.host) }
        return (host, host.count == authority.count ? nil : authority.dropFirst(host.count + 1))
    }

    private static func port(_ digits: ArraySlice<UInt8>?) throws(OriginError) -> Int? {
        guard let digits else { return nil }
        guard (1...5).contains(digits.count), digits.allSatisfy(isDigit) else {
            throw OriginError(.port)
        }
        let port = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        guard (1...65_535).contains(port) else { throw OriginError(.port) }
        return port
    }

    private static func prefix(_ path: ArraySlice<UInt8>) throws(OriginError) -> String {
        let isPlain = path.allSatisfy {
            isDigit($0) || isLetter($0) || [UInt8]("/-._~%".utf8).contains($0)
        }
        let parts = path.split(separator: UInt8(ascii: "/"))
        let climbs = parts.contains { $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) }
        guard isPlain, !climbs else { throw OriginError(.path) }
        return parts.map { "/" + String(decoding: $0, as: UTF8.self) }.joined()
    }

    /// Whether digits are a number from 0 to 255 without leading zeros, which some parsers read as
    /// octal.
    private static func isByte(_ digits: ArraySlice<UInt8>) -> Bool {
        guard (1...3).contains(digits.count), digits.allSatisfy(isDigit),
            digits.count == 1 || digits.first != UInt8(ascii: "0")
        else { return false }
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) } <= 255
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isHex(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
    }
}

/// Why a text is not a valid server address.
public struct OriginError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The invalid part.
    public enum Code: Equatable, Sendable {
        /// The text is empty.
        case empty
        /// It begins with neither `https://` nor `http://`.
        case scheme
        /// `http` for another computer.
        case insecure
        /// A user name or a password before an `@`.
        case userInformation
        /// No host, or characters that are invalid in a host name.
        case host
        /// Not a number from 1 to 65535.
        case port
        /// A query, a fragment, `..`, or characters that are invalid in a path.
        case path
    }

    /// The invalid part.
    public let code: Code

    package init(_ code: Code) {
        self.code = code
    }

    /// What to type instead.
    public var hint: String {
        switch code {
        case .empty, .scheme: "write it as https://sync.example.org"
        case .insecure: "use https; plain http is for servers on this computer"
        case .userInformation: "leave out the part before the @; log in instead"
        case .host: "write the name in plain letters, digits, dots and hyphens"
        case .port: "write a port from 1 to 65535 after the colon, or leave both out"
        case .path: "leave out everything from ? or # on, and any .."
        }
    }

    /// What is wrong.
    public var explanation: String {
        switch code {
        case .empty: "the server's address is empty"
        case .scheme: "the server's address does not begin with https://"
        case .insecure: "the connection would not be encrypted"
        case .userInformation: "the server's address contains a user name"
        case .host: "the server's address has no valid host name"
        case .port: "the server's address has no valid port"
        case .path: "the server's address has no valid path"
        }
    }

    /// One line: what is wrong, and what to type instead.
    public var description: String { "\(explanation); \(hint)" }
}
