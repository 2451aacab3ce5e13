import Foundation
import MacrologEvents
import MacrologHTTP
import MacrologJSON
import MacrologPostgreSQL
import MacrologService
import MacrologSystem
import MacrologTestSupport
import MacrologWire
import Synchronization
import Testing

/// Goal: several servers on one PostgreSQL are one service.
/// Method: two services in one process, each with a store of its own on the same database; they share nothing
/// but that and a clock.
@Suite(
    .serialized,
    .enabled(if: PostgreSQLServer.isThere, Comment(rawValue: PostgreSQLServer.tools.missing)))
struct NodesTests {
    private struct Nodes {
        let first: TestServer
        let second: TestServer

        /// - Parameters:
        ///   - tells: Whether the first tells the other of its pushes.
        ///   - rates: `nil` for those of a server.
        init(
            in folder: ScratchFolder = ScratchFolder(), tells: Bool = true,
            rates: RateLimits? = RateLimits.none, blobs: (any BlobStorage)? = nil
        ) throws {
            let clock = ManualClock()
            let change: (inout ServerSettings) -> Void = { $0.rates = rates ?? RateLimits() }
            (first, second) = try StoreUnderTest.$current.withValue(.postgreSQL) {
                (
                    try TestServer(
                        folder: folder, clock: clock, blobs: blobs, hasThreads: tells, node: "a",
                        change),
                    try TestServer(folder: folder, clock: clock, blobs: blobs, node: "b", change)
                )
            }
        }
    }

    @Test func `devices that push to both have one log without a gap`() throws {
        let nodes = try Nodes()
        let token = try nodes.first.login().access
        let devices = Mutex<[TestDevice]>([])
        let workers = (1...4).map { number in
            Worker.start {
                var device = TestDevice(UInt64(number))
                for round in 0..<15 {
                    device.record("meal \(number) \(round)")
                    let node = (number + round) % 2 == 0 ? nodes.first : nodes.second
                    _ = try? device.fold(node.sync(device.request, token: token))
                }
                devices.withLock { $0.append(device) }
            }
        }
        for worker in workers { worker.join() }
        for var device in devices.withLock({ $0 }) {
            _ = try device.fold(nodes.second.sync(device.request, token: token))
            #expect(device.waiting.isEmpty && device.cursor == 60)
        }
        for node in [nodes.first, nodes.second] {
            var reader = TestDevice(99)
            _ = try reader.fold(node.sync(reader.request, token: token))
            #expect(reader.cursor == 60 && Set(reader.log).count == 60)
        }
    }

    /// News may be lost: a node may break off between a commit and telling of it.
    @Test(arguments: [true, false])
    func `a poll on one node is woken by a push on the other, told or not`(_ tells: Bool) throws {
        let nodes = try Nodes(tells: tells)
        let (phone, laptop) = (try nodes.first.login(), try nodes.first.login(device: "laptop"))
        let woken = Answered()
        nodes.second.server.respond(
            to: HTTPRequest(
                method: "GET", path: "/v1/events", query: "after=0&wait=55",
                fields: [HTTPField("Authorization", "Bearer \(phone.access)")])
        ) { woken.set($0) }
        while nodes.second.server.openChannels < 1 { _ = eventually(within: 1) { false } }
        var device = TestDevice(1)
        device.record("meal")
        _ = try device.fold(nodes.first.sync(device.request, token: laptop.access))
        #expect(eventually(every: 5) { woken.peek != nil })
        #expect(woken.peek?.status == 200)
    }

    @Test func `a session that is ended on one node is refused on the other within five seconds`()
        throws
    {
        let nodes = try Nodes()
        let (phone, laptop) = (try nodes.first.login(), try nodes.second.login(device: "laptop"))
        #expect(nodes.second.call("GET", "/v1/devices", token: phone.access).status == 200)
        let ended = nodes.first.call(
            "DELETE", "/v1/devices/\(phone.session)", token: laptop.access)
        #expect(ended.status == 204)
        nodes.first.advance(seconds: 5)
        #expect(nodes.second.call("GET", "/v1/devices", token: phone.access).status == 401)
        #expect(nodes.second.call("GET", "/v1/devices", token: laptop.access).status == 200)
    }

    @Test func `a poll and a stream of a session that is ended on one node end on the other`()
        throws
    {
        let nodes = try Nodes()
        let (phone, laptop) = (try nodes.first.login(), try nodes.second.login(device: "laptop"))
        let tablet = try nodes.second.login(device: "tablet")
        func get(_ path: String, _ query: String, _ token: String) -> Answered {
            let answered = Answered()
            nodes.second.server.respond(
                to: HTTPRequest(
                    method: "GET", path: path, query: query,
                    fields: [HTTPField("Authorization", "Bearer \(token)")])
            ) { answered.set($0) }
            return answered
        }
        let poll = get("/v1/events", "after=0&wait=55", phone.access)
        let stream = try #require(get("/v1/live", "", tablet.access).get().stream)
        let other = get("/v1/events", "after=0&wait=55", laptop.access)
        #expect(eventually { nodes.second.server.openChannels == 3 })
        stream.begin {}
        #expect(stream.next()?.isEmpty == false)
        nodes.second.server.tick()
        #expect(nodes.second.server.openChannels == 3)
        for session in [phone.session, tablet.session] {
            let ended = nodes.first.call("DELETE", "/v1/devices/\(session)", token: laptop.access)
            #expect(ended.status == 204)
        }
        nodes.first.advance(seconds: 2)
        nodes.second.server.tick()
        #expect(poll.peek?.status == 401 && stream.next() == nil && other.peek == nil)
        #expect(nodes.second.server.openChannels == 1)
        #expect(nodes.second.call("GET", "/v1/devices", token: phone.access).status == 401)
    }

    private static func logIn(_ node: TestServer, _ word: String, _ peer: String) -> Int {
        node.post(
            "/v1/auth/login",
            ["email": "ana@example.org", "password": .string(word), "device": "x"], peer: peer
        ).status
    }

    @Test func `attempts count on all nodes, by network and by address`() throws {
        let nodes = try Nodes(rates: nil)
        let both = [nodes.first, nodes.second]
        func register(_ number: Int) -> Int {
            both[number % 2].post(
                "/v1/auth/register",
                ["email": .string("person\(number)@example.org"), "password": .string(password)],
                peer: "198.51.100.1"
            ).status
        }
        #expect((0..<5).map(register) == [202, 202, 202, 429, 429])
        _ = nodes.first.post(
            "/v1/auth/register", ["email": "ana@example.org", "password": .string(password)],
            peer: "203.0.113.1")
        // From one network, five in fifteen minutes.
        let statuses = (0..<7).map { Self.logIn(both[$0 % 2], "wrong", "198.51.100.2") }
        #expect(statuses == [401, 401, 401, 401, 401, 429, 429])
        nodes.first.advance(seconds: 180)
        #expect(Self.logIn(nodes.second, "wrong", "198.51.100.2") == 401)
        #expect(Self.logIn(nodes.first, "wrong", "198.51.100.2") == 429)
        // From many, fifty an hour; what is right counts for nothing.
        let many = (0..<60).map { Self.logIn(both[$0 % 2], "wrong", "10.\($0).0.1") }
        #expect((44...47).contains(many.count { $0 == 401 }) && many.last == 429)
        nodes.first.advance(seconds: 7_200)
        let right = (0..<12).map { Self.logIn(both[$0 % 2], password, "192.0.2.7") }
        #expect(right.allSatisfy { $0 == 200 })
    }

    @Test func `a node whose clock is ahead empties no bucket for longer than its burst takes`()
        throws
    {
        let nodes = try Nodes(rates: nil)
        let buckets = try #require(nodes.second.store.sharedBuckets)
        let (bucket, rate) = ([UInt8](repeating: 7, count: 32), Rate(burst: 3, interval: 1_000))
        #expect(try buckets.charge(bucket, rate, now: 90_000_000) == nil)
        // It is empty, and one token is added each second, as if the clocks were one.
        #expect(try buckets.charge(bucket, rate, now: 1_000_000) == 1_000)
        #expect(try buckets.charge(bucket, rate, now: 1_001_000) == nil)
        #expect(try buckets.charge(bucket, rate, now: 1_001_000) == 1_000)
        #expect(
            try (0..<3).map { _ in try buckets.charge(bucket, rate, now: 1_010_000) == nil } == [
                true, true, true,
            ])
    }

    @Test(arguments: [(30, 200), (90, 503)])
    func `a node whose clock is not that of the database says so, and is not ready`(
        seconds: Int64, status: Int
    ) throws {
        let nodes = try Nodes()
        let node = nodes.first
        let now = try #require(try node.store.clock())
        node.clock.advance(milliseconds: now - node.clock.now + seconds * 1_000)
        for _ in 0..<2 {
            node.server.compareClock()
            #expect(node.send(HTTPRequest(method: "GET", path: "/ready")).status == status)
            node.advance(seconds: 2)
        }
        #expect(node.notes.of("clock.differs").count == 1)
    }

    @Test func `a database whose clock is set while nodes run leaves them ready, and they say so`()
        throws
    {
        let nodes = try Nodes()
        let now = try #require(try nodes.first.store.clock())
        nodes.first.clock.advance(milliseconds: now - nodes.first.clock.now)
        for node in [nodes.first, nodes.second] {
            node.server.compareClock()
            #expect(node.notes.of("clock.differs").isEmpty)
        }
        // The clocks of a test are set together: the database's alone does not follow.
        nodes.first.advance(seconds: 90)
        for node in [nodes.first, nodes.second] {
            node.server.compareClock()
            #expect(node.send(HTTPRequest(method: "GET", path: "/ready")).status == 200)
            #expect(node.notes.of("clock.differs").count == 1)
        }
    }

    // MARK: Photos

    private static func put(
        _ node: TestServer, _ blob: [UInt8], _ range: Range<Int>? = nil, token: String
    ) -> HTTPResponse {
        var fields = [HTTPField("authorization", "Bearer \(token)")]
        if let range {
            fields.append(
                HTTPField(
                    "content-range",
                    "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(blob.count)"))
        }
        return node.send(
            HTTPRequest(
                method: "PUT", path: "/v1/blobs/\(hexadecimal(SHA256.hash(blob)))", fields: fields,
                body: Array(blob[range ?? 0..<blob.count])))
    }

    @Test func `both nodes may receive one photo at once`() throws {
        let nodes = try Nodes()
        let token = try nodes.first.login().access
        let blob = (0..<9_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        let path = "/v1/blobs/\(hexadecimal(SHA256.hash(blob)))"
        #expect(Self.put(nodes.first, blob, 0..<3_000, token: token).status == 202)
        #expect(Self.put(nodes.second, blob, 0..<5_000, token: token).status == 202)
        let offsets = [nodes.first, nodes.second].map {
            $0.call("HEAD", path, token: token).field("upload-offset")
        }
        #expect(offsets == ["3000", "5000"])
        #expect(Self.put(nodes.first, blob, 3_000..<9_000, token: token).status == 201)
        #expect(Self.put(nodes.second, blob, 5_000..<9_000, token: token).status == 204)
        #expect(nodes.second.store.blobFiles.all().count == 1)
    }

    @Test func `photos of a deleted account go although a node ends after its rows`() throws {
        let folder = ScratchFolder()
        let nodes = try Nodes(in: folder)
        let token = try nodes.first.login().access
        for byte in UInt8(1)...3 {
            let blob = [UInt8](repeating: byte, count: 700)
            #expect(Self.put(nodes.first, blob, token: token).status == 201)
        }
        #expect(
            Self.put(nodes.second, [UInt8](repeating: 9, count: 70), 0..<7, token: token).status
                == 202)
        let account = try #require(try nodes.first.store.account(of: 1))
        var db = try PostgreSQLConnection.open(
            try ScratchDatabases.shared.get().address(of: folder.path))
        try db.run("UPDATE account SET deleted = 1")
        try db.flush()
        // The rows are gone, and here the node ends.
        let removed = Answered()
        nodes.first.store.removeDeleted { result in
            let emptied = (try? result.get())?.emptied ?? []
            removed.set(HTTPResponse(status: emptied == [account.space] ? 204 : 500))
        }
        #expect(removed.get().status == 204)
        #expect(nodes.second.store.blobFiles.all().count == 3)
        let third = try StoreUnderTest.$current.withValue(.postgreSQL) {
            try TestServer(folder: folder, node: "c") { $0.rates = .none }
        }
        let isGone = eventually {
            // It fails while something is removed.
            let left = try? FileManager.default.subpathsOfDirectory(atPath: folder.path)
            return left?.allSatisfy { !$0.contains("/\(account.space)/") } ?? false
        }
        #expect(isGone && third.store.blobFiles.all().isEmpty)
    }

    @Test func `a refresh token that both get at once has one successor, and is not theft`() throws
    {
        let nodes = try Nodes()
        var tokens = try nodes.first.login()
        for _ in 0..<10 {
            let answers = Mutex<[HTTPResponse]>([])
            let presented = tokens.refresh
            let workers = [nodes.first, nodes.second].map { node in
                Worker.start {
                    let answer = node.post(
                        "/v1/auth/refresh", ["refresh_token": .string(presented)])
                    answers.withLock { $0.append(answer) }
                }
            }
            for worker in workers { worker.join() }
            let successors = try answers.withLock { $0 }.map { try Tokens($0) }
            #expect(Set(successors.map(\.refresh)).count == 1)
            tokens = try #require(successors.first)
        }
        #expect(nodes.second.call("GET", "/v1/devices", token: tokens.access).status == 200)
    }

    /// Ends every connection of both nodes, again and again, while something is done.
    private static func cutting<Result>(_ body: () throws -> Result) throws -> Result {
        let server = try ScratchDatabases.shared.get().server
        let over = Over()
        let cutter = Worker.start {
            while !over.value.load(ordering: .relaxed) {
                _ = try? server.query(
                    """
                    SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
                    WHERE application_name = 'cut' AND pid <> pg_backend_pid()
                    """)
            }
        }
        defer {
            over.value.store(true, ordering: .relaxed)
            cutter.join()
        }
        return try body()
    }

    private final class Over: Sendable { let value = Atomic<Bool>(false) }

    @Test func `what is answered while connections break is in the log, once`() throws {
        let nodes = try StoreUnderTest.$isCut.withValue(true) { try Nodes() }
        let token = try nodes.first.login().access
        let sent = Mutex<[TestDevice]>([])
        try Self.cutting {
            let workers = (1...4).map { number in
                Worker.start {
                    var device = TestDevice(UInt64(number))
                    for round in 0..<30 {
                        device.record("meal \(number) \(round)")
                        let node = number % 2 == 0 ? nodes.first : nodes.second
                        // A refusal leaves the event waiting, as on any device.
                        let answer = node.sync(device.request, token: token)
                        if answer.status == 200 { _ = try? device.fold(answer) }
                    }
                    sent.withLock { $0.append(device) }
                }
            }
            for worker in workers { worker.join() }
        }
        var devices = sent.withLock { $0 }
        for index in devices.indices {
            #expect(devices[index].seq > devices[index].waiting.count)
            // What was refused waits, and is sent again as it was.
            _ = eventually(every: 10) {
                let answer = nodes.first.sync(devices[index].request, token: token)
                if answer.status == 200 { _ = try? devices[index].fold(answer) }
                return devices[index].waiting.isEmpty
            }
            #expect(devices[index].waiting.isEmpty)
        }
        for var device in devices {
            _ = try device.fold(nodes.second.sync(device.request, token: token))
            #expect(device.cursor == 120 && Set(device.log).count == 120)
        }
    }

    @Test func `an invitation counts each account once while connections break`() throws {
        let nodes = try StoreUnderTest.$isCut.withValue(true) { try Nodes() }
        let made = try nodes.first.administer("invite create", ["uses": 50, "days": 7])
        let invitation = try #require(made["invitation"]?["code"]?.string)
        try Self.cutting {
            for number in 0..<20 {
                let node = number % 2 == 0 ? nodes.first : nodes.second
                _ = node.post(
                    "/v1/auth/register",
                    [
                        "email": .string("person\(number)@example.org"),
                        "password": .string(password), "invitation": .string(invitation),
                    ])
            }
        }
        let list = try nodes.second.store.invitations()
        let accounts = try nodes.second.store.facts(of: nil, now: nodes.first.clock.now)
        #expect(list.map(\.used) == [Int64(accounts.count)])
        #expect(accounts.count > 0)
    }
}
