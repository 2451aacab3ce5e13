import MacrologPlatform

/// Numeric addresses of the Internet.
package enum IPAddress {
    /// The four bytes of an IPv4 address, or the sixteen of an IPv6 address, in the order of the
    /// network; `nil` if the text is neither.
    package static func bytes(of text: String) -> [UInt8]? {
        var four = in_addr()
        if inet_pton(AF_INET, text, &four) == 1 { return withUnsafeBytes(of: four) { Array($0) } }
        var six = in6_addr()
        guard inet_pton(AF_INET6, text, &six) == 1 else { return nil }
        return withUnsafeBytes(of: six) { Array($0) }
    }
}
