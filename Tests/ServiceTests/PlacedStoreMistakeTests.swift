import MacrologCryptography
import MacrologEvents
import MacrologPostgreSQL
import MacrologService
import MacrologSystem
import MacrologTestSupport
import Testing

/// Goal: what an operator does wrong with several stores has an error of its own, and changes nothing.
/// Method: databases that are joined, moved between and served with wrong names, keys and versions, or without one of
/// them; the last one with the real program.
@Suite(.enabled(if: PostgreSQLServer.isThere, Comment(rawValue: PostgreSQLServer.tools.missing)))
struct PlacedStoreMistakeTests {
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
        // An empty database in the place of one that has accounts.
        let empty = try world.addStore("e", 1)
        try world.query("DELETE FROM store_part", "d")
        #expect(error([("a", "a"), ("d", empty)]) == .lacks("d", 1))
        #expect(throws: MarkedStore("d", .restoring(epoch: 21))) {
            _ = try world.join(named: [("a", "a"), ("d", empty)])
        }
        #expect(try world.join(["a", "d"]) == ["d"])
        // A directory that was put back from before is filled again.
        try world.query("DELETE FROM placement", "a")
        #expect(try world.join(["a", "b", "d"]) == [])
        #expect(try world.placement().store(of: 1) == "a")
        #expect(try world.placement().store(of: 9) == "d")
    }

    @Test func `stores that are not one service are refused, with what to do`() throws {
        let server = try ScratchDatabases.shared.get().server
        let files = ScratchFolder()
        var stores: [(name: String, address: PostgreSQLAddress)] = []
        for name in ["a", "b", "c"] {
            let address = server.address(of: try server.newDatabase()) + "&application_name=test"
            stores.append((name, try PostgreSQLAddress(address)))
        }
        func open(_ name: String, _ index: Int) throws -> (
            name: String, store: PostgreSQLServerStore
        ) {
            let store = try PostgreSQLServerStore.open(
                stores[index].address, beside: files.file("server.db"),
                secrets: TestServer.secrets, newEpoch: 7, connections: 5, hasThreads: false,
                fatal: { fatalError($0) })
            return (name, store)
        }
        func problem(_ names: [(String, Int)]) throws -> JoinError? {
            let open = try names.map { try open($0.0, $0.1) }
            defer { for store in open { store.store.close() } }
            do {
                _ = try PlacedStore(open, hasThreads: false)
                return nil
            } catch let error as JoinError { return error }
        }
        #expect(try problem([("a", 0), ("b", 1)]) == .notJoined("a"))
        try open("c", 2).store.close()
        _ = try JoinedStores(Array(stores[..<2])).join()
        _ = try JoinedStores([stores[2]]).join()
        #expect(try problem([("a", 0), ("b", 1)]) == nil)
        #expect(try problem([("b", 1), ("a", 0)]) == nil)
        #expect(try problem([("a", 0)]) == .notGiven("b"))
        #expect(try problem([("b", 1)]) == .directoryMissing)
        #expect(try problem([("a", 0), ("x", 1)]) == .otherName("x", known: "b"))
        #expect(try problem([("a", 0), ("c", 2)]) == .otherService("c"))
    }

    @Test func `sync-server serves several databases, and says what is missing`() throws {
        let database = try ScratchDatabases.shared.get().server
        let addresses = try (0..<2).map { _ in database.address(of: try database.newDatabase()) }
        let (folder, files) = (ScratchFolder(), ScratchFolder())
        // Makes secrets, and the tables.
        for address in addresses {
            let options = ["--store", address, "--store-files", files.path]
            try ServerProcess(in: folder, options: options).stop()
        }
        let stores = zip(["a", "b"], addresses)
        _ = try JoinedStores(
            stores.map { ($0.0, try PostgreSQLAddress($0.1 + "&application_name=test")) }
        ).join()
        let words = stores.flatMap { ["--store", "\($0.0)=\($0.1)"] }
        let server = try ServerProcess(
            in: folder,
            options: words + ["--place-new", "b", "--store-files", files.path, "--no-gateway"])
        let added = try server.run(["user", "add", "ana@example.org", "--data", server.data])
        #expect(added.status == 0, "\(added.text)")
        let places = try addresses.map {
            var db = try PostgreSQLConnection.open(PostgreSQLAddress($0))
            return try db.first("SELECT count(*) FROM account") { $0.int(0) }
        }
        #expect(places == [0, 1])
        server.stop()
        for (given, said) in [
            (["--store", addresses[0]], "the service has the database b, too"),
            (["--store", "a=\(addresses[0])"], "the service has the database b, too"),
            (["--store", addresses[0], "--store", addresses[1]], "each has a name"),
            (Array(words[..<2]) + words[..<2], "two --store have the name a"),
            (words + ["--place-new", "c"], "no --store has this name"),
        ] {
            let refused = try server.run(
                ["--data", server.data, "--listen", "127.0.0.1:0"] + given)
            #expect(refused.status == 64 && refused.text.contains(said), "\(refused.text)")
        }
    }
}
