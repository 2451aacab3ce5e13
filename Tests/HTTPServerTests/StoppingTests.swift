import Foundation
import MacrologHTTP
import MacrologHTTPServer
import MacrologTestSupport
import Testing

/// Goal: a server that stops breaks nothing off: what was sent to it is answered, or was never taken.
/// Method: clients in threads of their own that ask without a pause while the server stops.
@Suite struct StoppingTests {
    /// What became of the requests of all clients.
    private final class Tally: Sendable {
        let answered = Counter()
        let refused = Counter()
        let broken = Counter()
    }

    @Test(arguments: [true, false])
    func `clients under load see no exchange broken off`(keepsConnections: Bool) throws {
        for _ in 0..<3 {
            let server = try start { request, reply in
                reply.send(HTTPResponse(status: 200, body: Array("\(request.body.count)".utf8)))
            }
            let tally = Tally()
            let group = DispatchGroup()
            for _ in 0..<16 {
                group.enter()
                Thread.detachNewThread { [port = server.port] in
                    Self.ask(port, keepsConnections, tally)
                    group.leave()
                }
            }
            eventually { tally.answered.count >= 200 || tally.broken.count > 0 }
            server.stop()
            group.wait()
            #expect(tally.broken.count == 0)
            #expect(tally.answered.count >= 200)
        }
    }

    /// Asks until no one listens any more.
    private static func ask(_ port: UInt16, _ keepsConnections: Bool, _ tally: Tally) {
        let body = String(repeating: "x", count: 20_000)
        let close = keepsConnections ? "" : "Connection: close\r\n"
        let header = "POST /a HTTP/1.1\r\nHost: x\r\n\(close)Content-Length: 20000\r\n\r\n"
        while let socket = Socket(ifAnyOn: port) {
            var goesOn = true
            while goesOn {
                guard socket.send(header + body) else {
                    tally.broken.add()
                    return
                }
                let answer = socket.read(until: "20000")
                switch status(answer) {
                case 200: tally.answered.add()
                case 503: tally.refused.add()
                default:
                    tally.broken.add()
                    return
                }
                goesOn =
                    keepsConnections && !answer.lowercased().contains("connection: close")
                    && status(answer) == 200
            }
        }
    }

    @Test func `what began before the stop is handled, and what begins later is not`() throws {
        let reached = Counter()
        let server = try start { _, reply in
            reached.add()
            reply.send(HTTPResponse(status: 200, body: [0x2E]))
        }
        let socket = Socket(port: server.port)
        let head = "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n"
        socket.send(head + "Expect: 100-continue\r\n\r\n")
        // The server has read the head, so the request has begun.
        #expect(status(socket.read(until: "\r\n\r\n")) == 100)
        socket.send("ab")
        let idle = Socket(port: server.port)
        let group = DispatchGroup()
        group.enter()
        Thread.detachNewThread {
            server.stop(deadlineMilliseconds: 60_000)
            group.leave()
        }
        // The one that asks for nothing is closed only once the other has its answer.
        #expect(!idle.isClosed(within: 600))
        #expect(reached.count == 0)
        socket.send("c")
        let answer = socket.readAll()
        #expect(status(answer) == 200 && answer.lowercased().contains("connection: close"))
        #expect(idle.isClosed(within: 60_000))
        group.wait()
        #expect(Socket(ifAnyOn: server.port) == nil)
    }
}
