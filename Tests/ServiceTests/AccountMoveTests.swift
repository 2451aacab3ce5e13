import Foundation
import MacrologCryptography
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

/// Goal: an account that moves to another store is the same to the last byte, wherever the move was interrupted and
/// whatever other move runs besides; at no time do two stores serve it; and who asks the old one changes nothing.
/// Method: three databases, one account with rows in every table and another one beside it; moves that are cut after
/// some steps, by seed, and then continued or undone; two at once; one that stands still while others go on.
@Suite(.enabled(if: PostgreSQLServer.isThere, Comment(rawValue: PostgreSQLServer.tools.missing)))
struct AccountMoveTests {
    /// A move was cut.
    private struct Cut: Error {}

    @Test(arguments: Dice.seeds(4))
    func `an account that moves there and back is the same to the last byte`(seed: UInt64) throws {
        var dice = Dice(seed: seed)
        let world = try PlacedWorld()
        let before = try world.dump(1, in: "a")
        let other = try world.dump(2, in: "a")
        for (table, rows) in before { #expect(!rows.isEmpty, "\(table)") }
        var (cuts, moves) = (0, 0)
        var isMoving: AccountMoveError?
        while moves < 6 {
            var target = dice.pick(["a", "b", "c"]) ?? "a"
            // One that is not finished can only be finished, or undone.
            if case .isMoving(let source, let other) = isMoving {
                target = dice.percent(50) ? source : other
            }
            isMoving = nil
            let left = Mutex(dice.below(30) + 1)
            do {
                let outcome = try world.move { _ in
                    try left.withLock { left in
                        left -= 1
                        if left == 0 { throw Cut() }
                    }
                }.run(to: target)
                if case .moved(_, let events, _) = outcome {
                    #expect(events == 300, "seed \(seed)")
                    moves += 1
                }
            } catch is Cut {
                cuts += 1
                #expect(try world.serving(1).count <= 1, "seed \(seed)")
            } catch let error as AccountMoveError {
                isMoving = error
            }
        }
        if case .isMoving(let source, _) = isMoving { _ = try world.move().run(to: source) }
        _ = try world.move().run(to: "b")
        #expect(try world.dump(1, in: "b") == before, "seed \(seed)")
        #expect(try world.move().rows() == ["b": nil], "seed \(seed)")
        for store in ["a", "c"] {
            let rest = try world.dump(1, in: store)
            for (table, rows) in rest { #expect(rows.isEmpty, "seed \(seed): \(store) \(table)") }
        }
        #expect(try world.dump(2, in: "a") == other, "seed \(seed): the account beside it")
        #expect(try world.placement().store(of: 1) == "b")
        #expect(try world.placement().store(of: 2) == "a")
        #expect(cuts > 1, "seed \(seed): nothing was cut")
    }

    @Test func `every table that belongs to accounts moves, and no row of another`() throws {
        let world = try PlacedWorld()
        let own = Set(try world.dump(1, in: "a").keys)
        // What belongs to none, or to the database.
        let left: Set = [
            "server", "migration", "change_made", "blob_history", "lease", "attempt", "invitation",
            "store_part", "placement", "placement_store",
        ]
        let all = try world.query(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'", "a")
        #expect(Set(all.split(separator: "\n").map(String.init)) == own.union(left))
    }

    @Test func `a store that an account has left, or is leaving, changes nothing of it`() throws {
        let world = try PlacedWorld()
        #expect(throws: Cut.self) {
            try world.move { if $0 == .closed(in: "a") { throw Cut() } }.run(to: "b")
        }
        let before = try world.dump(1, in: "a")
        for table in before.keys where !["event", "data_key"].contains(table) {
            let condition = PlacedWorld.condition(table, 1)
            let column =
                ["refresh": "session", "webhook_message": "webhook"][table] ?? "space"
            #expect(
                try world.refusal(
                    "UPDATE \(table) SET \(column) = \(column) WHERE \(condition)", "a"
                )
                .contains("another store serves this account"), "\(table)")
        }
        #expect(
            try world.refusal(
                "INSERT INTO session SELECT '\\x01', space, label, 1, 1 FROM session", "a"
            )
            .contains("another store"))
        // What a server is asked is answered later, and what it would have changed is as it was.
        let server = try world.server("a")
        var device = world.device
        device.record()
        #expect(server.sync(device.request, token: world.tokens.access).status == 503)
        let refresh = server.post(
            "/v1/auth/refresh", ["refresh_token": .string(world.tokens.refresh)])
        #expect(refresh.status == 503 && refresh.field("retry-after") != nil)
        #expect(
            server.post(
                "/v1/auth/login",
                ["email": "ana@example.org", "password": .string(password), "device": "new"]
            ).status == 503)
        var share = ShareRequest(token: SHA256.hash([2]))
        share.seconds = 86_400
        #expect(server.share(share, token: world.tokens.access).status == 503)
        // Another account of the same commit is served.
        var ben = TestDevice(2)
        ben.record()
        #expect(server.sync(ben.request, token: world.ben.access).status == 200)
        // Receipts of a session may be lost.
        for (table, rows) in try world.dump(1, in: "a") where table != "session" {
            #expect(rows == before[table], "\(table)")
        }
        // Without a placement no account is made.
        #expect(
            server.post(
                "/v1/auth/register",
                ["email": "eve@example.org", "password": .string(password)]
            ).status == 503)
        // Back, as if nothing had been.
        #expect(try world.move().run(to: "a") == .reopened(besides: "b"))
        _ = try device.fold(server.sync(device.request, token: world.tokens.access))
        #expect(
            server.post("/v1/auth/refresh", ["refresh_token": .string(world.tokens.refresh)])
                .status == 200)
        server.server.close()
    }

    @Test func `devices go on in the new store under the same epoch, with the same sessions`()
        throws
    {
        let world = try PlacedWorld()
        var device = world.device
        let old = try world.server("a")
        let head = try old.store.head(of: 1)
        old.server.close()
        _ = try world.move {
            guard $0 == .copied(table: "session") else { return }
            // What has been copied does not change in the old store.
            let refusal = try world.refusal("UPDATE session SET label = label WHERE space = 1", "a")
            #expect(refusal.contains("another store serves this account"))
        }.run(to: "b")
        let server = try world.server("b")
        #expect(server.store.epoch == 9)
        #expect(try server.store.head(of: 1) == head)
        #expect(head.epoch == 7)
        device.record()
        let answer = try device.fold(server.sync(device.request, token: world.tokens.access))
        #expect(answer.epoch == 7)
        #expect(
            server.post("/v1/auth/refresh", ["refresh_token": .string(world.tokens.refresh)])
                .status == 200)
        server.server.close()
    }

    @Test func `what is being exchanged when an account is closed is in the copy`() throws {
        let world = try PlacedWorld()
        var rotating = try PostgreSQLConnection.open(world.address("a"))
        let isClosed = Mutex(false)
        var mover: Worker?
        try rotating.transaction { db in
            // Takes the key lock of the account's row, as each change of a table beside it does.
            try db.run("UPDATE refresh SET used = 5")
            try db.flush()
            mover = Worker.start {
                _ = try? world.move {
                    if $0 == .closed(in: "a") { isClosed.withLock { $0 = true } }
                }.run(to: "b")
            }
            try eventually {
                try isClosed.withLock { $0 }
                    || world.query(
                        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
                        "a") == "1"
            }
            #expect(!isClosed.withLock { $0 })
        }
        mover?.join()
        #expect(try world.query("SELECT used FROM refresh", "b") == "5")
    }

    @Test(arguments: Dice.seeds(4)) func `two at once leave one account`(seed: UInt64) throws {
        let world = try PlacedWorld()
        let before = try world.dump(1, in: "a")
        let workers = (0..<2).map { number in
            Worker.start {
                var dice = Dice(seed: seed &* 2 &+ UInt64(number))
                for _ in 0..<4 {
                    let left = Mutex(dice.below(80))
                    let move = world.move { _ in
                        try left.withLock { left in
                            left -= 1
                            if left == 0 { throw Cut() }
                        }
                    }
                    _ = try? move.run(to: dice.percent(50) ? "a" : "b")
                }
            }
        }
        for worker in workers { worker.join() }
        for target in ["a", "b"] {
            do { _ = try world.move().run(to: target) } catch AccountMoveError.isMoving(
                let source, _)
            {
                _ = try world.move().run(to: source)
            }
        }
        _ = try world.move().run(to: "c")
        #expect(try world.dump(1, in: "c") == before, "seed \(seed)")
        #expect(try world.move().rows() == ["c": nil], "seed \(seed)")
        #expect(try world.placement().store(of: 1) == "c", "seed \(seed)")
    }

    @Test(arguments: [
        AccountMove.Step.held(in: "b"), .copied(table: "session"), .served(by: "b"),
        .placed(in: "b"), .removed(from: "a", isMore: false),
    ])
    func `one that stands still while others go on harms nothing`(step: AccountMove.Step) throws {
        let world = try PlacedWorld()
        let before = try world.dump(1, in: "a")
        let state = Monitor((stands: false, goesOn: false))
        let late = Worker.start {
            _ = try? world.move {
                guard $0 == step else { return }
                if state.withLock({ $0.goesOn }) { return }
                state.withLock { $0.stands = true }
                state.wakeAll()
                _ = state.wait { $0.goesOn ? true : nil }
            }.run(to: "b")
            state.withLock { $0.stands = true }
            state.wakeAll()
        }
        _ = state.wait { $0.stands ? true : nil }
        // The transaction in which it stands is over, as if it had stood still for long; its other connection works.
        let isRemoving = [.placed(in: "b"), .removed(from: "a", isMore: false)].contains(step)
        try world.endConnections(isRemoving ? "a" : "b")
        for target in ["b", "c", "b", "a"] { _ = try world.move().run(to: target) }
        // The last one leaves its old rows where the late one wanted to go.
        _ = try world.move().run(to: "b")
        #expect(throws: Cut.self) {
            try world.move { if $0 == .served(by: "a") { throw Cut() } }.run(to: "a")
        }
        state.withLock { $0.goesOn = true }
        state.wakeAll()
        late.join()
        #expect(try world.serving(1).count == 1)
        _ = try world.move().run(to: "c")
        #expect(try world.dump(1, in: "c") == before)
        #expect(try world.move().rows() == ["c": nil])
        #expect(try world.placement().store(of: 1) == "c")
    }

    @Test func `a copy that differs is not served, and the account stays where it was`() throws {
        let world = try PlacedWorld()
        let before = try world.dump(1, in: "a")
        try world.query(
            """
            CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS
            'BEGIN new.label := new.label || ''!''; RETURN new; END';
            CREATE TRIGGER spoil BEFORE INSERT ON session FOR EACH ROW EXECUTE FUNCTION spoil()
            """, "b")
        let error = #expect(throws: AccountMoveError.self) { try world.move().run(to: "b") }
        #expect(error == .differs(["session: the digest of its rows is another one"]))
        #expect(try world.move().rows() == ["a": nil])
        #expect(try world.dump(1, in: "a") == before)
        #expect(try world.query("SELECT count(*) FROM account", "b") == "0")
    }

    @Test func `what would make a copy useless is refused before the account is closed`() throws {
        let world = try PlacedWorld()
        func error(_ keys: [DataKey]? = nil, space: Space = 1, to target: String = "b")
            -> AccountMoveError?
        {
            #expect(throws: AccountMoveError.self) {
                _ = try world.move(space, keys: keys).run(to: target)
            }
        }
        #expect(error([]) == .key(.missing))
        #expect(error([DataKey([UInt8](repeating: 5, count: 32))]) == .key(.wrong))
        #expect(error(to: "d") == .unknownStore(["a", "b", "c"]))
        #expect(error(space: 7) == .unknownAccount)
        try world.query("UPDATE migration SET name = '+ later' WHERE number = 1", "b")
        #expect(error() == .otherVersion("b"))
        try world.query("UPDATE account SET deleted = 1 WHERE space = 2", "a")
        #expect(error(space: 2, to: "c") == .unknownAccount)
        try world.query("DELETE FROM placement WHERE space = 1", "a")
        #expect(error(to: "c") == .unplaced("a"))
        #expect(try world.move().rows() == ["a": nil])
    }

    @Test func `stores become one service once, and refuse what would be two`() throws {
        let world = try PlacedWorld()
        #expect(try world.join(["a", "b", "c"]) == [])
        func error(_ names: [(String, String)]) -> JoinError? {
            #expect(throws: JoinError.self) { _ = try world.join(named: names) }
        }
        #expect(error([("b", "a"), ("a", "b")]) == .otherName("b", known: "a"))
        #expect(error([("b", "b")]) == .directoryMissing)
        let other = try PlacedWorld()
        #expect(error([("a", "a"), ("x", other.database("b"))]) == .otherName("x", known: "b"))
        let fresh = try world.addStore("d", 0)
        #expect(try world.join(["a", "b", "c", "d"]) == ["d"])
        #expect(try world.placement().stores() == ["a", "b", "c", "d"])
        // Its accounts have the numbers of others.
        try world.query("DELETE FROM store_part", "d")
        try world.query("DELETE FROM placement_store WHERE name = 'd'", "a")
        try world.query(
            """
            INSERT INTO account (space, name, email_key, email, password, created)
            VALUES (1, 'x', 'x', 'x', '', 0), (9, 'y', 'y', 'y', '', 0)
            """, "d")
        #expect(error([("a", "a"), ("d", fresh)]) == .collides("d", 1))
        try world.query("DELETE FROM account WHERE space = 1", "d")
        #expect(try world.join(["a", "d"]) == ["d"])
        #expect(try world.placement().store(of: 9) == "d")
        #expect(try world.query("SELECT last_space FROM server", "a") == "9")
        // A directory that was put back from before is filled again.
        try world.query("DELETE FROM placement", "a")
        #expect(try world.join(["a", "b", "d"]) == [])
        #expect(try world.placement().store(of: 1) == "a")
        #expect(try world.placement().store(of: 9) == "d")
    }

    @Test func `an address has one account, from whatever node it is asked for`() throws {
        let placement = try PlacedWorld().placement()
        let key = [UInt8](repeating: 3, count: 32)
        let first = try #require(try placement.reserve(emailKey: key, in: "b"))
        let second = try #require(try placement.reserve(emailKey: key, in: "c"))
        #expect(first == (3, "b", true) && second == (3, "b", false))
        #expect(try placement.find(emailKey: key).map { $0 == (3, "b") } == true)
        try placement.release(3)
        #expect(try placement.find(emailKey: key) == nil)
        #expect(try placement.reserve(emailKey: key, in: "c").map { $0 == (4, "c", true) } == true)
        let moves = try placement.moves()
        try placement.place(4, in: "a")
        #expect(try placement.moved(after: moves).map(\.space) == [4])
        try placement.forget(4)
        #expect(try placement.store(of: 4) == nil)
    }
}

/// Three stores of one service: in the first one two accounts, one of them with rows in every table.
private final class PlacedWorld: Sendable {
    static let keys = [DataKey([UInt8](repeating: 4, count: DataKey.byteCount))]

    private let databases: PostgreSQLServer
    private let names: Mutex<[String: String]>
    private let folder = ScratchFolder()
    let tokens, ben: Tokens
    /// A device that has all events of the first account.
    let device: TestDevice

    init() throws {
        let databases = try ScratchDatabases.shared.get().server
        self.databases = databases
        names = Mutex([:])
        var names: [String: String] = [:]
        for store in ["a", "b", "c"] { names[store] = try databases.newDatabase() }
        (tokens, ben, device) = try Self.fill(databases, names["a"] ?? "", folder)
        self.names.withLock { [names] in $0 = names }
        for (index, store) in ["b", "c"].enumerated() { try makeTables(store, UInt32(9 + index)) }
        _ = try join(["a", "b", "c"])
    }

    private static func address(_ databases: PostgreSQLServer, _ name: String) throws
        -> PostgreSQLAddress
    {
        try PostgreSQLAddress(
            databases.address(of: name) + "&application_name=test&connect_timeout=600")
    }

    func database(_ store: String) -> String { names.withLock { $0[store] ?? store } }
    func address(_ store: String) throws -> PostgreSQLAddress {
        try Self.address(databases, database(store))
    }

    private static func open(
        _ address: PostgreSQLAddress, _ folder: ScratchFolder, _ epoch: UInt32
    ) throws -> PostgreSQLServerStore {
        try PostgreSQLServerStore.open(
            address, beside: folder.file("server.db"), secrets: TestServer.secrets,
            newEpoch: epoch, keys: keys, connections: 5
        ) { _ in }
    }

    private func makeTables(_ store: String, _ epoch: UInt32) throws {
        try Self.open(address(store), folder, epoch).close()
    }

    /// Adds a store that is not joined.
    func addStore(_ store: String, _ number: UInt32) throws -> String {
        let name = try databases.newDatabase()
        names.withLock { $0[store] = name }
        try makeTables(store, 20 + number)
        return name
    }

    func join(_ stores: [String]) throws -> [String] { try join(named: stores.map { ($0, $0) }) }

    /// Joins databases under other names.
    func join(named stores: [(String, String)]) throws -> [String] {
        try JoinedStores(stores.map { ($0.0, try address($0.1)) }).join()
    }

    func move(
        _ space: Space = 1, keys: [DataKey]? = nil,
        _ note: @escaping @Sendable (AccountMove.Step) throws -> Void = { _ in }
    ) -> AccountMove {
        let stores = names.withLock { $0 }.compactMapValues { try? Self.address(databases, $0) }
        return AccountMove(
            space, among: stores, directory: "a", keys: keys ?? Self.keys, note: note)
    }

    /// The directory, over connections that stay open as long as the test.
    func placement() throws -> Placement { Placement(try Self.open(address("a"), folder, 1)) }

    func server(_ store: String) throws -> TestServer {
        try TestServer(folder: folder, store: Self.open(address(store), folder, 1)) {
            $0.rates = .none
        }
    }

    @discardableResult func query(_ sql: String, _ store: String) throws -> String {
        try databases.query(sql, in: database(store))
    }

    /// What the database says to a statement.
    func refusal(_ sql: String, _ store: String) throws -> String {
        let error = #expect(throws: UnpackedProcess.Failed.self, "\(sql)") { try query(sql, store) }
        return error.map { "\($0)" } ?? ""
    }

    /// Ends all connections to a store.
    func endConnections(_ store: String) throws {
        try query(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database() AND application_name = 'test'
            """, store)
    }

    /// The stores that serve an account.
    func serving(_ space: Space) throws -> [String] {
        try names.withLock { $0 }.keys.filter { store in
            try query(
                "SELECT count(*) FROM account WHERE space = \(space) AND away IS NULL", store)
                == "1"
        }
    }

    /// Which rows of a table belong to an account.
    static func condition(_ table: String, _ space: Space) -> String {
        switch table {
        case "refresh": "session IN (SELECT id FROM session WHERE space = \(space))"
        case "webhook_message": "webhook IN (SELECT id FROM webhook WHERE space = \(space))"
        default: "space = \(space)"
        }
    }

    /// Every row of an account in a store, by table, but for what each store counts or notes itself.
    func dump(_ space: Space, in store: String) throws -> [String: String] {
        let tables = try query(
            """
            SELECT table_name FROM information_schema.columns WHERE table_schema = 'public'
            AND column_name = 'space' AND table_name <> 'placement'
            """, store
        ).split(separator: "\n").map(String.init)
        var rows: [String: String] = [:]
        for table in tables + ["refresh", "webhook_message"] {
            let own = ["account": " - 'away' - 'arrival' - 'epoch'", "audit": " - 'place'"][table]
            let row = "(to_jsonb(t)\(own ?? ""))::text"
            rows[table] = try query(
                """
                SELECT coalesce(string_agg(\(row), E'\\n' ORDER BY \(row)), '') FROM \(table) AS t
                WHERE \(Self.condition(table, space))
                """, store)
        }
        return rows
    }

    /// Two people, one of them with something in every table.
    private static func fill(
        _ databases: PostgreSQLServer, _ name: String, _ folder: ScratchFolder
    ) throws -> (Tokens, Tokens, TestDevice) {
        let store = try open(address(databases, name), folder, 7)
        let server = try TestServer(folder: folder, store: store) { $0.rates = .none }
        let (tokens, ben) = (try server.login(), try server.login("ben@example.org"))
        _ = try server.beginSecondFactor(token: tokens.access)
        _ = try server.administer("user reset-code", ["email": "ana@example.org"])
        var device = TestDevice(1)
        for number in 0..<300 { device.record("meal \(number)") }
        _ = try device.fold(server.sync(device.request, token: tokens.access))
        var request = ShareRequest(token: SHA256.hash([1]))
        request.seconds = 86_400
        #expect(server.share(request, token: tokens.access).status < 300)
        server.store.countAnalysis(of: 1, atMost: 9, now: 5) { _ in }
        server.server.close()
        try databases.query(
            """
            INSERT INTO blob VALUES (1, sha256('x'), 1000, 3);
            INSERT INTO blob_mention VALUES (1, sha256('x'), (1::bigint << 40) + 5, 0, 3);
            INSERT INTO webhook (id, space, created, events, target, secret, last_failure)
            VALUES ('0123456789abcdef', 1, 3, 'test', '', '\\x00', 'é');
            INSERT INTO webhook_message (id, webhook, created, body)
            VALUES ('0123456789abcdef', '0123456789abcdef', 4, '{}');
            INSERT INTO webhook_look (space, look, state) VALUES (1, 5, '\\xff')
            """, in: name)
        return (tokens, ben, device)
    }
}
