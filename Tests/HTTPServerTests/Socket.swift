/// A raw TCP client: what is sent is exactly what the test says.
import MacrologTestSupport

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

final class Socket {
    private let descriptor: Int32

    /// Connects to a port of this machine.
    convenience init(port: UInt16) {
        guard let descriptor = Loopback.connected(to: Int(port)) else {
            preconditionFailure("no server on port \(port)")
        }
        self.init(descriptor)
    }

    /// Connects to a port of this machine, if a server listens.
    convenience init?(ifAnyOn port: UInt16) {
        guard let descriptor = Loopback.connected(to: Int(port)) else { return nil }
        self.init(descriptor)
    }

    private init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Sends all of it; false when the peer has closed.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool { Loopback.send(bytes, to: descriptor) }

    @discardableResult
    func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// Everything until the peer closes.
    func readAll() -> String {
        var bytes: [UInt8] = []
        while let more = read(), !more.isEmpty { bytes += more }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// What comes next: empty at the end, `nil` after an error.
    func read() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return count < 0 ? nil : Array(buffer[..<count])
    }

    /// Reads until the text ends so.
    func read(until end: String) -> String {
        var text = ""
        while !text.hasSuffix(end), let more = read(), !more.isEmpty {
            text += String(decoding: more, as: UTF8.self)
        }
        return text
    }

    /// Whether the peer closed within this many milliseconds.
    func isClosed(within milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&entry, 1, milliseconds) > 0 else { return false }
        return read()?.isEmpty ?? true
    }
}

/// One request on a connection of its own, and what came back until the server closed.
func exchange(_ port: UInt16, _ bytes: [UInt8]) -> String {
    let socket = Socket(port: port)
    socket.send(bytes)
    return socket.readAll()
}

func exchange(_ port: UInt16, _ text: String) -> String { exchange(port, Array(text.utf8)) }

/// The status of a response as it came.
func status(_ response: String) -> Int? {
    response.hasPrefix("HTTP/1.1 ") ? Int(response.dropFirst(9).prefix(3)) : nil
}
