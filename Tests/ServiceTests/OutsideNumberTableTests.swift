import MacrologEvents
import MacrologWire
import MacrologHTTP
import MacrologJSON
import MacrologService
import MacrologTestSupport
import Testing

/// Goal: whatever numbers a request says, the answer is a typed one, and the server continues unharmed.
/// Method: requests built by hand, with each number at its bounds in every pair of neighbours: two
/// numbers of one message, of two events, of two marks, of two ranges, of a query, of a header.
@Suite struct OutsideNumberTableTests {
    /// 0, −1, 2^31, 2^53, 2^63 − 2, 2^63 − 1, 2^64 − 1, and the 1 that is right nearly everywhere.
    private static let bounds: [(cbor: [UInt8], digits: String)] =
        numbers.map { ([UInt8](cbor: $0), "\($0)") } + [(beyond, "18446744073709551615")]

    private static let numbers: [Int64] = [0, -1, 1, 1 << 31, 1 << 53, .max - 1, .max]
    private static let beyond: [UInt8] = [0x1B] + [UInt8](repeating: 0xFF, count: 8)

    private static let id = [0x50] + [UInt8](repeating: 7, count: 16)
    private static let digest = [0x50] + [UInt8](repeating: 0, count: 16)
    private static let zero: [UInt8] = [0]
    private static let one: [UInt8] = [1]

    private static func joined(_ parts: [[UInt8]]) -> [UInt8] { Array(parts.joined()) }

    /// An event of the device of ``id``, encoded, as a byte string.
    private static func event(
        seq: [UInt8] = one, epoch: [UInt8] = zero, n: [UInt8] = zero, wall: [UInt8] = zero,
        version: [UInt8] = one
    ) -> [UInt8] {
        let body = joined([
            [0xA7, 0], id, [1], seq, [2, 0x82], epoch, n, [3], wall, [4, 0x61, 0x74, 5], version,
            [6, 0x81, 0x83, 0x61, 0x6D], id, [0x81, 3],
        ])
        return [0x58, UInt8(body.count)] + body
    }

    private static func sync(
        epoch: [UInt8] = zero, cursor: [UInt8] = zero, pushed: [[UInt8]] = [],
        eventsMax: [UInt8] = one, bytesMax: [UInt8] = one, version: [UInt8] = one
    ) -> [UInt8] {
        joined([
            [0xA8, 0], version, [1], id, [2], epoch, [3], cursor, [4], digest,
            [5, 0x80 | UInt8(pushed.count)], joined(pushed), [6], eventsMax, [7], bytesMax,
        ])
    }

    private static func pushed(_ event: [UInt8], age: [UInt8] = zero) -> [UInt8] {
        [0x82] + age + event
    }

    private static func recover(
        after: [UInt8] = zero, times: [[UInt8]] = [], events: [[UInt8]] = []
    ) -> [UInt8] {
        joined([
            [0xA5, 0, 1, 1], after, [2, 0x80 | UInt8(times.count)], joined(times),
            [3, 0x80 | UInt8(events.count)], joined(events), [4], digest,
        ])
    }

    private static func digests(_ ranges: [[[UInt8]]]) -> [UInt8] {
        joined([
            [0xA2, 0, 1, 1, 0x80 | UInt8(ranges.count)],
            joined(ranges.map { [0x83] + joined($0) }),
        ])
    }

    private typealias Make = @Sendable (_ a: [UInt8], _ b: [UInt8]) -> [UInt8]

    private static let syncs: [Make] = [
        { sync(epoch: $0, cursor: $1) }, { sync(cursor: $0, eventsMax: $1) },
        { sync(eventsMax: $0, bytesMax: $1) }, { sync(epoch: $0, version: $1) },
        { sync(pushed: [pushed(event(seq: $0)), pushed(event(seq: $1))]) },
        { sync(pushed: [pushed(event()), pushed(event(seq: $0)), pushed(event(seq: $1))]) },
        { sync(pushed: [pushed(event(), age: $0), pushed(event(seq: [2]), age: $1)]) },
        { sync(pushed: [pushed(event(wall: $0)), pushed(event(seq: [2], wall: $1))]) },
        { sync(pushed: [pushed(event(seq: $0, wall: $1))]) },
        { sync(pushed: [pushed(event(seq: $0), age: $1)]) },
        { sync(pushed: [pushed(event(epoch: $0, n: $1))]) },
        { sync(pushed: [pushed(event(epoch: [7], n: $0)), pushed(event(epoch: [7], n: $1))]) },
        { sync(pushed: [pushed(event(version: $0)), pushed(event(seq: [2], version: $1))]) },
    ]
    private static let recovers: [Make] = [
        { recover(times: [$0, $1], events: [event(), event(seq: [2])]) },
        { recover(times: [one, one], events: [event(seq: $0), event(seq: $1)]) },
        { recover(times: [one, one], events: [event(), event(seq: [2], epoch: $0, n: $1)]) },
        { recover(after: $0, times: [$1], events: [event()]) },
        { recover(times: [$0], events: [event(seq: $1)]) },
    ]
    private static let digestings: [Make] = [
        { digests([[$0, $1, one]]) }, { digests([[zero, $0, $1]]) },
        { digests([[zero, $0, one], [$1, [UInt8](cbor: .max), one]]) },
        { digests([[$0, [UInt8](cbor: .max), $1]]) },
    ]

    private static let shares: [Make] = [
        { share(seconds: $0, opensMax: $1) }, { share(seconds: $0, version: $1) },
    ]

    private static func share(
        seconds: [UInt8] = one, opensMax: [UInt8] = zero, version: [UInt8] = one
    ) -> [UInt8] {
        let whole = ShareRequest(token: SHA256.hash([1])).encoded()
        // The version, the token, and the rest after the two numbers 7 days and 0.
        return joined([
            [0xA7, 0], version, Array(whole[3..<38]), [2], seconds, [3], opensMax,
            Array(whole[46...]),
        ])
    }

    private static func check(_ answer: HTTPResponse, _ what: String) {
        let statuses = [200, 201, 202, 204, 206, 304, 400, 401, 404, 405, 409, 413, 415, 416, 426]
        #expect(statuses.contains(answer.status), "\(answer.status) to \(what)")
        answer.stream?.end()
        guard answer.status >= 400 else { return }
        #expect(problem(answer) != nil, "no problem document to \(what)")
    }

    /// What the server does afterwards, and what its file says.
    private static func checkUnharmed(_ server: TestServer, _ token: String) throws {
        var device = TestDevice(99)
        device.record("continues")
        _ = try device.fold(server.sync(device.request, token: token))
        device.record("and on")
        _ = try device.fold(server.sync(device.request, token: token))
        #expect(try ServerFile.check(server.path).problems == [])
    }

    private func server() throws -> (TestServer, String) {
        let server = try TestServer { $0.rates = .none }
        return (server, try server.login().access)
    }

    /// The pairs of numbers in the message of each route that reads CBOR.
    private static func makes(_ route: Route) throws -> [Make] {
        switch route.name {
        case "POST /v1/sync": return syncs
        case "POST /v1/heal": return recovers
        case "POST /v1/digest": return digestings
        case "POST /v1/shares": return shares
        default: throw Unexpected(response: "no messages for \(route.name)")
        }
    }

    private static func request(
        _ route: Route, _ token: String, parameter: String = "x", query: String = "",
        _ fields: [(String, String)] = [], body: [UInt8] = []
    ) -> HTTPRequest {
        let path = route.path.pattern.replacing(/\{\w+\}/, with: parameter)
        let type = route.body.map { [("Content-Type", "\($0.mediaType)")] } ?? []
        return HTTPRequest(
            method: route.method, path: path, query: query,
            fields: ([("Authorization", "Bearer \(token)")] + type + fields)
                .map { HTTPField($0.0, $0.1) }, body: body)
    }

    @Test func `every pair of numbers in a message gets a typed answer`() throws {
        for route in Routes.all {
            guard case .cbor = route.body else { continue }
            let (server, token) = try server()
            for (index, make) in try Self.makes(route).enumerated() {
                for a in Self.bounds {
                    for b in Self.bounds {
                        let request = Self.request(route, token, body: make(a.cbor, b.cbor))
                        // Twice in a row: what the first has left must not harm the second.
                        for _ in 0..<2 {
                            Self.check(
                                server.send(request),
                                "\(route.name) \(index): \(a.digits), \(b.digits)")
                        }
                    }
                }
            }
            try Self.checkUnharmed(server, token)
        }
    }

    /// Any request to log out logs out, whatever numbers are in it.
    private static let withoutLogout = Routes.all.filter { $0.name != "POST /v1/auth/logout" }

    @Test func `every number in a path, a query or a length gets a typed answer`() throws {
        let (server, token) = try server()
        for route in Self.withoutLogout {
            for a in Self.bounds.map(\.digits) {
                func send(_ request: HTTPRequest) {
                    let what = "\(route.name) \(request.path)?\(request.query) \(a)"
                    Self.check(server.send(request), what)
                    server.server.sink(for: request)?.cancel()
                }
                send(Self.request(route, token, parameter: a))
                send(Self.request(route, token, query: "after=0&wait=0&wait=\(a)"))
                send(Self.request(route, token, [("Content-Length", a)], body: [1, 2]))
                for b in Self.bounds.map(\.digits) {
                    // One that may wait for news would wait here.
                    guard b == "0" || Int64(b).map({ $0 > 55 || $0 < 0 }) ?? true else { continue }
                    send(Self.request(route, token, query: "after=\(a)&wait=\(b)"))
                }
            }
        }
        try Self.checkUnharmed(server, token)
    }

    @Test func `every pair of numbers in a range gets a typed answer`() throws {
        let (server, token) = try server()
        let name = String(repeating: "0a", count: 32)
        func send(_ route: Route, _ fields: [(String, String)], body: [UInt8] = []) {
            Self.check(
                server.send(Self.request(route, token, parameter: name, fields, body: body)),
                "\(route.name) \(fields)")
        }
        let digits = Self.bounds.map(\.digits)
        for route in Routes.all where route.path.parameter == "sha256" {
            for a in digits {
                for b in digits {
                    send(route, [("Range", "bytes=\(a)-\(b)")])
                    for c in digits where route.body == .bytes {
                        let range = ("Content-Range", "bytes \(a)-\(b)/\(c)")
                        send(route, [("Content-Length", c), range], body: [1, 2])
                        send(route, [("Content-Length", "2"), range], body: [1, 2])
                    }
                }
            }
        }
        try Self.checkUnharmed(server, token)
    }

    @Test func `every pair of numbers in the members of a JSON body gets a typed answer`() throws {
        let (server, token) = try server()
        for route in Routes.all {
            guard case .json(let members) = route.body else { continue }
            for (first, second) in zip(members, members.dropFirst() + ["x"]) {
                for a in Self.bounds.map(\.digits) + ["1e400", "-0", "1e18446744073709551615"] {
                    for b in Self.bounds.map(\.digits) {
                        let body = Array(#"{"\#(first)":\#(a),"\#(second)":\#(b)}"#.utf8)
                        for _ in 0..<2 {
                            let answer = server.send(Self.request(route, token, body: body))
                            Self.check(answer, "\(route.name) \(first): \(a), \(second): \(b)")
                            #expect(answer.status >= 400)
                        }
                    }
                }
            }
        }
        try Self.checkUnharmed(server, token)
    }

    @Test func `a blob's ranges at all bounds get a typed answer`() throws {
        let (server, token) = try server()
        let bytes: [UInt8] = [1, 2, 3]
        let name = SHA256.hash(bytes).map { byte in
            String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }.joined()
        let authorization = HTTPField("Authorization", "Bearer \(token)")
        let put = server.send(
            HTTPRequest(
                method: "PUT", path: "/v1/blobs/\(name)",
                fields: [authorization, HTTPField("Content-Length", "3")], body: bytes))
        #expect(put.status == 201)
        for a in Self.bounds.map(\.digits) + [""] {
            for b in Self.bounds.map(\.digits) + [""] {
                let range = "bytes=\(a)-\(b)"
                let answer = server.send(
                    HTTPRequest(
                        method: "GET", path: "/v1/blobs/\(name)",
                        fields: [authorization, HTTPField("Range", range)]))
                Self.check(answer, range)
                #expect([200, 206, 416].contains(answer.status), "\(answer.status) to \(range)")
            }
        }
        try Self.checkUnharmed(server, token)
    }
}

extension [UInt8] {
    fileprivate init(cbor number: Int64) {
        var writer = CBORWriter()
        writer.int(number)
        self = writer.bytes
    }
}
