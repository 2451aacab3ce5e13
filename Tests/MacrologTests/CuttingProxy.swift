import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A network that breaks on order: it carries bytes to a server on this machine and back, and hangs
/// up on both after this many bytes in one direction.
final class CuttingProxy: Sendable {
    /// After how many bytes a connection breaks.
    struct Cut: Sendable {
        var up = Int.max
        var down = Int.max
    }

    let port: UInt16
    private let listener: Int32
    private let cuts: Mutex<[Cut]>

    /// - Parameter cuts: Of one connection after the other; later ones hold.
    init(to server: UInt16, cuts: [Cut]) {
        self.cuts = Mutex(cuts)
        #if canImport(Glibc)
            let type = Int32(SOCK_STREAM.rawValue)
        #else
            let type = SOCK_STREAM
        #endif
        let listener = socket(AF_INET, type, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                precondition(bind(listener, $0, length) == 0 && listen(listener, 16) == 0)
                precondition(getsockname(listener, $0, &length) == 0)
            }
        }
        self.listener = listener
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [weak self] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0, let cut = self?.nextCut() else { return }
                var target = sockaddr_in()
                target.sin_family = sa_family_t(AF_INET)
                target.sin_port = server.bigEndian
                target.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
                let other = socket(AF_INET, type, 0)
                let isConnected = withUnsafePointer(to: &target) {
                    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        connect(other, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                    }
                }
                precondition(isConnected)
                let ends = Mutex(0)
                let shared = Shared(ends)
                for (from, to, limit) in [(client, other, cut.up), (other, client, cut.down)] {
                    Thread.detachNewThread {
                        Self.carry(from, to, limit)
                        for end in [client, other] { shutdown(end, Int32(SHUT_RDWR)) }
                        if shared.isLast() { for end in [client, other] { close(end) } }
                    }
                }
            }
        }
    }

    /// Counts the two directions of a connection.
    private final class Shared: Sendable {
        private let ends: Mutex<Int>
        init(_ ends: consuming Mutex<Int>) { self.ends = ends }
        func isLast() -> Bool {
            ends.withLock {
                $0 += 1
                return $0 == 2
            }
        }
    }

    private func nextCut() -> Cut {
        cuts.withLock { $0.isEmpty ? Cut() : $0.removeFirst() }
    }

    private static func carry(_ from: Int32, _ to: Int32, _ limit: Int) {
        var left = limit
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while left > 0 {
            let count = recv(from, &buffer, min(buffer.count, left), 0)
            guard count > 0, send(to, buffer, count, Int32(MSG_NOSIGNAL)) == count else { return }
            left -= count
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }
}
