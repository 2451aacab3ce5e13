import Foundation

/// Sockets of this machine.
package enum Loopback {
    /// A port that nothing listens on now. Another program may take it before it is used.
    package static func freePort() -> Int {
        let (listener, port) = listen()
        close(listener)
        return port
    }

    /// Whether something listens on a port.
    package static func isOpen(_ port: Int) -> Bool {
        guard let line = connected(to: port) else { return false }
        close(line)
        return true
    }

    /// A socket that listens on a free port.
    package static func listen() -> (socket: Int32, port: Int) {
        let listener = socket(AF_INET, stream, 0)
        var address = address(0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                precondition(bind(listener, $0, size) == 0, "no free port")
                precondition(Foundation.listen(listener, 64) == 0)
                precondition(getsockname(listener, $0, &size) == 0)
            }
        }
        return (listener, Int(UInt16(bigEndian: address.sin_port)))
    }

    /// A connection to a port; `nil` if nothing listens there.
    package static func connected(to port: Int) -> Int32? {
        let line = socket(AF_INET, stream, 0)
        var address = address(UInt16(port))
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(line, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if status != 0 { close(line) }
        if status == 0 { sendAtOnce(line) }
        return status == 0 ? line : nil
    }

    /// Has a socket send each message at once. Otherwise one that follows another waits for its receipt, 40
    /// milliseconds.
    static func sendAtOnce(_ line: Int32) {
        var on: Int32 = 1
        setsockopt(
            line, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    /// A connection to a Unix socket; `nil` if nothing listens there.
    static func connected(to path: String) -> Int32? {
        let line = socket(AF_UNIX, stream, 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { room in
            precondition(path.utf8.count < room.count, "the path of a socket is too long")
            room.copyBytes(from: path.utf8)
        }
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(line, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        if status != 0 { close(line) }
        return status == 0 ? line : nil
    }

    /// Sends all of some bytes; false if the connection has ended.
    package static func send(_ bytes: [UInt8], to line: Int32) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Foundation.send(line, $0.baseAddress, $0.count, noSignal)
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    #if canImport(Glibc)
        private static let stream = Int32(SOCK_STREAM.rawValue)
        private static let noSignal = Int32(MSG_NOSIGNAL)
    #elseif canImport(Musl)
        private static let stream = SOCK_STREAM
        private static let noSignal = Int32(MSG_NOSIGNAL)
    #else
        private static let stream = SOCK_STREAM
        private static let noSignal: Int32 = 0
    #endif

    private static func address(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}
