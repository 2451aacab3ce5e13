import MacrologPlatform
import MacrologTestSupport

/// One kept-alive HTTP connection to a server on this machine: a request out, an answer in.
final class LoadConnection {
    let socket: Int32
    let port: UInt16
    private var outgoing: [UInt8] = []
    private var sent = 0
    private var incoming: [UInt8] = []
    private let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 16_384, alignment: 8)
    /// The bytes of the whole answer, once its header has been read.
    private var expected: Int?

    /// Connects to a port of the loopback address.
    init(port: UInt16) throws {
        guard let line = Loopback.connected(to: Int(port)) else {
            throw Wrong(description: "no server listens on port \(port)")
        }
        socket = line
        self.port = port
        var on: Int32 = 1
        setsockopt(
            socket, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit {
        close(socket)
        piece.deallocate()
    }

    /// Sends a request. On loopback it fits the socket's buffer; the rest is sent later.
    func send(_ request: [UInt8]) throws {
        outgoing = request
        sent = 0
        incoming.removeAll(keepingCapacity: true)
        expected = nil
        try write()
    }

    private func write() throws {
        while sent < outgoing.count {
            let count = outgoing.withUnsafeBytes {
                systemSend(
                    socket, UnsafeRawBufferPointer(rebasing: $0[sent...]))
            }
            guard count > 0 else { throw Wrong(description: "the server hung up") }
            sent += count
        }
    }

    /// Reads what has arrived. Returns the answer when it is complete.
    func receive() throws -> Answer? {
        let count = recv(socket, piece.baseAddress, piece.count, 0)
        guard count > 0 else { throw Wrong(description: "the server hung up") }
        incoming.append(contentsOf: UnsafeRawBufferPointer(rebasing: piece[..<count]))
        if expected == nil { expected = try Answer.bytes(incoming) }
        guard let expected, incoming.count >= expected else { return nil }
        return Answer(bytes: incoming)
    }

    /// Sends a request and waits for the answer.
    func exchange(_ request: [UInt8]) throws -> Answer {
        try send(request)
        while true {
            if let answer = try receive() { return answer }
        }
    }

    /// An HTTP answer with a `Content-Length`.
    struct Answer {
        /// Header and body.
        let bytes: [UInt8]

        /// The three digits after `HTTP/1.1 `.
        var status: Int {
            guard bytes.count > 12 else { return 0 }
            return bytes[9..<12].reduce(0) { $0 * 10 + Int($1) - 48 }
        }

        var body: [UInt8] {
            Self.bodyStart(bytes).map { Array(bytes[$0...]) } ?? []
        }

        /// The bytes of header and body; `nil` while the header is incomplete.
        fileprivate static func bytes(_ incoming: [UInt8]) throws -> Int? {
            guard let start = bodyStart(incoming) else { return nil }
            var length: Int?
            incoming.withUnsafeBufferPointer { bytes in
                var line = 0
                while line + lengthName.count < start {
                    if isLength(bytes, at: line) {
                        length = bytes[(line + lengthName.count)..<start].prefix { $0 != 13 }
                            .reduce(0) { $1 == 32 ? $0 : $0 * 10 + Int($1) - 48 }
                    }
                    while line < start, bytes[line] != 10 { line += 1 }
                    line += 1
                }
            }
            guard let length else { throw Wrong(description: "an answer without a length") }
            return start + length
        }

        private static let lengthName = Array("content-length:".utf8)

        private static func isLength(_ bytes: UnsafeBufferPointer<UInt8>, at line: Int) -> Bool {
            for index in lengthName.indices
            where bytes[line + index] | 0x20 != lengthName[index] | 0x20 {
                return false
            }
            return true
        }

        /// The start of the body: after the first empty line.
        private static func bodyStart(_ bytes: [UInt8]) -> Int? {
            bytes.withUnsafeBufferPointer { bytes in
                var end = 4
                while end <= bytes.count {
                    if bytes[end - 1] == 10, bytes[end - 2] == 13, bytes[end - 3] == 10,
                        bytes[end - 4] == 13
                    {
                        return end
                    }
                    end += 1
                }
                return nil
            }
        }
    }
}

// Outside of the class, where the system's own name is not shadowed.
private func systemSend(_ socket: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    send(socket, bytes.baseAddress, bytes.count, 0)
}
