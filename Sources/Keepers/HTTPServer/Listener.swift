/// The listening socket, and its errors as messages.
import CMacrologMicroHTTPD
import MacrologPlatform
import MacrologSystem

struct Listener {
    let descriptor: Int32
    let port: UInt16

    /// Binds a numeric address and listens.
    static func open(address: String, port: UInt16) throws(ServerError) -> Listener {
        let shown = address.utf8.contains(UInt8(ascii: ":")) ? "[\(address)]" : address
        let operation = "listen on \(shown):\(port)"
        var storage = sockaddr_storage()
        guard let length = fill(&storage, address, port) else {
            throw ServerError(operation: operation, detail: "not a numeric IPv4 or IPv6 address")
        }
        let descriptor = socket(
            Int32(storage.ss_family), number(SOCK_STREAM) | socketCloseOnExec, 0)
        guard descriptor >= 0 else { throw ServerError(operation: operation, detail: lastError()) }
        var yes: Int32 = 1
        setsockopt(
            descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        let bound = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address -> Bool in
                var size = length
                return bind(descriptor, address, length) == 0 && listen(descriptor, 1024) == 0
                    && getsockname(descriptor, address, &size) == 0
            }
        }
        guard bound else {
            let detail = lastError()
            close(descriptor)
            throw ServerError(operation: operation, detail: detail)
        }
        return Listener(descriptor: descriptor, port: portNumber(storage))
    }

    /// Raises this process's limit of descriptors to at least `count`, as far as the system allows.
    ///
    /// - Returns: The resulting limit.
    @discardableResult
    static func raiseDescriptorLimit(to count: Int) -> Int {
        var limit = rlimit()
        guard getrlimit(.init(number(RLIMIT_NOFILE)), &limit) == 0 else { return 0 }
        guard limit.rlim_cur < rlim_t(count) else { return Int(clamping: limit.rlim_cur) }
        let before = limit.rlim_cur
        limit.rlim_cur = min(limit.rlim_max, rlim_t(count))
        let isRaised = setrlimit(.init(number(RLIMIT_NOFILE)), &limit) == 0
        return Int(clamping: isRaised ? limit.rlim_cur : before)
    }

    /// The text of a peer's address, such as `127.0.0.1`.
    static func text(of peer: UnsafePointer<sockaddr>) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
            buffer.initialize(repeating: 0)
            guard let base = buffer.baseAddress else { return "" }
            let size = socklen_t(buffer.count)
            if Int32(peer.pointee.sa_family) == AF_INET6 {
                peer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { six in
                    var address = six.pointee.sin6_addr
                    inet_ntop(AF_INET6, &address, base, size)
                }
            } else {
                peer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { four in
                    var address = four.pointee.sin_addr
                    inet_ntop(AF_INET, &address, base, size)
                }
            }
            return String(cString: base)
        }
    }
}

private func fill(
    _ storage: inout sockaddr_storage, _ address: String, _ port: UInt16
) -> socklen_t? {
    var four = sockaddr_in()
    if inet_pton(AF_INET, address, &four.sin_addr) == 1 {
        four.sin_family = sa_family_t(AF_INET)
        four.sin_port = port.bigEndian
        withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: four, as: sockaddr_in.self) }
        return socklen_t(MemoryLayout<sockaddr_in>.size)
    }
    var six = sockaddr_in6()
    if inet_pton(AF_INET6, address, &six.sin6_addr) == 1 {
        six.sin6_family = sa_family_t(AF_INET6)
        six.sin6_port = port.bigEndian
        withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: six, as: sockaddr_in6.self) }
        return socklen_t(MemoryLayout<sockaddr_in6>.size)
    }
    return nil
}

private func portNumber(_ storage: sockaddr_storage) -> UInt16 {
    // The port is at the same offset in both address families.
    withUnsafeBytes(of: storage) { UInt16(bigEndian: $0.load(fromByteOffset: 2, as: UInt16.self)) }
}

private func lastError() -> String { String(cString: strerror(errno)) }
