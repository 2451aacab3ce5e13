import MacrologEvents
import MacrologHTTP
import MacrologPostgreSQL
import MacrologService
import MacrologSystem
import MacrologTestSupport
import MacrologWire
import Synchronization
import Testing

/// Goal: nothing that a node does needs one connection for longer than a transaction.
/// Method: two services in one process on one database, with a real PgBouncer in between, which has fewer connections than they
/// ask for and gives each transaction another one.
@Suite(
    .enabled(if: PostgreSQLServer.isThere, Comment(rawValue: PostgreSQLServer.tools.missing)),
    .enabled(if: PgBouncer.isThere, Comment(rawValue: PgBouncer.tools.missing)))
struct PgBouncerTests {
    private let bouncer: PgBouncer
    private let nodes: [TestServer]

    init() throws {
        let database = try ScratchDatabases.shared.get().server
        bouncer = try PgBouncer(before: database)
        let address = try PostgreSQLAddress(
            bouncer.address(of: try database.newDatabase()), isPooled: true)
        let (folder, clock) = (ScratchFolder(), ManualClock())
        nodes = try (0..<2).map { number in
            try TestServer(
                folder: folder, clock: clock,
                store: try PostgreSQLServerStore.open(
                    address, beside: folder.file("server.db"), node: "\(number)",
                    secrets: TestServer.secrets, newEpoch: 7
                ) { fatalError($0) }
            ) { $0.rates = .none }
        }
    }

    @Test func `devices that push to both nodes have one log without a gap`() throws {
        let token = try nodes[0].login().access
        let devices = Mutex<[TestDevice]>([])
        let workers = (1...8).map { number in
            Worker.start {
                var device = TestDevice(UInt64(number))
                for round in 0..<15 {
                    device.record("meal \(number) \(round)")
                    _ = try? device.fold(
                        nodes[(number + round) % 2].sync(device.request, token: token))
                }
                devices.withLock { $0.append(device) }
            }
        }
        for worker in workers { worker.join() }
        for var device in devices.withLock({ $0 }) {
            _ = try device.fold(nodes[1].sync(device.request, token: token))
            #expect(device.waiting.isEmpty && device.cursor == 120)
            #expect(Set(device.log).count == 120)
        }
    }

    @Test func `a poll is woken by a push on the other node, and ended by the end of its session`()
        throws
    {
        let (phone, laptop) = (try nodes[0].login(), try nodes[0].login(device: "laptop"))
        func poll(after: Int) -> Answered {
            let woken = Answered()
            nodes[1].server.respond(
                to: HTTPRequest(
                    method: "GET", path: "/v1/events", query: "after=\(after)&wait=55",
                    fields: [HTTPField("Authorization", "Bearer \(phone.access)")])
            ) { woken.set($0) }
            _ = eventually { nodes[1].server.openChannels == 1 }
            return woken
        }
        let news = poll(after: 0)
        var device = TestDevice(1)
        device.record("meal")
        _ = try device.fold(nodes[0].sync(device.request, token: laptop.access))
        #expect(eventually(every: 5) { news.peek != nil })
        #expect(news.peek?.status == 200)
        let over = poll(after: 1)
        let ended = nodes[0].call("DELETE", "/v1/devices/\(phone.session)", token: laptop.access)
        #expect(ended.status == 204)
        nodes[1].server.tick()
        #expect(over.peek?.status == 401)
    }
}
