import Foundation
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A server that reads one request after the other and answers each from a list, right or wrong.
///
/// It listens on loopback, at a port of the system's choosing, until the value goes.
final class TinyServer: Sendable {
    typealias Answer = Listener.Answer

    private let listener: Listener

    init(_ answers: [Listener.Answer]) {
        let listener = Listener(answers)
        Thread.detachNewThread { listener.run() }
        self.listener = listener
    }

    /// Hangs up on everybody and waits until nothing runs any more.
    deinit { listener.stop() }

    var port: Int { listener.port }

    /// Signalled when a request has been read and the answer to it has been written.
    var answered: DispatchSemaphore { listener.answered }

    /// What has been asked so far, heads and bodies as they came.
    var requests: [String] { listener.requests }

    /// How many times someone has connected.
    var connections: Int { listener.connections }
}

/// The part of a ``TinyServer`` that its thread keeps alive.
final class Listener: Sendable {
    enum Answer: Sendable {
        /// Writes the bytes and waits for the next request on the same connection.
        case keep([UInt8])
        /// Writes the bytes and hangs up.
        case close([UInt8])
        /// Writes the bytes and then nothing more, with the line open.
        case stall([UInt8])
    }

    let port: Int
    private let listener: CInt
    private let state: Mutex<State>
    private let done = DispatchSemaphore(value: 0)
    let answered = DispatchSemaphore(value: 0)

    private struct State {
        var answers: [Answer]
        var requests: [String] = []
        var connections = 0
        var open: [CInt] = []
        var isOver = false
    }

    init(_ answers: [Answer]) {
        #if canImport(Darwin) || canImport(Musl)
            listener = socket(AF_INET, SOCK_STREAM, 0)
        #else
            listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                precondition(bind(listener, $0, length) == 0 && listen(listener, 16) == 0)
                precondition(getsockname(listener, $0, &length) == 0)
            }
        }
        port = Int(UInt16(bigEndian: address.sin_port))
        state = Mutex(State(answers: answers))
    }

    /// Hangs up on everybody and waits until nothing runs any more.
    func stop() {
        // Under the lock: the number of a closed connection may be another's by now.
        state.withLock { state in
            state.isOver = true
            for descriptor in state.open + [listener] { shutdown(descriptor, CInt(SHUT_RDWR)) }
        }
        done.wait()
        close(listener)
    }

    var requests: [String] { state.withLock { $0.requests } }

    var connections: Int { state.withLock { $0.connections } }

    func run() {
        while true {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { break }
            let isOver = state.withLock { state in
                state.connections += 1
                state.open = [connection]
                return state.isOver
            }
            if !isOver { serve(connection) }
            state.withLock { state in
                state.open = []
                close(connection)
            }
        }
        done.signal()
    }

    private func serve(_ connection: CInt) {
        while let request = readRequest(connection) {
            let answer = state.withLock { state in
                state.requests.append(request)
                return state.answers.isEmpty ? Answer.close([]) : state.answers.removeFirst()
            }
            switch answer {
            case .keep(let bytes):
                write(bytes, to: connection)
                answered.signal()
            case .close(let bytes):
                write(bytes, to: connection)
                answered.signal()
                return
            case .stall(let bytes):
                write(bytes, to: connection)
                answered.signal()
                _ = readRequest(connection)  // Returns when the other side, or the server, ends.
                return
            }
        }
    }

    private func write(_ bytes: [UInt8], to connection: CInt) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                send(connection, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// One head and the body that its `Content-Length` announces; `nil` at the end.
    private func readRequest(_ connection: CInt) -> String? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            if let head = bytes.firstRange(of: Array("\r\n\r\n".utf8)) {
                let text = String(decoding: bytes[..<head.lowerBound], as: UTF8.self)
                let length =
                    text.lowercased().split(separator: "\r\n")
                    .first { $0.hasPrefix("content-length:") }
                    .flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) } ?? 0
                if bytes.count - head.upperBound >= length {
                    return String(decoding: bytes, as: UTF8.self)
                }
            }
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            bytes += buffer[..<count]
        }
    }
}

/// An answer with a length.
func answer(_ status: String, _ fields: String = "", body: [UInt8] = []) -> [UInt8] {
    Array("HTTP/1.1 \(status)\r\nContent-Length: \(body.count)\r\n\(fields)\r\n".utf8) + body
}
