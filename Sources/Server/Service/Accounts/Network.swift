/// The client's network, for counting attempts: one IPv4 address, or one IPv6 /64.
package import MacrologHTTP
import MacrologSystem

/// How long the networks of an account's logins are remembered, in milliseconds.
package enum NetworkLimits {
    /// Counted from the last login.
    package static let known: Int64 = 90 * 86_400_000
}

extension SyncServer {
    /// The network that a request came from, as the log names it: an IPv4 /24 or an IPv6 /48.
    package func network(of request: HTTPRequest) -> String {
        Network.shortened(Network.address(of: request, proxies: settings.proxies))
    }
}

extension SyncServer {
    /// Where this server is, as a link names it: the configured address, or the one by which the sender of
    /// a request reaches it. Never what another person has sent.
    ///
    /// - Parameter prefix: The prefix of paths before a proxy, where no address is configured.
    package func address(for request: HTTPRequest, prefix: String) -> String {
        let settings = settings
        if let address = settings.publicAddress { return address.description }
        let isSecure =
            settings.isSecure
            || Network.isProxy(request.peer, settings.proxies)
                && request.fields.last { $0.name == "x-forwarded-proto" }?.value == "https"
        let scheme = isSecure ? "https" : "http"
        guard let host = request.field("host"),
            let origin = try? Origin("\(scheme)://\(host)", allowingInsecure: true),
            origin.prefix.isEmpty
        else { return prefix }
        return "\(origin)\(prefix)"
    }
}

enum Network {
    /// The address of the client: that of the socket, or the one that a trusted proxy reports.
    ///
    /// - Parameter proxies: Addresses whose `X-Forwarded-For` is trusted. Of several entries the
    ///   last one is used, which the proxy itself has written. If that is not an address, the
    ///   socket's address is used.
    static func address(of request: HTTPRequest, proxies: [String]) -> String {
        guard isProxy(request.peer, proxies),
            let forwarded = request.fields.last(where: { $0.name == "x-forwarded-for" })?.value,
            let last = forwarded.utf8.split(separator: UInt8(ascii: ",")).last
        else { return request.peer }
        let entry = String(decoding: last.filter { $0 != 0x20 && $0 != 9 }, as: UTF8.self)
        return withoutPort(entry) ?? request.peer
    }

    /// Whether a request was forwarded by a proxy that is not trusted.
    static func isForwardedByStranger(_ request: HTTPRequest, proxies: [String]) -> Bool {
        !isProxy(request.peer, proxies)
            && request.fields.contains {
                $0.name == "x-forwarded-for" || $0.name == "forwarded"
            }
    }

    fileprivate static func isProxy(_ peer: String, _ proxies: [String]) -> Bool {
        proxies.contains { $0.utf8.elementsEqual(peer.utf8) }
    }

    /// The address in `192.0.2.1`, `192.0.2.1:567`, `2001:db8::1`, `[2001:db8::1]` or
    /// `[2001:db8::1]:567`; `nil` in anything else.
    private static func withoutPort(_ entry: String) -> String? {
        if bytes(of: entry) != nil { return entry }
        let address: Substring
        if entry.utf8.first == UInt8(ascii: "["),
            let end = entry.utf8.firstIndex(of: UInt8(ascii: "]"))
        {
            let rest = entry.utf8[end...].dropFirst()
            guard rest.isEmpty || isPort(rest) else { return nil }
            address = entry[..<end].dropFirst()
        } else {
            guard let colon = entry.utf8.firstIndex(of: UInt8(ascii: ":")),
                isPort(entry.utf8[colon...])
            else { return nil }
            address = entry[..<colon]
        }
        return bytes(of: String(address)).map { _ in String(address) }
    }

    /// Whether these bytes are a colon followed by digits.
    private static func isPort(_ bytes: Substring.UTF8View) -> Bool {
        bytes.first == UInt8(ascii: ":") && (2...6).contains(bytes.count)
            && bytes.dropFirst().allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    /// The bytes that all requests of one network have in common.
    static func key(of address: String) -> [UInt8] {
        guard let bytes = bytes(of: address) else { return Array(address.utf8) }
        return bytes.count == 4 ? bytes : Array(bytes[..<8])
    }

    /// The site that an IPv6 network belongs to, a /48, of which one customer may have all networks.
    static func site(of key: [UInt8]) -> [UInt8]? { key.count == 8 ? Array(key[..<6]) : nil }

    /// A larger network, for the log: an IPv4 /24 or an IPv6 /48.
    static func shortened(_ address: String) -> String {
        guard let bytes = bytes(of: address) else { return "unknown" }
        if bytes.count == 4 { return "\(bytes[0]).\(bytes[1]).\(bytes[2]).0/24" }
        let groups = (0..<3).map {
            String(UInt16(bytes[2 * $0]) << 8 | UInt16(bytes[2 * $0 + 1]), radix: 16)
        }
        return groups.joined(separator: ":") + "::/48"
    }

    /// The four bytes of an IPv4 address, including an IPv4-mapped IPv6 address, or the sixteen
    /// bytes of any other IPv6 address.
    private static func bytes(of address: String) -> [UInt8]? {
        guard let bytes = IPAddress.bytes(of: address) else { return nil }
        guard bytes.count == 16 else { return bytes }
        let isMapped = bytes[0..<10].allSatisfy { $0 == 0 } && bytes[10...11] == [0xFF, 0xFF]
        return isMapped ? Array(bytes[12...]) : bytes
    }
}
