import MacrologEvents
import MacrologHTTP
import MacrologPostgreSQL
import MacrologService
import MacrologTestSupport
import Testing

/// Goal: nodes that share a database do not wait for each other to write what devices were last known to hold.
/// Method: a transaction that has locked a session, as another node has while it writes receipts.
@Suite(.enabled(if: PostgreSQLServer.isThere, Comment(rawValue: PostgreSQLServer.tools.missing)))
struct SharedReceiptTests {
    private let folder = ScratchFolder()
    private let server: TestServer
    private let devices: [Tokens]

    init() throws {
        let folder = folder
        server = try StoreUnderTest.$current.withValue(.postgreSQL) {
            try TestServer(folder: folder) { $0.rates = .none }
        }
        devices = try (0..<10).map { [server] in try server.login(device: "d\($0)") }
    }

    private func open() throws -> PostgreSQLConnection {
        try PostgreSQLConnection.open(try ScratchDatabases.shared.get().address(of: folder.path))
    }

    /// A minute later each device asks for something.
    private func pass() {
        server.advance(seconds: 61)
        for device in devices {
            #expect(server.call("GET", "/v1/devices", token: device.access).status == 200)
        }
    }

    /// Waits until this number of sessions was last seen after a time. Where some devices asked after the others'
    /// receipts had been taken, theirs wait for another minute.
    private func seen(after time: Int64, _ count: Int) throws -> Bool {
        var db = try open()
        for _ in 0..<8 {
            let isSeen = try eventually(within: 2_500, every: 20) {
                try db.first("SELECT count(*) FROM session WHERE last_seen > ?", time) {
                    $0.int(0)
                } == Int64(count)
            }
            if isSeen { return true }
            pass()
        }
        return false
    }

    @Test func `a session that another transaction has locked delays no push and no other receipt`()
        throws
    {
        var other = try open()
        try other.run("BEGIN")
        let id = try #require(Identifier(devices[0].session))
        try other.run("SELECT 1 FROM session WHERE id = ? FOR UPDATE", id.bytes)
        try other.flush()
        let begun = server.clock.now
        pass()
        var writer = TestDevice(1)
        for _ in 0..<20 {
            writer.record()
            _ = try writer.fold(server.sync(writer.request, token: devices[1].access))
        }
        #expect(writer.waiting.isEmpty)
        #expect(try seen(after: begun, 9))
        // The other node has not waited either: it may lock what this one has written.
        try other.run("SELECT 1 FROM session FOR UPDATE")
        try other.run("COMMIT")
        try other.flush()
        // It is not forgotten: it is written with the next ones.
        let later = server.clock.now
        pass()
        #expect(try seen(after: later, 10))
    }
}
