import Foundation
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

private let get = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n"

/// What a test says, as a body: each piece is asked for when the one before is written.
private final class Source: Sendable {
    private struct State {
        var pieces: [[UInt8]] = []
        var isComplete = false
        var wake: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())
    let asked = Counter()
    let ended = Counter()

    var stream: BodyStream {
        BodyStream(
            begin: { wake in self.state.withLock { $0.wake = wake } },
            next: {
                self.asked.add()
                return self.state.withLock { state in
                    if !state.pieces.isEmpty { return state.pieces.removeFirst() }
                    return state.isComplete ? nil : []
                }
            }, end: { self.ended.add() })
    }

    func say(_ text: String) {
        state.withLock { state -> (@Sendable () -> Void)? in
            state.pieces.append(Array(text.utf8))
            return state.wake
        }?()
    }

    func complete() {
        state.withLock { state -> (@Sendable () -> Void)? in
            state.isComplete = true
            return state.wake
        }?()
    }

    func waitForEnd() { #expect(eventually { ended.count > 0 }) }
}

/// Goal: a body that continues arrives piece by piece, and no one can make it cost much.
/// Method: a real server and raw sockets; a test waits for what must come, never for a time.
@Suite struct StreamTests {
    private func start(
        _ source: Source, _ change: (inout Configuration) -> Void = { _ in }
    ) throws -> Server {
        try HTTPServerTests.start(change) { request, reply in
            guard request.path == "/a" else { return reply.send(HTTPResponse(status: 204)) }
            reply.send(HTTPResponse(status: 200, stream: source.stream))
        }
    }

    @Test func `pieces arrive as they are said, and the connection continues after the end`() throws
    {
        let source = Source()
        let server = try start(source)
        let socket = Socket(port: server.port)
        source.say("before anybody asks.")
        socket.send(get)
        let head = socket.read(until: "before anybody asks.\r\n")
        #expect(status(head) == 200 && head.contains("ransfer-Encoding: chunked\r\n"))
        for number in 1...50 {
            source.say("piece \(number).")
            #expect(socket.read(until: "piece \(number).\r\n").hasSuffix("piece \(number).\r\n"))
        }
        source.complete()
        #expect(socket.read(until: "0\r\n\r\n").hasSuffix("0\r\n\r\n"))
        source.waitForEnd()
        socket.send("GET /b HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(status(socket.read(until: "\r\n\r\n")) == 204)
        #expect(source.ended.count == 1)
        server.stop()
    }

    @Test func `wake-ups from several threads at once lose nothing`() throws {
        let source = Source()
        let server = try start(source)
        let socket = Socket(port: server.port)
        socket.send(get)
        for _ in 0..<4 {
            Thread.detachNewThread { for _ in 0..<500 { source.say("~") } }
        }
        var count = 0
        while count < 2_000 {
            // Neither the header nor the sizes of the chunks hold this letter.
            guard let more = socket.read(), !more.isEmpty else { break }
            count += more.count { $0 == UInt8(ascii: "~") }
        }
        #expect(count == 2_000)
        source.complete()
        source.waitForEnd()
        server.stop()
    }

    @Test func `a stream without news is not idle, a connection without a request is`() throws {
        let source = Source()
        let server = try start(source) {
            $0.idleMilliseconds = 100
            $0.bodyMilliseconds = 100
            $0.headerMilliseconds = 100
        }
        let socket = Socket(port: server.port)
        source.say("first.")
        socket.send(get)
        _ = socket.read(until: "first.\r\n")
        // Twice as long as any deadline.
        for _ in 0..<2 {
            let idle = Socket(port: server.port)
            idle.send("GET /b HTTP/1.1\r\nHost: x\r\n\r\n")
            _ = idle.read(until: "\r\n\r\n")
            #expect(idle.isClosed(within: 10_000))
        }
        source.say("second.")
        #expect(socket.read(until: "second.\r\n").hasSuffix("second.\r\n"))
        source.complete()
        source.waitForEnd()
        server.stop()
    }

    @Test func `a reader who takes nothing is closed, and was asked for little`() throws {
        let source = Source()
        let server = try start(source) { $0.bodyMilliseconds = 100 }
        let socket = Socket(port: server.port)
        socket.send(get)
        // First it waits for news, and so has no deadline.
        #expect(eventually { source.asked.count > 0 })
        let piece = String(repeating: "x", count: 60_000)
        for _ in 0..<500 { source.say(piece) }
        source.waitForEnd()
        #expect(source.asked.count < 300)
        server.stop()
    }

    @Test func `a reader who went away is noticed by the next pieces`() throws {
        let source = Source()
        let server = try start(source)
        source.say("first.")
        do {
            let socket = Socket(port: server.port)
            socket.send(get)
            _ = socket.read(until: "first.\r\n")
        }
        #expect(
            eventually {
                source.say("anybody there?")
                return source.ended.count > 0
            })
        server.stop()
    }

    @Test func `stopping ends streams at once, with a whole body`() throws {
        let source = Source()
        let server = try start(source)
        let socket = Socket(port: server.port)
        source.say("first.")
        socket.send(get)
        _ = socket.read(until: "first.\r\n")
        server.stop(deadlineMilliseconds: 60_000)
        #expect(socket.readAll().hasSuffix("0\r\n\r\n"))
        #expect(source.ended.count == 1)
        // What is said afterwards reaches no one and harms no one.
        source.say("too late.")
    }

    @Test func `a stream that is answered too late is ended and never asked`() throws {
        let source = Source()
        let held = Mutex<Reply?>(nil)
        let entered = Counter()
        let server = try HTTPServerTests.start { _, reply in
            held.withLock { $0 = reply }
            entered.add()
        }
        let socket = Socket(port: server.port)
        socket.send(get)
        while entered.count == 0 { sched_yield() }
        server.stop(deadlineMilliseconds: 10)
        held.withLock { $0?.send(HTTPResponse(status: 200, stream: source.stream)) }
        #expect(source.ended.count == 1 && source.asked.count == 0)
    }
}
