import MacrologHTTP
import MacrologHTTPServer
import Synchronization
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

private let get = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n"
private let getAndClose = "GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"

/// Goal: replies arrive whichever thread sends them, and no peer can hold more than its share.
/// Method: a real server and raw sockets; deadlines are made short, nothing here sleeps.
@Suite struct ServerTests {
    @Test func `a reply sent within the handler arrives and the connection stays open`() throws {
        let server = try start { request, reply in
            reply.send(HTTPResponse(status: 200, body: Array(request.path.utf8)))
        }
        let socket = Socket(port: server.port)
        for _ in 0..<3 {
            socket.send(get)
            #expect(status(socket.read(until: "\r\n\r\n/a")) == 200)
        }
        server.stop()
    }

    @Test func `a reply sent later from another thread arrives`() throws {
        let waiting = Mutex<[Reply]>([])
        let server = try start { request, reply in
            if request.path == "/release" {
                let replies = waiting.withLock { list in
                    defer { list = [] }
                    return list
                }
                for reply in replies { reply.send(HTTPResponse(status: 201)) }
                reply.send(HTTPResponse(status: 200, body: Array("\(replies.count)".utf8)))
            } else {
                waiting.withLock { $0.append(reply) }
            }
        }
        let first = Socket(port: server.port)
        let second = Socket(port: server.port)
        first.send(getAndClose)
        second.send(getAndClose)
        var released = 0
        while released < 2 {
            let answer = exchange(
                server.port, "GET /release HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            released += Int(answer.suffix(1)) ?? 0
        }
        #expect(status(first.readAll()) == 201)
        #expect(status(second.readAll()) == 201)
        server.stop()
    }

    @Test func `a handler that forgets its reply answers 500`() throws {
        let server = try start { _, _ in }
        #expect(status(exchange(server.port, getAndClose)) == 500)
        server.stop()
    }

    @Test func `every response carries the security headers`() throws {
        let server = try start { _, reply in reply.send(HTTPResponse(status: 404)) }
        for request in [getAndClose, "GET /.. HTTP/1.1\r\nHost: x\r\n\r\n"] {
            let answer = exchange(server.port, request)
            for header in [
                "cache-control: no-store", "x-content-type-options: nosniff",
                "content-security-policy: default-src 'none'; frame-ancestors 'none'",
                "referrer-policy: no-referrer",
            ] {
                #expect(answer.contains(header + "\r\n"), "\(answer)")
            }
        }
        server.stop()
    }

    @Test func `a body longer than the limit is refused before it is read`() throws {
        let server = try start({ $0.bodyBytesMax = 1000 }) { _, reply in
            reply.send(HTTPResponse(status: 200))
        }
        let header = "POST /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
        #expect(status(exchange(server.port, header + "Content-Length: 1001\r\n\r\n")) == 413)
        let whole = header + "Content-Length: 1000\r\n\r\n" + String(repeating: "x", count: 1000)
        #expect(status(exchange(server.port, whole)) == 200)
        server.stop()
    }

    @Test func `long targets and long headers are refused`() throws {
        let server = try start { _, reply in reply.send(HTTPResponse(status: 200)) }
        let path = String(repeating: "a", count: 2100)
        #expect(status(exchange(server.port, "GET /\(path) HTTP/1.1\r\nHost: x\r\n\r\n")) == 414)
        let value = String(repeating: "a", count: 40_000)
        #expect(
            status(exchange(server.port, "GET / HTTP/1.1\r\nHost: x\r\nX: \(value)\r\n\r\n")) == 431
        )
        server.stop()
    }

    @Test(arguments: [
        "", "GET", "GET /a HTTP/1.1\r\nHost: x\r\nX: ",
        "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n",
    ])
    func `a socket that sends one byte now and then is closed`(beginning: String) throws {
        let server = try start({
            $0.headerMilliseconds = 100
            $0.bodyMilliseconds = 100
            $0.millisecondsPer64KiB = 10
            $0.idleMilliseconds = 100
        }) { _, reply in reply.send(HTTPResponse(status: 200)) }
        let socket = Socket(port: server.port)
        socket.send(beginning)
        var bytes = 0
        while bytes < 1000, !socket.isClosed(within: 10) {
            socket.send("x")
            bytes += 1
        }
        #expect(bytes < 1000)
        server.stop()
    }

    @Test func `an idle connection is closed and a waiting one is not`() throws {
        let held = Mutex<Reply?>(nil)
        let server = try start({ $0.idleMilliseconds = 100 }) { request, reply in
            if request.path == "/a" {
                reply.send(HTTPResponse(status: 204))
            } else {
                held.withLock { $0 = reply }
            }
        }
        let waiting = Socket(port: server.port)
        waiting.send("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n")
        let idle = Socket(port: server.port)
        idle.send(get)
        #expect(status(idle.read(until: "\r\n\r\n")) == 204)
        #expect(idle.isClosed(within: 10_000))
        held.withLock { $0?.send(HTTPResponse(status: 202)) }
        #expect(status(waiting.read(until: "\r\n\r\n")) == 202)
        server.stop()
    }

    @Test func `one address cannot have more connections than its limit`() throws {
        let server = try start({ $0.connectionsPerAddressMax = 2 }) { _, reply in
            reply.send(HTTPResponse(status: 200, body: [0x2E]))
        }
        let first = Socket(port: server.port)
        let second = Socket(port: server.port)
        for _ in 0..<2 {
            first.send(get)
            #expect(status(first.read(until: ".")) == 200)
            second.send(get)
            #expect(status(second.read(until: ".")) == 200)
        }
        let third = Socket(port: server.port)
        third.send(get)
        #expect(third.isClosed(within: 10_000))
        server.stop()
    }

    @Test func `stopping lets a request under way finish and refuses new connections`() throws {
        let held = Mutex<Reply?>(nil)
        let entered = Counter()
        let server = try start { _, reply in
            held.withLock { $0 = reply }
            entered.add()
        }
        let socket = Socket(port: server.port)
        socket.send(get)
        while entered.count == 0 { sched_yield() }
        let stopper = Task.detached { server.stop(deadlineMilliseconds: 60_000) }
        _ = stopper
        held.withLock { $0?.send(HTTPResponse(status: 200, body: [0x2E])) }
        #expect(status(socket.readAll()) == 200)
    }

    @Test func `stopping answers 503 to who waits beyond the deadline`() throws {
        let held = Mutex<Reply?>(nil)
        let entered = Counter()
        let server = try start { _, reply in
            held.withLock { $0 = reply }
            entered.add()
        }
        let socket = Socket(port: server.port)
        socket.send(get)
        while entered.count == 0 { sched_yield() }
        server.stop(deadlineMilliseconds: 10)
        #expect(status(socket.readAll()) == 503)
        // A reply that comes too late is dropped.
        held.withLock { $0?.send(HTTPResponse(status: 200)) }
    }

    @Test func `stopping while requests arrive, good and malformed, ends cleanly`() throws {
        let good = Array("GET /a?b HTTP/1.1\r\nHost: x\r\n\r\n".utf8)
        for place in good.indices {
            for byte: UInt8 in [0, 10, 32] {
                let server = try start { _, reply in reply.send(HTTPResponse(status: 200)) }
                var bytes = good
                bytes[place] = byte
                Socket(port: server.port).send(bytes)
                server.stop(deadlineMilliseconds: 100)
            }
        }
    }

    @Test func `an address in use is named in the error`() throws {
        let server = try start { _, reply in reply.send(HTTPResponse(status: 200)) }
        let error = #expect(throws: ServerError.self) {
            _ = try start({ $0.port = server.port }) { _, _ in }
        }
        #expect(error?.description.contains("127.0.0.1:\(server.port)") == true)
        #expect(throws: ServerError.self) {
            _ = try start({ $0.address = "localhost" }) { _, _ in }
        }
        server.stop()
    }
}
