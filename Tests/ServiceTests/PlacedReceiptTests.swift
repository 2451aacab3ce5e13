import MacrologEvents
import MacrologHTTP
import MacrologJSON
import MacrologPostgreSQL
import MacrologService
import MacrologSystem
import MacrologTestSupport
import Testing

/// Goal: what a device was last known to hold goes along when its account moves.
/// Method: a node keeps a receipt in memory while another process moves the account; then the receipt is written, in each
/// order that the two can have. The other node says what is on disk.
@Suite(
    .serialized,
    .enabled(if: PostgreSQLServer.isThere, Comment(rawValue: PostgreSQLServer.tools.missing)))
struct PlacedReceiptTests {
    private let rig: PlacedRig
    private let tokens, ben: Tokens

    /// Ana's device holds three events, which node 1 alone knows.
    init() throws {
        rig = try PlacedRig()
        (tokens, ben) = (try rig.nodes[0].login(), try rig.nodes[0].login("ben@example.org"))
        var device = TestDevice(1)
        _ = try device.fold(rig.nodes[1].sync(device.request, token: tokens.access))
        // The first one is written at once, the next one after a minute.
        try #require(try eventually { try written() == [0, -1] })
        for _ in 0..<3 { device.record() }
        for _ in 0..<2 {
            _ = try device.fold(rig.nodes[1].sync(device.request, token: tokens.access))
        }
        try #require(try shown(at: 1) == 3)
        try #require(try shown(at: 0) == 0)
    }

    /// The cursors in a and in b; -1 for none.
    private func written() throws -> [Int64] {
        try ["a", "b"].map {
            try rig.count(
                "SELECT coalesce((SELECT cursor FROM session WHERE space = 1), -1)", in: $0)
        }
    }

    private func shown(at node: Int) throws -> Int64? {
        let answer = rig.nodes[node].call("GET", "/v1/devices", token: tokens.access)
        return try JSON.parse(answer.body)["devices"]?.array?.first?["cursor"]?.integer
    }

    /// A minute later node 1 is to write what it keeps for a. Another person has a receipt there, too.
    private func pass() {
        rig.nodes[1].advance(seconds: 61)
        #expect(rig.nodes[1].call("GET", "/v1/devices", token: ben.access).status == 200)
    }

    private func isWritten(_ expected: [Int64]) throws -> Bool {
        try eventually(within: 20_000, every: 50) {
            try rig.placed(1).look()
            return try written() == expected
        }
    }

    private func waiting(_ count: Int64) throws -> Bool {
        try eventually(within: 20_000) {
            try rig.count(
                """
                SELECT count(*) FROM pg_stat_activity
                WHERE wait_event_type = 'Lock' AND datname = current_database()
                """, in: "a") == count
        }
    }

    @Test func `a receipt that is written after the account has gone is written where it is`()
        throws
    {
        try rig.move(1, to: "b")
        pass()
        #expect(try isWritten([-1, 3]))
        #expect(try shown(at: 0) == 3)
    }

    @Test func `a receipt waits while its account is closed`() throws {
        var db = try rig.open("a")
        try db.run("UPDATE account SET away = 'b' WHERE space = 1")
        try db.flush()
        pass()
        let seen = try eventually {
            try rig.count(
                "SELECT count(*) FROM session WHERE space = 2 AND last_seen > created", in: "a")
                == 1
        }
        #expect(seen)
        // Both stores are asked in vain, and what is kept for one is kept for the other.
        for _ in 0..<3 {
            try rig.placed(1).look()
            #expect(try shown(at: 1) == nil)
        }
        #expect(try written() == [0, -1])
        try db.run("SET macrolog.placement = 'on'")
        try db.run("UPDATE account SET away = NULL WHERE space = 1")
        try db.flush()
        // It may be kept for either store, each of which writes once a minute.
        let isWritten = try eventually(within: 20_000, every: 200) {
            try rig.placed(1).look()
            pass()
            return try written() == [3, -1]
        }
        #expect(isWritten)
    }

    @Test func `a node that ends after the move writes it where the account is`() throws {
        try rig.move(1, to: "b")
        rig.nodes[1].server.close()
        #expect(try written() == [-1, 3])
    }

    @Test func `an account is not closed while a receipt of it is written`() throws {
        var db = try rig.open("a")
        try db.run("BEGIN")
        // Writes wait, locks of rows do not.
        try db.run("LOCK TABLE session IN SHARE MODE")
        try db.flush()
        pass()
        #expect(try waiting(1))
        let mover = Worker.start { #expect(throws: Never.self) { try rig.move(1, to: "b") } }
        #expect(try waiting(2))
        try db.run("COMMIT")
        try db.flush()
        mover.join()
        #expect(try written() == [-1, 3])
    }
}
