import Foundation
import MacrologHTTP
import MacrologHTTPClient
import Synchronization
import Testing

/// Goal: what is too long for memory goes from a file, and comes piece by piece.
@Suite struct FileTests {
    private func origin(_ server: TinyServer) throws -> Origin {
        try Origin("http://127.0.0.1:\(server.port)")
    }

    private func withFile<T>(_ content: String, _ body: (String) throws -> T) throws -> T {
        let path = FileManager.default.temporaryDirectory
            .appending(path: "macrolog-\(UUID().uuidString)").path
        try Data(content.utf8).write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try body(path)
    }

    private func answer(_ status: String, _ fields: String, _ body: String) -> [UInt8] {
        Array(
            "HTTP/1.1 \(status)\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8)
    }

    @Test func `a part of a file is sent as a body, between requests with other bodies`() throws {
        try withFile("0123456789") { path in
            let server = TinyServer(
                (0..<4).map { _ in .keep(answer("201 Created", "", "")) })
            let transport = HTTPTransport()
            let origin = try origin(server)
            for offset in [0, 7] {
                var put = HTTPRequest(method: "PUT", path: "/b")
                put.file = FilePart(path: path, offset: Int64(offset), count: Int64(10 - offset))
                #expect(try transport.send(put, to: origin).status == 201)
                let sent = try #require(server.requests.last)
                #expect(sent.hasPrefix("PUT /b HTTP/1.1\r\n"))
                #expect(sent.contains("Content-Length: \(10 - offset)\r\n"))
                #expect(sent.hasSuffix("\r\n\r\n" + "0123456789".dropFirst(offset)))
                #expect(!sent.lowercased().contains("chunked"))
                let post = HTTPRequest(method: "POST", path: "/a", body: Array("ab".utf8))
                #expect(try transport.send(post, to: origin).status == 201)
                #expect(server.requests.last?.hasSuffix("\r\n\r\nab") == true)
            }
            #expect(server.connections == 1)
        }
    }

    @Test
    func `a file that is gone, or shorter than its part, is reported before anything is sent`()
        throws
    {
        try withFile("0123456789") { path in
            let server = TinyServer([])
            for part in [
                FilePart(path: path + "-gone", count: 1), FilePart(path: path, offset: 5, count: 6),
            ] {
                var put = HTTPRequest(method: "PUT", path: "/b")
                put.file = part
                let error = #expect(throws: TransportError.self) {
                    try HTTPTransport().send(put, to: try origin(server))
                }
                #expect(error?.code == .malformed(detail: "the file to be sent is gone"))
            }
            #expect(server.requests.isEmpty)
        }
    }

    @Test func `an answer that is waited for goes to its receiver, and any other to memory`() throws
    {
        let server = TinyServer([
            .keep(answer("206 Partial Content", "ETag: \"x\"\r\n", "abc")),
            .keep(answer("404 Not Found", "", "nothing here")),
            .keep(answer("206 Partial Content", "ETag: \"x\"\r\n", "defgh")),
        ])
        let transport = HTTPTransport()
        let received = Mutex("")
        var get = HTTPRequest(method: "GET", path: "/b")
        get.receiver = BodyReceiver(
            accepts: { $0.status == 206 && $0.field("etag") == "\"x\"" },
            take: { piece in
                received.withLock { $0 += String(decoding: piece, as: UTF8.self) }
                return true
            })
        #expect(try transport.send(get, to: origin(server)).body.isEmpty)
        #expect(try transport.send(get, to: origin(server)).body == Array("nothing here".utf8))
        // No limit of memory holds for it: its receiver says when there is enough.
        let small = ExchangeLimits(bodyBytesMax: 2)
        #expect(try transport.send(get, to: origin(server), limits: small).status == 206)
        #expect(received.withLock { $0 } == "abcdefgh")
    }

    @Test func `a receiver that has enough ends the exchange`() throws {
        let server = TinyServer([.keep(answer("200 OK", "", "abc"))])
        var get = HTTPRequest(method: "GET", path: "/b")
        get.receiver = BodyReceiver(accepts: { _ in true }, take: { _ in false })
        let error = #expect(throws: TransportError.self) {
            try HTTPTransport().send(get, to: try origin(server))
        }
        #expect(error?.code == .cancelled)
    }
}
