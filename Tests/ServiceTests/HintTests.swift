import MacrologEvents
import MacrologPostgreSQL
import MacrologService
import MacrologSystem
import MacrologTestSupport
import MacrologWire
import Testing

/// Goal: what a node remembers of a log never decides about a push: other nodes write, and a database may go back.
/// Method: two nodes on one database, and a connection past them.
@Suite(
    .serialized,
    .enabled(if: PostgreSQLServer.isThere, Comment(rawValue: PostgreSQLServer.tools.missing)))
struct HintTests {
    private let folder = ScratchFolder()
    private let nodes: [TestServer]
    private let token: String

    init() throws {
        nodes = try StoreUnderTest.$current.withValue(.postgreSQL) { [folder] in
            let clock = ManualClock()
            return try ["a", "b"].map {
                try TestServer(folder: folder, clock: clock, node: $0) { $0.rates = .none }
            }
        }
        token = try nodes[0].login().access
    }

    @Test func `a push is admitted after what other nodes and other devices wrote`() throws {
        var devices = (1...3).map { TestDevice(UInt64($0)) }
        var total: Int64 = 0
        // Each device comes to each node, after each other one and after itself.
        for turn in 0..<72 {
            let index = (turn + turn / 3 + turn / 18) % 3
            let node = nodes[(turn / 2 + turn / 12) % 2]
            for _ in 0...turn % 2 { devices[index].record("turn \(turn)") }
            total += Int64(devices[index].waiting.count)
            _ = try devices[index].fold(node.sync(devices[index].request, token: token))
            #expect(devices[index].waiting.isEmpty, "turn \(turn)")
            let standing = try node.store.standing(
                of: devices[index].id, in: 1, at: LogNumber(devices[index].cursor))
            #expect(standing.head.n.rawValue == total && standing.digest == devices[index].digest)
            #expect(standing.admitted.rawValue == devices[index].seq)
        }
    }

    /// - Parameter last: How long the log is when the node comes to it again, by another device's events.
    @Test(arguments: [1, 2, 7])
    func `a node finds the ends of a log that went back`(_ last: Int) throws {
        var phone = TestDevice(1)
        for number in 0..<5 {
            phone.record("meal \(number)")
            _ = try phone.fold(nodes[0].sync(phone.request, token: token))
        }
        var outside = try PostgreSQLConnection.open(
            ScratchDatabases.shared.get().address(of: folder.path))
        try outside.run("ALTER TABLE event DISABLE TRIGGER ALL")
        try outside.run("DELETE FROM event WHERE seq > 1")
        try outside.run("ALTER TABLE event ENABLE TRIGGER ALL")
        try outside.flush()
        var laptop = TestDevice(2)
        for number in 1..<last { laptop.record("after it went back, \(number)") }
        _ = try laptop.fold(nodes[1].sync(laptop.request, token: token))
        let standing = try nodes[0].store.standing(of: phone.id, in: 1, at: LogNumber(1))
        #expect(standing.head.n == LogNumber(Int64(last)) && standing.admitted == 1)
        #expect(try push(3) == "expected 2")
        #expect(try push(2) == "admitted 2 at \(last + 1)")
        #expect(try push(3) == "admitted 3 at \(last + 2)")
    }

    /// Pushes one event of a phone that has not seen the log, at the first node.
    private func push(_ seq: Int) throws -> String {
        var phone = TestDevice(1)
        for number in 0..<seq { phone.record("another meal \(number)") }
        let body = phone.own[seq - 1]
        let event = PushedEvent(
            header: try EventHeader.checked(body), hash: body.withUnsafeBytes { SHA256.words($0) },
            age: .zero, mentions: [], body: body)
        let push = Push(space: 1, device: phone.id, events: [event], now: nodes[0].clock.now)
        let outcome = Monitor<String?>(nil)
        nodes[0].store.push(push) { result in
            let word =
                switch result {
                case .success(.admitted(_, _, let after, let seq)): "admitted \(seq) at \(after.n)"
                case .success(.expected(let seq)): "expected \(seq)"
                default: "\(result)"
                }
            outcome.withLock { $0 = word }
            outcome.wakeAll()
        }
        return outcome.wait { $0 }
    }
}
