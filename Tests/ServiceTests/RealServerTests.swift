import MacrologEvents
import MacrologWire
import MacrologHTTP
import MacrologHTTPServer
import MacrologService
import MacrologTestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Goal: the server on real sockets is the server that the other tests call.
/// Method: one raw connection for each of sixteen devices, all asking before any is answered.
@Suite struct RealServerTests {
    @Test func `devices that push at once over sockets are all admitted in few commits`() throws {
        let server = try TestServer()
        let token = try server.login().access
        var configuration = Configuration()
        configuration.port = 0
        let httpServer = try Server.start(configuration) { request, reply in
            server.server.respond(to: request) { reply.send($0) }
        }
        let before = server.store.commits
        let sockets = (1...16).map { number in
            var device = TestDevice(UInt64(number))
            for round in 0..<10 { device.record("meal \(number) \(round)") }
            let socket = connectTo(httpServer.port)
            write(device.request, token: token, to: socket)
            return socket
        }
        for socket in sockets { #expect(readAll(socket).hasPrefix("HTTP/1.1 200 ")) }
        #expect(server.store.commits - before <= 16)
        let reader = connectTo(httpServer.port)
        write(TestDevice(99).request, token: token, to: reader)
        let answer = readAll(reader)
        #expect(answer.hasPrefix("HTTP/1.1 200 ") && answer.utf8.count > 160 * 60)
        httpServer.stop()
    }

    @Test(arguments: [nil, "forged", "real"])
    func `a body longer than 16 KiB is kept for a session alone`(token: String?) throws {
        let server = try TestServer()
        let token = token == "real" ? try server.login().access : token
        let isKnown = token.map { $0 != "forged" } ?? false
        var configuration = Configuration()
        configuration.port = 0
        let httpServer = try Server.start(configuration, sinks: { $1(server.server.sink(for: $0)) })
        {
            request, reply in server.server.respond(to: request) { reply.send($0) }
        }
        let (count, long, short) = (24, 1 << 20, 16_384)
        let piece = [UInt8](repeating: 0, count: long - 1)
        var greatest = 0
        let sockets = (0..<2 * count).map { index in
            let socket = connectTo(httpServer.port)
            let length = index < count ? long : short
            let path = ["sync", "heal", "digest", "nowhere", "auth/logout"][index % 5]
            var header = "POST /v1/\(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
            header += "Content-Length: \(length)\r\nContent-Type: application/cbor\r\n"
            if let token { header += "Authorization: Bearer \(token)\r\n" }
            // All but the last byte.
            write(Array((header + "\r\n").utf8) + piece.prefix(length - 1), to: socket)
            greatest = max(greatest, httpServer.bodyBytesHeld)
            return socket
        }
        // Only messages are long; what is short is kept whatever its address.
        let longOnes = isKnown ? (0..<count).count { $0 % 5 < 3 } : 0
        let kept = count * (short - 1) + longOnes * (long - 1)
        while httpServer.bodyBytesHeld < kept { sched_yield() }
        #expect(max(greatest, httpServer.bodyBytesHeld) == kept)
        for (index, socket) in sockets.enumerated() {
            write([0], to: socket)
            let answer = readAll(socket)
            let isLong = index < count
            var expected = isLong && !isKnown ? "401" : isLong && index % 5 == 4 ? "413" : ""
            if index % 5 == 3 { expected = "404" }
            #expect(answer.hasPrefix("HTTP/1.1 \(expected)"), "\(index): \(answer)")
        }
        #expect(httpServer.bodyBytesHeld == 0)
        httpServer.stop()
    }

    @Test func `a poll over sockets wakes on another device's push, a stream continues`() throws {
        let server = try TestServer()
        let (phone, laptop) = (try server.login(), try server.login(device: "laptop"))
        let stranger = try server.login("ben@example.org")
        var configuration = Configuration()
        configuration.port = 0
        configuration.headerMilliseconds = 100
        let httpServer = try Server.start(configuration) { request, reply in
            server.server.respond(to: request) { reply.send($0) }
        }
        let poll = connectTo(httpServer.port)
        get("/v1/events?after=0&wait=55", token: phone.access, from: poll)
        let foreign = connectTo(httpServer.port)
        get("/v1/events?after=0&wait=55", token: stranger.access, from: foreign)
        let stream = connectTo(httpServer.port)
        get("/v1/live", token: laptop.access, from: stream)
        #expect(read(stream, until: "{\"head\":0}\n\n\r\n").hasPrefix("HTTP/1.1 200 "))
        while server.server.openChannels < 3 { sched_yield() }
        // One that asks for nothing is closed meanwhile, those that wait are not.
        _ = readAll(connectTo(httpServer.port))
        for number in 1...3 {
            var device = TestDevice(UInt64(number))
            device.record("meal")
            let pusher = connectTo(httpServer.port)
            write(device.request, token: laptop.access, to: pusher)
            #expect(readAll(pusher).hasPrefix("HTTP/1.1 200 "))
            let told = read(stream, until: "{\"head\":\(number)}\n\n\r\n")
            #expect(told.hasSuffix("event: head\ndata: {\"head\":\(number)}\n\n\r\n"))
        }
        #expect(read(poll, until: "{\"head\":1}").hasPrefix("HTTP/1.1 200 "))
        get("/v1/events?after=3&wait=0", token: phone.access, from: poll)
        #expect(read(poll, until: "\r\n\r\n").hasPrefix("HTTP/1.1 204 "))
        get("/v1/events?after=3&wait=5", token: phone.access, from: poll)
        let newer = connectTo(httpServer.port)
        while server.server.openChannels < 3 { sched_yield() }
        get("/v1/events?after=3&wait=5", token: phone.access, from: newer)
        #expect(read(poll, until: "}").hasPrefix("HTTP/1.1 409 "))
        server.advance(seconds: 5)
        server.server.tick()
        #expect(read(newer, until: "\r\n\r\n").hasPrefix("HTTP/1.1 204 "))
        #expect(server.call("DELETE", "/v1/devices", token: phone.access).status == 204)
        #expect(read(stream, until: "0\r\n\r\n").hasSuffix("0\r\n\r\n"))
        server.server.endLive()
        #expect(read(foreign, until: "}").hasPrefix("HTTP/1.1 503 "))
        httpServer.stop()
    }

    private func get(_ target: String, token: String, from descriptor: Int32) {
        let bytes = Array(
            "GET \(target) HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r\n\r\n".utf8)
        #expect(send(descriptor, bytes, bytes.count, 0) == bytes.count)
    }

    /// Reads until the text ends so, or the server closes.
    private func read(_ descriptor: Int32, until end: String) -> String {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while !bytes.suffix(end.utf8.count).elementsEqual(end.utf8),
            recv(descriptor, &byte, 1, 0) == 1
        {
            bytes.append(byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func connectTo(_ port: UInt16) -> Int32 {
        guard let line = Loopback.connected(to: Int(port)) else {
            preconditionFailure("no server on port \(port)")
        }
        return line
    }

    private func write(_ request: SyncRequest, token: String, to descriptor: Int32) {
        let body = request.encoded()
        let header =
            "POST /v1/sync HTTP/1.1\r\nHost: x\r\nContent-Type: application/cbor\r\n"
            + "Authorization: Bearer \(token)\r\nContent-Length: \(body.count)\r\n"
            + "Connection: close\r\n\r\n"
        write(Array(header.utf8) + body, to: descriptor)
    }

    private func write(_ bytes: [UInt8], to descriptor: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, 0) }
            guard count > 0 else { break }
            rest = rest.dropFirst(count)
        }
        #expect(rest.isEmpty)
    }

    private func readAll(_ descriptor: Int32) -> String {
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += buffer[..<count]
        }
    }
}
