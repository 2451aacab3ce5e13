import MacrologHTTP
import MacrologHTTPServer
import Testing

/// Goal: no one can send one request that two readers understand as two.
/// Method: each request, byte for byte, to a real server whose handler counts what reached it.
@Suite struct MalformedTests {
    static let requests: [(String, String)] = [
        (
            "two Content-Length",
            "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc"
        ),
        ("a list of lengths", "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 3, 3\r\n\r\nabc"),
        ("a signed length", "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: +3\r\n\r\nabc"),
        ("a negative length", "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: -3\r\n\r\nabc"),
        (
            "length and chunks",
            "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        ),
        (
            "chunks and length",
            "POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n"
        ),
        (
            "another coding",
            "POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"
        ),
        (
            "two codings",
            "POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        ),
        ("NUL in a value", "GET /a HTTP/1.1\r\nHost: x\r\nX: a\0b\r\n\r\n"),
        ("NUL at a value's end", "GET /a HTTP/1.1\r\nHost: x\r\nX: a\0\r\nY: z\r\n\r\n"),
        ("NUL in the last value", "GET /a HTTP/1.1\r\nHost: x\r\nX: a\0\r\n\r\n"),
        ("NUL in a name", "GET /a HTTP/1.1\r\nHost: x\r\nX\0q: a\r\n\r\n"),
        ("NUL in the target", "GET /a\0b HTTP/1.1\r\nHost: x\r\n\r\n"),
        ("a control character in a value", "GET /a HTTP/1.1\r\nHost: x\r\nX: a\u{01}b\r\n\r\n"),
        ("DEL in a value", "GET /a HTTP/1.1\r\nHost: x\r\nX: a\u{7F}b\r\n\r\n"),
        ("bare CR", "GET /a HTTP/1.1\r\nHost: x\r\nX: y\rY: z\r\n\r\n"),
        ("bare LF everywhere", "GET /a HTTP/1.1\nHost: x\nX: y\n\n"),
        ("bare LF after the line", "GET /a HTTP/1.1\nHost: x\r\n\r\n"),
        ("bare LF after a field", "GET /a HTTP/1.1\r\nHost: x\r\nX: y\nY: z\r\n\r\n"),
        ("bare LF after the last field", "GET /a HTTP/1.1\r\nHost: x\r\nX: y\n\r\n"),
        ("a folded line", "GET /a HTTP/1.1\r\nHost: x\r\nX: y\r\n z\r\nY: w\r\n\r\n"),
        ("a folded last line", "GET /a HTTP/1.1\r\nHost: x\r\nX: y\r\n z\r\n\r\n"),
        ("a space before the colon", "GET /a HTTP/1.1\r\nHost: x\r\nX : y\r\n\r\n"),
        ("no colon", "GET /a HTTP/1.1\r\nHost: x\r\nXy\r\n\r\n"),
        ("no name", "GET /a HTTP/1.1\r\nHost: x\r\n: y\r\n\r\n"),
        ("no name between names", "GET /a HTTP/1.1\r\nHost: x\r\n: y\r\nX: y\r\n\r\n"),
        ("no Host", "GET /a HTTP/1.1\r\nX: y\r\n\r\n"),
        ("no Host in HTTP/1.0", "GET /a HTTP/1.0\r\nX: y\r\n\r\n"),
        ("two Hosts", "GET /a HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n"),
        (
            "two Authorization fields",
            "GET /a HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer a\r\nauthorization: Bearer b\r\n\r\n"
        ),
        (
            "two equal Authorization fields",
            "GET /a HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer a\r\nAuthorization: Bearer a\r\n\r\n"
        ),
        (
            "two types of the body",
            "POST /a HTTP/1.1\r\nHost: x\r\nContent-Type: a/b\r\nContent-Type: a/c\r\nContent-Length: 3\r\n\r\nabc"
        ),
        (
            "two codings of the body",
            "POST /a HTTP/1.1\r\nHost: x\r\nContent-Encoding: gzip\r\nContent-Encoding: zstd\r\nContent-Length: 3\r\n\r\nabc"
        ),
        (
            "two places of the body",
            "PUT /a HTTP/1.1\r\nHost: x\r\nContent-Range: bytes 0-2/4\r\nContent-Range: bytes 1-3/4\r\nContent-Length: 3\r\n\r\nabc"
        ),
        (
            "two ranges",
            "GET /a HTTP/1.1\r\nHost: x\r\nRange: bytes=0-1\r\nRange: bytes=2-3\r\n\r\n"
        ),
        (
            "two If-Range",
            "GET /a HTTP/1.1\r\nHost: x\r\nIf-Range: \"a\"\r\nIf-Range: \"b\"\r\n\r\n"
        ),
        (
            "two If-None-Match",
            "GET /a HTTP/1.1\r\nHost: x\r\nIf-None-Match: \"a\"\r\nIf-None-Match: \"b\"\r\n\r\n"
        ),
        (
            "two Expect",
            "GET /a HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nExpect: 100-continue\r\n\r\n"
        ),
        ("an empty Host", "GET /a HTTP/1.1\r\nHost:\r\n\r\n"),
        ("a Host with a path", "GET /a HTTP/1.1\r\nHost: x/y\r\n\r\n"),
        ("an absolute target", "GET http://x/a HTTP/1.1\r\nHost: x\r\n\r\n"),
        ("an authority", "CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n"),
        ("an asterisk", "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n"),
        ("two dots", "GET /a/../b HTTP/1.1\r\nHost: x\r\n\r\n"),
        ("two dots at the end", "GET /a/.. HTTP/1.1\r\nHost: x\r\n\r\n"),
        ("one dot", "GET /./a HTTP/1.1\r\nHost: x\r\n\r\n"),
        ("an empty segment", "GET //a HTTP/1.1\r\nHost: x\r\n\r\n"),
        ("encoded dots", "GET /%2E%2E/a HTTP/1.1\r\nHost: x\r\n\r\n"),
        ("encoded NUL", "GET /a%00 HTTP/1.1\r\nHost: x\r\n\r\n"),
        ("an encoded slash", "GET /a%2Fb HTTP/1.1\r\nHost: x\r\n\r\n"),
        ("an encoded letter", "GET /%61 HTTP/1.1\r\nHost: x\r\n\r\n"),
        ("a small hexadecimal digit", "GET /%c3%A9 HTTP/1.1\r\nHost: x\r\n\r\n"),
        ("half an encoding", "GET /a%2 HTTP/1.1\r\nHost: x\r\n\r\n"),
        ("a backslash", "GET /a\\b HTTP/1.1\r\nHost: x\r\n\r\n"),
        ("bytes beyond ASCII", "GET /é HTTP/1.1\r\nHost: x\r\n\r\n"),
    ]

    @Test func `a request that can be read in two ways is refused and the connection closed`()
        throws
    {
        let reached = Counter()
        let server = try start { _, reply in
            reached.add()
            reply.send(HTTPResponse(status: 200))
        }
        for (name, text) in Self.requests {
            let answer = exchange(server.port, text)
            #expect(status(answer) == 400, "\(name): \(answer)")
            #expect(answer.utf8.count > 0, "\(name)")
        }
        #expect(reached.count == 0)
        server.stop()
    }

    @Test func `ordinary requests are understood`() throws {
        let server = try start { request, reply in
            let fields = request.fields.map { "\($0.name)=\($0.value)" }.joined(separator: ",")
            let text =
                "\(request.method) \(request.path) ? \(request.query) \(fields) "
                + String(decoding: request.body, as: UTF8.self) + " " + request.peer
            reply.send(HTTPResponse(status: 200, body: Array(text.utf8)))
        }
        let cases = [
            (
                "GET /a%20b/%C3%A9?x=%2e&y HTTP/1.1\r\nHost: x:80\r\nX:  y z \t\r\nEmpty:\r\nConnection: close\r\n\r\n",
                "GET /a%20b/%C3%A9 ? x=%2e&y host=x:80,x=y z,empty=,connection=close  127.0.0.1"
            ),
            (
                "POST /a HTTP/1.1\r\nHost:x\r\nCONTENT-LENGTH: 3\r\nConnection: close\r\n\r\nabc",
                "POST /a ?  host=x,content-length=3,connection=close abc 127.0.0.1"
            ),
            (
                "GET /a HTTP/1.1\r\nHost: x\r\nAccept: a\r\nAccept: b\r\nConnection: close\r\n\r\n",
                "GET /a ?  host=x,accept=a,accept=b,connection=close  127.0.0.1"
            ),
        ]
        for (request, expected) in cases {
            let answer = exchange(server.port, request)
            #expect(status(answer) == 200)
            #expect(answer.hasSuffix("\r\n\r\n" + expected), "\(answer)")
        }
        server.stop()
    }

    @Test func `the server survives every single byte at every place of a request`() throws {
        let server = try start { _, reply in reply.send(HTTPResponse(status: 200)) }
        let good = Array(
            "GET /a?b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".utf8)
        for place in good.indices {
            for byte: UInt8 in [0, 9, 10, 13, 32, 37, 58, 127, 200] where good[place] != byte {
                var bad = good
                bad[place] = byte
                let socket = Socket(port: server.port)
                socket.send(bad)
                // A request that is not complete gets no answer; the others get 200 or 4xx.
                _ = socket.isClosed(within: 0)
            }
        }
        #expect(status(exchange(server.port, good)) == 200)
        server.stop()
    }
}
