import MacrologHTTP
import MacrologHTTPServer
import MacrologTestSupport
import Synchronization
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What arrives at a sink.
private final class Bucket: Sendable {
    private let bytes = Mutex<[UInt8]>([])
    private let longest = Mutex(0)
    let cancelled = Counter()
    let finished = Counter()

    var content: [UInt8] { bytes.withLock { $0 } }
    /// The longest piece.
    var pieceMax: Int { longest.withLock { $0 } }

    func sink(bytesMax: Int64 = 10 << 20) -> BodySink {
        BodySink(
            bytesMax: bytesMax,
            take: { piece in
                self.bytes.withLock { $0 += Array(piece) }
                self.longest.withLock { $0 = max($0, piece.count) }
            },
            finish: { reply in
                self.finished.add()
                reply(HTTPResponse(status: 201, body: Array("\(self.content.count)".utf8)))
            }, cancel: { self.cancelled.add() })
    }
}

/// Goal: a body that is too long for memory goes where it belongs as it comes, and a file goes out
/// as it lies; both under the same limits as everything else.
/// Method: a real server and raw sockets.
@Suite struct SinkTests {
    private func start(
        _ bucket: Bucket, bytesMax: Int64 = 10 << 20,
        _ change: (inout Configuration) -> Void = { _ in }
    ) throws -> Server {
        var configuration = Configuration()
        configuration.port = 0
        configuration.bodyBytesMax = 1_000
        configuration.shortBodyBytesMax = 0
        change(&configuration)
        return try Server.start(
            configuration,
            sinks: { $1($0.method == "PUT" ? bucket.sink(bytesMax: bytesMax) : nil) }
        ) { request, reply in
            if let sink = request.sink { return sink.finish { reply.send($0) } }
            reply.send(HTTPResponse(status: 200, body: Array("\(request.body.count)".utf8)))
        }
    }

    private func put(_ length: Int, close: Bool = true) -> [UInt8] {
        Array(
            "PUT /b HTTP/1.1\r\nHost: x\r\nContent-Length: \(length)\r\n\(close ? "Connection: close\r\n" : "")\r\n"
                .utf8)
    }

    @Test func `a long body arrives in pieces, whole and in order`() throws {
        let bucket = Bucket()
        let server = try start(bucket)
        let body = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let answer = exchange(server.port, put(body.count) + body)
        #expect(status(answer) == 201 && answer.hasSuffix("3000000"))
        #expect(bucket.content == body)
        #expect(bucket.pieceMax <= 65_536)
        #expect(bucket.cancelled.count == 0)
        server.stop()
    }

    @Test func `other requests keep their bodies and their limit, on the same connection`() throws {
        let bucket = Bucket()
        let server = try start(bucket)
        let socket = Socket(port: server.port)
        for _ in 0..<3 {
            socket.send(put(5_000, close: false) + [UInt8](repeating: 1, count: 5_000))
            #expect(status(socket.read(until: "000")) == 201)
            socket.send("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab")
            #expect(socket.read(until: "\r\n\r\n2").hasPrefix("HTTP/1.1 200"))
        }
        #expect(bucket.content.count == 15_000)
        socket.send("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 1001\r\n\r\n")
        #expect(status(socket.readAll()) == 413)
        server.stop()
    }

    @Test func `a body longer than the sink takes is refused, and one of unsaid length`() throws {
        let bucket = Bucket()
        let server = try start(bucket, bytesMax: 100)
        #expect(status(exchange(server.port, put(101))) == 413)
        let chunk = "64\r\n" + String(repeating: "x", count: 100) + "\r\n"
        let answer = exchange(
            server.port,
            "PUT /b HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n\(chunk)\(chunk)0\r\n\r\n"
        )
        #expect(status(answer) == 411)
        #expect(eventually { bucket.cancelled.count == 1 })
        #expect(bucket.finished.count == 0)
        server.stop()
    }

    @Test func `who asks before sending reads a refusal at once, and others after their body`()
        throws
    {
        var configuration = Configuration()
        configuration.port = 0
        configuration.shortBodyBytesMax = 0
        let refusal = HTTPResponse(status: 403, body: Array("no".utf8))
        let server = try Server.start(
            configuration, sinks: { $1(.refusing(refusal, bytesMax: 10 << 20)) }
        ) { request, reply in
            request.sink?.finish { reply.send($0) }
        }
        let head = "PUT /b HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\n"
        let asking = Socket(port: server.port)
        asking.send(head + "Expect: 100-continue\r\n\r\n")
        let answer = asking.readAll()
        #expect(status(answer) == 403 && answer.hasSuffix("\r\n\r\nno"), "\(answer)")
        let sending = Socket(port: server.port)
        sending.send(Array((head + "\r\n").utf8) + [UInt8](repeating: 1, count: 5_000))
        #expect(status(sending.read(until: "no")) == 403)
        server.stop()
    }

    @Test func `a sink hears once that its body was broken off`() throws {
        let bucket = Bucket()
        let server = try start(bucket)
        do {
            let socket = Socket(port: server.port)
            socket.send(put(1_000) + [UInt8](repeating: 7, count: 300))
            #expect(eventually { bucket.content.count == 300 })
        }
        #expect(eventually { bucket.cancelled.count == 1 })
        #expect((bucket.content.count, bucket.finished.count) == (300, 0))
        server.stop()
        #expect(bucket.cancelled.count == 1)
    }

    /// Lets a test say when a choice is made.
    private final class Choices: Sendable {
        private let waiting = Mutex<[@Sendable (BodySink?) -> Void]>([])

        var count: Int { waiting.withLock { $0.count } }
        func add(_ choose: @escaping @Sendable (BodySink?) -> Void) {
            waiting.withLock { $0.append(choose) }
        }
        func choose(_ sink: BodySink?) {
            let first = waiting.withLock { $0.removeFirst() }
            first(sink)
        }
    }

    private func start(_ choices: Choices) throws -> Server {
        var configuration = Configuration()
        configuration.port = 0
        configuration.threads = 1
        configuration.shortBodyBytesMax = 100
        return try Server.start(configuration, sinks: { choices.add($1) }) { request, reply in
            if let sink = request.sink { return sink.finish { reply.send($0) } }
            reply.send(HTTPResponse(status: 200, body: Array("\(request.body.count)".utf8)))
        }
    }

    @Test func `while it is chosen where a body goes, the thread serves others`() throws {
        let (bucket, choices) = (Bucket(), Choices())
        let server = try start(choices)
        let socket = Socket(port: server.port)
        for round in 1...3 {
            socket.send(put(5_000, close: false) + [UInt8](repeating: 1, count: 5_000))
            #expect(eventually { choices.count == 1 })
            let short =
                "POST /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n\r\nab"
            #expect(exchange(server.port, short).hasSuffix("\r\n\r\n2"))
            #expect(bucket.content.count == (round - 1) * 5_000)
            choices.choose(bucket.sink())
            #expect(socket.read(until: "\(round * 5_000)").hasPrefix("HTTP/1.1 201"))
        }
        // Kept in memory, on the same connection.
        socket.send(put(101, close: false) + [UInt8](repeating: 1, count: 101))
        #expect(eventually { choices.count == 1 })
        choices.choose(nil)
        #expect(socket.read(until: "\r\n\r\n101").hasPrefix("HTTP/1.1 200"))
        #expect((bucket.finished.count, bucket.cancelled.count) == (3, 0))
        server.stop()
    }

    @Test func `a sink that is chosen too late hears that its body will not come`() throws {
        let (bucket, choices) = (Bucket(), Choices())
        let server = try start(choices)
        do {
            let socket = Socket(port: server.port)
            socket.send(put(5_000))
            #expect(eventually { choices.count == 1 })
        }
        choices.choose(bucket.sink())
        #expect(eventually { bucket.cancelled.count == 1 })
        let socket = Socket(port: server.port)
        socket.send(put(5_000))
        #expect(eventually { choices.count == 1 })
        server.stop(deadlineMilliseconds: 0)
        #expect(status(socket.readAll()) == 503)
        choices.choose(bucket.sink())
        #expect((bucket.finished.count, bucket.cancelled.count) == (0, 2))
    }

    @Test func `a body that dribbles is cut off by the same deadline as any other`() throws {
        let bucket = Bucket()
        let server = try start(bucket) { $0.bodyMilliseconds = 200 }
        let socket = Socket(port: server.port)
        socket.send(put(10_000) + [1])
        #expect(socket.isClosed(within: 20_000))
        #expect(eventually { bucket.cancelled.count == 1 })
        server.stop()
    }

    @Test func `a file goes out as it lies, in parts, and not at all for HEAD`() throws {
        var template = Array("/tmp/macrolog-sink-XXXXXX".utf8CString)
        let file = mkstemp(&template)
        let path = String(
            decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer { unlink(path) }
        let text = Array("0123456789".utf8)
        #expect(write(file, text, 10) == 10)
        close(file)
        let server = try HTTPServerTests.start { request, reply in
            let offset = Int64(request.query) ?? 0
            reply.send(
                HTTPResponse(
                    status: 200, fields: [HTTPField("cache-control", "private")],
                    file: FilePart(
                        path: request.path == "/gone" ? "/nowhere" : path, offset: offset,
                        count: 10 - offset)))
        }
        func ask(_ line: String) -> String {
            exchange(server.port, "\(line) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        }
        let whole = ask("GET /a")
        #expect(status(whole) == 200 && whole.hasSuffix("\r\n\r\n0123456789"))
        #expect(whole.contains("cache-control: private\r\n") && !whole.contains("no-store"))
        #expect(ask("GET /a?7").hasSuffix("\r\n\r\n789"))
        let head = ask("HEAD /a")
        #expect(head.contains("Content-Length: 10\r\n") && head.hasSuffix("\r\n\r\n"))
        #expect(status(ask("GET /gone")) == 503)
        server.stop()
    }
}
