import Foundation
import MacrologGzip
import MacrologHTTP
import MacrologHTTPClient
import Testing

/// Goal: an answer arrives whole, or the reason why not, whatever a server does.
/// Method: real sockets on loopback and a server that misbehaves on order.
@Suite struct TransportTests {
    private func origin(_ server: TinyServer, prefix: String = "") throws -> Origin {
        try Origin("http://127.0.0.1:\(server.port)\(prefix)")
    }

    private func post(_ body: [UInt8] = []) -> HTTPRequest {
        HTTPRequest(
            method: "POST", path: "/v1/sync", fields: [HTTPField("authorization", "Bearer t")],
            body: body)
    }

    /// The reason why one exchange fails whose answer is given.
    private func reason(
        _ answer: TinyServer.Answer, _ limits: ExchangeLimits = ExchangeLimits()
    ) throws -> TransportError.Code? {
        let server = TinyServer([answer])
        let origin = try origin(server)
        let error = #expect(throws: TransportError.self) {
            try HTTPTransport().send(post(), to: origin, limits: limits)
        }
        return error?.code
    }

    @Test(arguments: ["127.0.0.1", "127.1", "2130706433", "0x7f000001", "localhost"])
    func `one that reaches the public Internet alone opens no connection here`(host: String) throws
    {
        let server = TinyServer([.keep(answer("200 OK", body: [1]))])
        let origin = try Origin("http://\(host):\(server.port)", allowingInsecure: true)
        let error = #expect(throws: TransportError.self) {
            try HTTPTransport(onlyPublic: true).send(post(), to: origin)
        }
        #expect(
            error?.code
                == .unreachable(detail: "its address is not one of the public Internet"))
        #expect(server.connections == 0)
        #expect(try HTTPTransport().send(post(), to: origin).status == 200)
    }

    @Test func `a request and its answer arrive as they are`() throws {
        let server = TinyServer([
            .keep(
                answer("409 Conflict", "X-Word:  two  words \r\nX-None:\r\n", body: [1, 0, 2]))
        ])
        let request = HTTPRequest(
            method: "POST", path: "/v1/a%20b/../c", query: "x=1&y=%00",
            fields: [HTTPField("content-type", "application/cbor"), HTTPField("x-empty", "")],
            body: Array("body".utf8))
        let response = try HTTPTransport(userAgent: "test/1").send(
            request, to: origin(server, prefix: "/under/"))
        #expect(response.status == 409)
        #expect(response.body == [1, 0, 2])
        #expect(response.field("x-word") == "two  words")
        #expect(response.field("X-NONE") == "")
        #expect(response.field("content-length") == nil)
        let sent = try #require(server.requests.first)
        #expect(sent.hasPrefix("POST /under/v1/a%20b/../c?x=1&y=%00 HTTP/1.1\r\n"))
        #expect(sent.hasSuffix("\r\n\r\nbody"))
        #expect(sent.contains("\r\nUser-Agent: test/1\r\n"))
        #expect(sent.contains("\r\ncontent-type: application/cbor\r\n"))
        #expect(sent.contains("\r\nx-empty:"))
        #expect(sent.contains("gzip"))
        #expect(!sent.lowercased().contains("expect:"))
    }

    @Test(arguments: ["GET", "HEAD", "POST", "PUT", "DELETE"])
    func `each method stays itself, with and without a body`(method: String) throws {
        let server = TinyServer([
            .keep(answer("200 OK")), .keep(answer("200 OK")), .keep(answer("204 No Content")),
        ])
        let transport = HTTPTransport()
        let origin = try origin(server)
        for body in [[], Array("abc".utf8), []] where method != "HEAD" || body.isEmpty {
            let request = HTTPRequest(method: method, path: "/", body: body)
            let response = try transport.send(request, to: origin)
            #expect(response.body == [])
            let sent = try #require(server.requests.last)
            #expect(sent.hasPrefix("\(method) / HTTP/1.1\r\n"))
            #expect(sent.hasSuffix("\r\n\r\n" + String(decoding: body, as: UTF8.self)))
            #expect(!sent.lowercased().contains("content-type"))
        }
    }

    @Test func `one connection serves many requests`() throws {
        let server = TinyServer((0..<20).map { .keep(answer("200 OK", body: [UInt8($0)])) })
        let transport = HTTPTransport()
        let origin = try origin(server)
        for number in 0..<20 {
            #expect(try transport.send(post([9]), to: origin).body == [UInt8(number)])
        }
        #expect(server.connections == 1)
    }

    @Test func `a connection the server has closed is opened again`() throws {
        let server = TinyServer([.close(answer("200 OK")), .close(answer("200 OK"))])
        let transport = HTTPTransport()
        let origin = try origin(server)
        for _ in 0..<2 { #expect(try transport.send(post(), to: origin).status == 200) }
        #expect(server.connections == 2)
    }

    @Test func `a chunked answer and its trailers are read to the end`() throws {
        let text =
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nX-Late: no\r\n\r\n"
        let server = TinyServer([.keep(Array(text.utf8))])
        let response = try HTTPTransport().send(post(), to: origin(server))
        #expect(response.body == Array("abcde".utf8))
        #expect(response.fields == [])
    }

    @Test func `only the last head counts`() throws {
        let text = "HTTP/1.1 103 Early Hints\r\nX-Early: yes\r\n\r\n"
        let server = TinyServer([.keep(Array(text.utf8) + answer("200 OK", "X-Late: yes\r\n"))])
        let response = try HTTPTransport().send(post(), to: origin(server))
        #expect(response.status == 200)
        #expect(response.fields == [HTTPField("x-late", "yes")])
    }

    @Test func `a compressed answer is decompressed, and the limit counts what comes out`() throws {
        let body = [UInt8](repeating: 7, count: 100_000)
        let packed = TinyServer.Answer.keep(
            answer("200 OK", "Content-Encoding: gzip\r\n", body: gzip(body)))
        let server = TinyServer([packed, packed])
        let transport = HTTPTransport()
        let origin = try origin(server)
        let response = try transport.send(
            post(), to: origin, limits: ExchangeLimits(bodyBytesMax: 100_000))
        #expect(response.body == body)
        #expect(response.field("content-encoding") == nil)
        let error = #expect(throws: TransportError.self) {
            try transport.send(post(), to: origin, limits: ExchangeLimits(bodyBytesMax: 99_999))
        }
        #expect(error?.code == .tooLarge)
        #expect(error?.isRetryable == false)
    }

    @Test func `an answer over the limit is not read to its end`() throws {
        let endless = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFF\r\n"
        let large = Array(endless.utf8) + [UInt8](repeating: 65, count: 5_000)
        let limits = ExchangeLimits(bodyBytesMax: 1_000)
        #expect(try reason(.stall(large), limits) == .tooLarge)
        let head = "HTTP/1.1 200 OK\r\n" + String(repeating: "X-A: 0123456789\r\n", count: 5_000)
        #expect(try reason(.stall(Array(head.utf8))) == .tooLarge)
    }

    @Test func `a truncated answer is a broken connection`() throws {
        let cut = Array(answer("200 OK", body: [1, 2, 3, 4]).dropLast())
        guard case .unreachable = try reason(.close(cut)) else {
            Issue.record("a cut body was accepted")
            return
        }
        guard case .unreachable = try reason(.close([])) else {
            Issue.record("no answer was accepted")
            return
        }
        let chunk = Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nab".utf8)
        guard case .unreachable = try reason(.close(chunk)) else {
            Issue.record("a cut chunk was accepted")
            return
        }
    }

    @Test func `what is not HTTP is malformed`() throws {
        for wrong in ["SSH-2.0-OpenSSH_9.2\r\n", "HTTP/1.1 banana\r\n\r\n"] {
            guard case .malformed = try reason(.close(Array(wrong.utf8))) else {
                Issue.record("\(wrong) was accepted")
                continue
            }
        }
        let encoded = answer("200 OK", "Content-Encoding: gzip\r\n", body: [1, 2, 3])
        guard case .malformed = try reason(.keep(encoded)) else {
            Issue.record("rubbish was decompressed")
            return
        }
    }

    @Test func `a redirect is an answer, not an order`() throws {
        let server = TinyServer([.keep(answer("302 Found", "Location: http://127.0.0.1:1/\r\n"))])
        let response = try HTTPTransport().send(post(), to: origin(server))
        #expect(response.status == 302)
        #expect(server.requests.count == 1)
    }

    @Test func `a stalled answer ends at the deadline, or when nothing moves`() throws {
        let half = Array("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc".utf8)
        #expect(try reason(.stall(half), ExchangeLimits(exchangeMilliseconds: 50)) == .timedOut)
        #expect(try reason(.stall([]), ExchangeLimits(stallSeconds: 1)) == .timedOut)
    }

    @Test func `cancelling ends the exchange in progress and all later ones`() throws {
        let server = TinyServer([.stall([])])
        let origin = try origin(server)
        let transport = HTTPTransport()
        Thread.detachNewThread {
            server.answered.wait()
            transport.cancel()
        }
        for _ in 0..<2 {
            let error = #expect(throws: TransportError.self) {
                try transport.send(post(), to: origin)
            }
            #expect(error?.code == .cancelled)
        }
        #expect(server.requests.count == 1)
    }

    @Test func `no one there is unreachable and worth another try`() throws {
        let port = TinyServer([]).port
        let error = #expect(throws: TransportError.self) {
            try HTTPTransport().send(post(), to: Origin("http://127.0.0.1:\(port)"))
        }
        guard case .unreachable = error?.code else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.isRetryable == true)
        #expect(error?.operation == "POST http://127.0.0.1:\(port)/v1/sync")
    }

    @Test func `a server without TLS gets no request over https`() throws {
        let server = TinyServer([.close(answer("200 OK"))])
        let limits = ExchangeLimits(connectMilliseconds: 300)
        let error = #expect(throws: TransportError.self) {
            try HTTPTransport().send(
                post(), to: Origin("https://127.0.0.1:\(server.port)"), limits: limits)
        }
        #expect(error != nil)
        #expect(server.requests == [])
    }

    @Test func `nothing smuggles a line into a request`() throws {
        let server = TinyServer([.keep(answer("200 OK"))])
        let origin = try origin(server)
        let good = HTTPRequest(method: "GET", path: "/")
        let changes: [(inout HTTPRequest) -> Void] = [
            { $0.method = "GET / HTTP/1.1\r\nX: y" }, { $0.method = "" }, { $0.path = "" },
            { $0.path = "x" }, { $0.path = "/a b" }, { $0.path = "/a\r\nb" }, { $0.path = "/é" },
            { $0.path = "/a?b" }, { $0.query = "a b" }, { $0.query = "a#b" },
            { $0.fields = [HTTPField("x", "a\r\nX-Evil: 1")] },
            { $0.fields = [HTTPField("x", "a\0")] }, { $0.fields = [HTTPField("x y", "a")] },
            { $0.fields = [HTTPField("", "a")] },
        ]
        for (number, change) in changes.enumerated() {
            var bad = good
            change(&bad)
            let error = #expect(throws: TransportError.self, "change \(number)") {
                try HTTPTransport().send(bad, to: origin)
            }
            guard case .malformed = error?.code else {
                Issue.record("change \(number) was sent")
                continue
            }
        }
        #expect(server.requests == [])
    }
}
