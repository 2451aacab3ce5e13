/// Where a request comes from, for counting attempts: one IPv4 address, or one IPv6 /64.
import HTTP

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

enum Network {
    /// The address of the client: of the socket, or what a trusted proxy says of its own.
    ///
    /// - Parameter proxies: Addresses whose `X-Forwarded-For` is believed; of several entries the
    ///   last counts, which is the one that the proxy itself has written.
    static func address(of request: HTTPRequest, proxies: [String]) -> String {
        guard proxies.contains(where: { $0.utf8.elementsEqual(request.peer.utf8) }),
            let forwarded = request.fields.last(where: { $0.name == "x-forwarded-for" })?.value,
            let last = forwarded.utf8.split(separator: UInt8(ascii: ",")).last
        else { return request.peer }
        return String(decoding: last.filter { $0 != 0x20 }, as: UTF8.self)
    }

    /// The bytes that requests of one network share.
    static func key(of address: String) -> [UInt8] {
        var four = in_addr()
        if inet_pton(AF_INET, address, &four) == 1 {
            return withUnsafeBytes(of: four) { Array($0) }
        }
        var six = in6_addr()
        guard inet_pton(AF_INET6, address, &six) == 1 else { return Array(address.utf8) }
        let bytes = withUnsafeBytes(of: six) { Array($0) }
        let isMapped = bytes[0..<10].allSatisfy { $0 == 0 } && bytes[10...11] == [0xFF, 0xFF]
        return isMapped ? Array(bytes[12...]) : Array(bytes[..<8])
    }
}
