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

    /// Whether an address is one of the public Internet: none of this computer, of a private network, of a
    /// link, for documents, for many receivers or reserved (the registries of RFC 6890).
    ///
    /// - Parameter bytes: Four or sixteen, in the order of the network.
    package static func isPublic(_ bytes: [UInt8]) -> Bool {
        if bytes.count == 4 { return !reserved4.contains { matches(bytes, $0.0, $0.1) } }
        guard bytes.count == 16 else { return false }
        // An IPv4 address in IPv6, and one that a translator reaches.
        for prefix in [mapped, translated] where matches(bytes, prefix, 96) {
            return isPublic(Array(bytes[12...]))
        }
        return bytes[0] & 0xE0 == 0x20 && !reserved6.contains { matches(bytes, $0.0, $0.1) }
    }

    private static let mapped: [UInt8] = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
    private static let translated: [UInt8] =
        [0, 0x64, 0xFF, 0x9B] + [UInt8](repeating: 0, count: 8)

    private static let reserved4: [([UInt8], Int)] = [
        ([0], 8), ([10], 8), ([100, 64], 10), ([127], 8), ([169, 254], 16), ([172, 16], 12),
        ([192, 0, 0], 24), ([192, 0, 2], 24), ([192, 88, 99], 24), ([192, 168], 16),
        ([198, 18], 15), ([198, 51, 100], 24), ([203, 0, 113], 24), ([224], 3),
    ]

    /// Of 2000::/3, outside of which nothing is public: protocols, documents, and 6to4, which holds an
    /// IPv4 address.
    private static let reserved6: [([UInt8], Int)] = [
        ([0x20, 0x01, 0], 23), ([0x20, 0x01, 0x0D, 0xB8], 32), ([0x20, 0x02], 16),
        ([0x3F, 0xFF, 0], 20),
    ]

    private static func matches(_ bytes: [UInt8], _ prefix: [UInt8], _ bits: Int) -> Bool {
        (0..<bits).allSatisfy { bit in
            let mask = UInt8(0x80) >> UInt8(bit % 8)
            let given = bit / 8 < prefix.count ? prefix[bit / 8] : 0
            return bytes[bit / 8] & mask == given & mask
        }
    }
}
