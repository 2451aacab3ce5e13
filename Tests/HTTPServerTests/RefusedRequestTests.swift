import MacrologHTTP
import MacrologHTTPServer
import Synchronization
import Testing

/// Goal: whatever a client sends instead of a request has one answer, and costs little.
/// Method: bytes as they stand, to a real server whose handler counts what reached it; deadlines are
/// made short, and nothing here sleeps.
@Suite struct RefusedRequestTests {
    private static let post = "POST /a HTTP/1.1\r\nHost: x\r\n"
    private static let chunked = post + "Transfer-Encoding: chunked\r\n\r\n"

    /// What is sent, and the status of its answer; `nil` where nothing whole was sent, or where
    /// libmicrohttpd closes the connection without a word.
    static let requests: [(name: String, bytes: String, status: Int?)] = [
        ("an empty length", post + "Content-Length:\r\n\r\nabc", 400),
        ("a length in hexadecimal", post + "Content-Length: 0x3\r\n\r\nabc", 400),
        ("a length with a space inside", post + "Content-Length: 1 0\r\n\r\nabc", 400),
        ("a length with an exponent", post + "Content-Length: 1e1\r\n\r\nabc", 400),
        ("a length in quotes", post + "Content-Length: \"3\"\r\n\r\nabc", 400),
        ("a length beyond 64 bits", post + "Content-Length: 99999999999999999999\r\n\r\n", 413),
        ("a length of 64 bits", post + "Content-Length: 9223372036854775807\r\n\r\n", 413),
        ("a length beyond the limit", post + "Content-Length: 1048577\r\n\r\n", 413),
        (
            "a length beyond the limit that asks first",
            post + "Content-Length: 1048577\r\nExpect: 100-continue\r\n\r\n", 413
        ),
        ("identity as a coding", post + "Transfer-Encoding: identity\r\n\r\nabc", 400),
        ("gzip as a coding", post + "Transfer-Encoding: gzip\r\n\r\nabc", 400),
        ("a coding that begins like chunked", post + "Transfer-Encoding: chunkedx\r\n\r\n", 400),
        ("chunked twice in one field", post + "Transfer-Encoding: chunked, chunked\r\n\r\n", 400),
        ("no coding", post + "Transfer-Encoding:\r\n\r\nabc", 400),
        ("a vertical tab before chunked", post + "Transfer-Encoding: \u{0B}chunked\r\n\r\n", 400),
        ("a chunk that has no size", chunked + "\r\nabc\r\n0\r\n\r\n", 411),
        ("a chunk whose size is a word", chunked + "zz\r\nabc\r\n0\r\n\r\n", 411),
        ("a chunk of negative size", chunked + "-1\r\nabc\r\n0\r\n\r\n", 411),
        ("a chunk with a sign", chunked + "+3\r\nabc\r\n0\r\n\r\n", 411),
        ("a chunk size with 0x", chunked + "0x3\r\nabc\r\n0\r\n\r\n", 411),
        ("a chunk size beyond 64 bits", chunked + "11111111111111111\r\nabc\r\n", 411),
        ("a chunk longer than its size", chunked + "3\r\nabcdef\r\n0\r\n\r\n", 411),
        ("a chunk without its line end", chunked + "3\r\nabc0\r\n\r\n", 411),
        ("chunks as they should be", chunked + "3\r\nabc\r\n0\r\n\r\n", 411),
        ("a bare LF after a chunk's size", chunked + "3\nabc\r\n0\r\n\r\n", 411),
        ("a bare LF after a chunk", chunked + "3\r\nabc\n0\r\n\r\n", 411),
        ("a bare LF after the last chunk", chunked + "3\r\nabc\r\n0\n\r\n", 411),
        ("a bare LF in a trailer", chunked + "3\r\nabc\r\n0\r\nX: y\n\r\n", 411),
        ("a bare LF at the end", chunked + "3\r\nabc\r\n0\r\n\n", 411),
        ("no chunk yet", chunked, 411),
        ("a length that ends in no digit", post + "Content-Length: 2_\r\n\r\nab", 400),
        (
            "a length that is none and asks first",
            post + "Content-Length: 2_\r\nExpect: 100-continue\r\n\r\n", 400
        ),
        ("HTTP/0.9", "GET /a\r\n\r\n", 400),
        ("HTTP/1.2", "GET /a HTTP/1.2\r\nHost: x\r\n\r\n", 200),
        ("HTTP/2.0", "GET /a HTTP/2.0\r\nHost: x\r\n\r\n", 505),
        ("the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
        ("HTTP/11", "GET /a HTTP/11\r\nHost: x\r\n\r\n", 400),
        ("HTTP/1", "GET /a HTTP/1\r\nHost: x\r\n\r\n", 400),
        ("http in small letters", "GET /a http/1.1\r\nHost: x\r\n\r\n", 400),
        ("another protocol", "GET /a SIP/1.1\r\nHost: x\r\n\r\n", 400),
        ("a TLS hello", "\u{16}\u{03}\u{01}\u{00}\u{A5}\u{01}\r\n\r\n", nil),
        ("a method that is none", "G<T /a HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        ("a method in quotes", "\"GET\" /a HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        ("no target", "GET  HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        ("two targets", "GET /a /b HTTP/1.1\r\nHost: x\r\n\r\n", nil),
        ("two spaces before the target", "GET  /a HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        ("a tab in the request line", "GET\t/a HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        ("a space before the method", " GET /a HTTP/1.1\r\nHost: x\r\n\r\n", nil),
        ("a relative target", "GET a HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        ("a fragment", "GET /a#b HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        ("a fragment in the query", "GET /a?b#c HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        ("a control character in the query", "GET /a?\u{01} HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        ("bytes beyond ASCII in the query", "GET /a?é HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        ("one dot at the end", "GET /a/. HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        ("an empty segment at the end", "GET /a// HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        ("dots half encoded", "GET /.%2E/a HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        ("overlong dots", "GET /%C0%AE%C0%AE/a HTTP/1.1\r\nHost: x\r\n\r\n", 200),
        ("an encoding of no digits", "GET /%ZZ HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        ("an encoded backslash", "GET /a%5Cb HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        ("an encoded line end", "GET /a%0D%0AX:y HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        ("a host with a name and a password", "GET /a HTTP/1.1\r\nHost: a:b@x\r\n\r\n", 400),
        ("two hosts in one field", "GET /a HTTP/1.1\r\nHost: x, y\r\n\r\n", 400),
        ("a host with a control character", "GET /a HTTP/1.1\r\nHost: x\u{01}\r\n\r\n", 400),
        (
            "a target that is too long",
            "GET /\(String(repeating: "a", count: 2_048)) HTTP/1.1\r\nHost: x\r\n\r\n", 414
        ),
        (
            "a field that is too long",
            "GET /a HTTP/1.1\r\nHost: x\r\nX: \(String(repeating: "a", count: 17_000))\r\n\r\n", 431
        ),
        (
            "a name that is too long",
            "GET /a HTTP/1.1\r\nHost: x\r\n\(String(repeating: "a", count: 17_000)): y\r\n\r\n", 431
        ),
        (
            "too many fields",
            "GET /a HTTP/1.1\r\nHost: x\r\n\(String(repeating: "a:b\r\n", count: 5_000))\r\n", 431
        ),
        ("half a request line", "GET /a HT", nil),
        ("half a header", "GET /a HTTP/1.1\r\nHost: x\r\nX: y", nil),
        ("half a body", post + "Content-Length: 10\r\n\r\nabc", nil),
        ("half a chunk", chunked + "a\r\nabc", 411),
        ("nothing", "", nil),
        ("line ends alone", "\r\n\r\n\r\n", nil),
    ]

    /// Whatever its length is said to be, and whatever shares its thread meanwhile.
    @Test(arguments: ["2_", "", "0x2", "1e1", "100000000000000000000"])
    func `a length that is none is refused once, in our own words`(length: String) throws {
        let server = try start { _, reply in reply.send(HTTPResponse(status: 200)) }
        let others = (0..<8).map { index in
            let socket = Socket(port: server.port)
            socket.send(index % 2 == 0 ? "GET /a HTTP/1.1\r\nHost: x\r\n" : Self.post)
            return socket
        }
        let socket = Socket(port: server.port)
        // In parts: other requests come between the line and the end of the header.
        socket.send(Self.post + "Content-Length: \(length)\r\n")
        #expect(status(exchange(server.port, Self.ordinary)) == 200)
        socket.send("\r\n")
        let answer = socket.readAll()
        #expect(status(answer) == (length.hasPrefix("1000") ? 413 : 400), "\(answer)")
        #expect(answer.ranges(of: "HTTP/1.1").count == 1, "\(answer)")
        for part in [
            "cache-control: no-store\r\n", "Connection: close\r\n",
            "Content-Type: application/problem+json\r\n",
            "\r\n\r\n{\"type\":\"urn:macrolog:problem:",
        ] {
            #expect(answer.contains(part), "\(part) in \(answer)")
        }
        // The others are none of it.
        for socket in others {
            socket.send("Connection: close\r\n\r\n")
            #expect(status(socket.readAll()) == 200)
        }
        server.stop()
    }

    private static func brisk(_ configuration: inout Configuration) {
        configuration.headerMilliseconds = 300
        configuration.bodyMilliseconds = 300
        configuration.idleMilliseconds = 300
    }

    @Test func `each malformed request has its answer`() throws {
        let reached = Counter()
        let server = try start(Self.brisk) { _, reply in
            reached.add()
            reply.send(HTTPResponse(status: 200))
        }
        for (name, bytes, expected) in Self.requests {
            let answer = exchange(server.port, bytes)
            #expect(status(answer) == expected, "\(name): \(answer.prefix(200))")
            // One answer: a client that reads on finds no second one after the first.
            #expect(answer.ranges(of: "HTTP/1.1 ").count <= 1, "\(name): \(answer)")
        }
        #expect(reached.count == Self.requests.count { $0.status == 200 })
        #expect(MalformedTests.requests.count + Self.requests.count >= 100)
        server.stop()
    }

    /// What the system keeps between the two ends of a socket of this machine, and more.
    private static let betweenMax = 16 << 20

    @Test(arguments: [
        post + "Content-Length: 104857600\r\n\r\n",
        post + "Content-Length: 104857600\r\nExpect: 100-continue\r\n\r\n",
        chunked,
    ])
    func `a hundred megabytes reach no one, and what is announced is hardly taken`(
        beginning: String
    ) throws {
        let reached = Counter()
        let server = try start({ $0.bodyMilliseconds = 300 }) { _, reply in
            reached.add()
            reply.send(HTTPResponse(status: 200))
        }
        let socket = Socket(port: server.port)
        socket.send(beginning)
        let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 65_536)
        var sent = 0
        while sent < 104_857_600, socket.send(piece) { sent += piece.count }
        #expect(sent < Self.betweenMax)
        #expect(reached.count == 0)
        // The server is as well as before.
        #expect(status(exchange(server.port, Self.ordinary)) == 200)
        server.stop()
    }

    @Test func `who sends all of a body that is too long reads the refusal`() throws {
        let reached = Counter()
        let server = try start { _, reply in
            reached.add()
            reply.send(HTTPResponse(status: 200))
        }
        for count in [1_048_577, 2_000_000, Configuration.drainedBytesMax] {
            let socket = Socket(port: server.port)
            socket.send(Self.post + "Content-Length: \(count)\r\n\r\n")
            // Most clients read no answer while they send.
            #expect(socket.send([UInt8](repeating: 7, count: count)), "\(count)")
            let answer = socket.readAll()
            #expect(status(answer) == 413 && answer.contains("too_large"), "\(count)")
        }
        #expect(reached.count == 0)
        server.stop()
    }

    private static let ordinary = "GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"

    @Test func `who reads an answer too slowly is closed`() throws {
        let body = [UInt8](repeating: UInt8(ascii: "x"), count: 32 << 20)
        let server = try start({
            $0.bodyMilliseconds = 1_000
            $0.millisecondsPer64KiB = 0
            $0.headerMilliseconds = 2_000
        }) { _, reply in reply.send(HTTPResponse(status: 200, body: body)) }
        let socket = Socket(port: server.port)
        socket.send(Self.ordinary)
        var taken = socket.read()?.count ?? 0
        #expect(taken > 0)
        // One that says nothing, began later and has longer: when it is closed, so is the other.
        #expect(Socket(port: server.port).isClosed(within: 20_000))
        while let more = socket.read(), !more.isEmpty { taken += more.count }
        #expect(taken < body.count)
        server.stop()
    }

    @Test func `sixty slow sockets delay no one, and all of them are closed`() throws {
        let server = try start({
            $0.headerMilliseconds = 1_000
            $0.bodyMilliseconds = 1_000
        }) { _, reply in reply.send(HTTPResponse(status: 200)) }
        let beginnings = [
            "", "GET /a HT", "GET /a HTTP/1.1\r\nX: ",
            Self.post + "Content-Length: 1000000\r\n\r\n",
        ]
        let slow = (0..<60).map { index in
            let socket = Socket(port: server.port)
            socket.send(beginnings[index % beginnings.count])
            return socket
        }
        for _ in 0..<20 { #expect(status(exchange(server.port, Self.ordinary)) == 200) }
        for socket in slow { #expect(socket.isClosed(within: 20_000)) }
        server.stop()
    }
}
