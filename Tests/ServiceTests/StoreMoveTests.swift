import CMacrologSQLite
import Foundation
import MacrologCryptography
import MacrologEvents
import MacrologJSON
import MacrologPostgreSQL
import MacrologSQLite
import MacrologService
import MacrologSystem
import MacrologTestSupport
import MacrologWire
import Synchronization
import Testing

/// Goal: a store that moves from SQLite to PostgreSQL and back is the same to the last byte, wherever the move was
/// interrupted, and at no time may both sides be served.
/// Method: a store with rows in every table; moves that are cut after some steps, by seed, and given again.
@Suite(.enabled(if: PostgreSQLServer.isThere, Comment(rawValue: PostgreSQLServer.tools.missing)))
struct StoreMoveTests {
    private let folder = ScratchFolder()
    private let keys = [DataKey([UInt8](repeating: 4, count: DataKey.byteCount))]
    private var path: String { folder.file("server.db") }

    /// A move was cut.
    private struct Cut: Error {}

    /// A store of two people, with something in every table.
    private func fill() throws -> Tokens {
        let server = try TestServer(folder: folder, keys: keys) { $0.rates = .none }
        let tokens = try server.fillTables(rounds: 4).first
        for uses in [1, 5] {
            _ = try server.administer("invite create", ["uses": .integer(Int64(uses)), "days": 7])
        }
        _ = try server.administer("invite revoke", ["number": 2])
        server.server.close()
        // What no request of one device brings about.
        let photo = [UInt8](repeating: 7, count: 1_000)
        let name = SHA256.hash(photo)
        let blobs = folder.file("server.db.blobs/1")
        try FileManager.default.createDirectory(
            atPath: blobs, withIntermediateDirectories: true)
        try Data(photo).write(to: URL(filePath: "\(blobs)/\(hexadecimal(name))"))
        var db = try Connection.open(path)
        try db.transaction { db throws(SQLiteError) in
            try db.run("INSERT INTO blob VALUES (1, ?, 1000, 3)", name)
            try db.run("INSERT INTO blob_mention VALUES (1, ?, ?, 0, 3)", name, 1 << 40 | 5)
            let id = [UInt8](repeating: 3, count: 16)
            try db.run(
                """
                INSERT INTO webhook (id, space, created, events, target, secret, last_failure)
                VALUES (?, 1, 3, 'test', x'', x'00', 'é')
                """, id)
            try db.run(
                "INSERT INTO webhook_message (id, webhook, created, body) VALUES (?, ?, 4, x'7B7D')",
                id, id)
            try db.run("INSERT INTO webhook_look (space, look, state) VALUES (1, 5, x'FF')")
        }
        _ = consume db
        // A start notes the digests of webhooks.
        try SQLiteServerStore.open(path, newEpoch: 1, keys: keys) { _ in }.close()
        return tokens
    }

    /// Every row of every table in a file, in order.
    private func dump(_ path: String) throws -> [String: [String]] {
        var (handle, tables): (OpaquePointer?, [String: [String]]) = (nil, [:])
        try #require(sqlite3_open_v2(path, &handle, SQLITE_OPEN_READONLY, nil) == SQLITE_OK)
        defer { sqlite3_close(handle) }
        func rows(_ sql: String) throws -> [String] {
            var (statement, rows): (OpaquePointer?, [String]) = (nil, [])
            try #require(
                sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK, "\(sql)")
            defer { sqlite3_finalize(statement) }
            while sqlite3_step(statement) == SQLITE_ROW {
                rows.append(sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? "")
            }
            return rows
        }
        let names = try rows(
            """
            SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
                AND name NOT IN ('migration', 'blob_history')
            """)
        for table in names + ["sqlite_sequence"] {
            let columns = try rows("SELECT name FROM pragma_table_info('\(table)')")
            let content = columns.map { "quote(\($0))" }.joined(separator: " || ',' || ")
            tables[table] = try rows("SELECT \(content) FROM \(table) ORDER BY 1")
        }
        return tables
    }

    /// Moves, cutting each attempt after some steps, until one comes through.
    private func move(
        _ from: StoreMove.Place, _ to: StoreMove.Place, _ blobs: (source: String, target: String),
        _ dice: inout Dice, whenCut: () throws -> Void
    ) throws -> StoreMove.Moved {
        // A move that continues has more than thirty steps itself.
        for attempt in 0... {
            let left = Mutex(dice.below(30 + 10 * attempt) + 1)
            let move = StoreMove(
                from: from, to: to, blobs: blobs, secrets: TestServer.secrets, keys: keys
            ) { _ in
                try left.withLock { left in
                    left -= 1
                    if left == 0 { throw Cut() }
                }
            }
            do { return try move.run() } catch is Cut { try whenCut() }
        }
        throw Cut()
    }

    @Test(arguments: Dice.seeds(3))
    func `a store that moves there and back is the same to the last byte`(seed: UInt64) throws {
        var dice = Dice(seed: seed)
        let tokens = try fill()
        let before = try dump(path)
        for (table, rows) in before { #expect(!rows.isEmpty, "\(table)") }
        let database = try ScratchDatabases.shared.get().server
        let address = try PostgreSQLAddress(
            database.address(of: try database.newDatabase())
                + "&application_name=test&connect_timeout=600")
        let (nodeFolder, backFolder) = (ScratchFolder(), ScratchFolder())
        let (node, back) = (nodeFolder.file("server.db"), backFolder.file("server.db"))
        var cuts = 0
        let there = try move(.file(path), .shared(address), (path, node), &dice) {
            cuts += 1
            // Before the source is checked nothing is there, and half of it is served by no one.
            guard try StoreMark.of(address) != nil else { return }
            #expect(throws: StoreMark.self, "seed \(seed)") { _ = try self.open(address, node) }
        }
        #expect(there.contents.events == 1_200 && there.contents.accounts == 2)
        #expect(there.contents.blobs == 1 && !there.isOld, "seed \(seed)")
        #expect(try dump(path) == before, "the source is as it was")
        #expect(try StoreMark.of(path) == .moved(to: address.summary))
        #expect(throws: SQLiteError.self) {
            _ = try SQLiteServerStore.open(self.path, newEpoch: 1, keys: self.keys) { _ in }
        }
        // A session of before, and a device that knows the log, go on.
        let store = try open(address, node)
        #expect(store.epoch == 7)
        let session = try #require(Identifier(tokens.session))
        #expect(try store.session(session) != nil)
        store.close()
        let again = try StoreMove(
            from: .file(path), to: .shared(address), blobs: (path, node),
            secrets: TestServer.secrets, keys: keys
        ) { _ in }.run()
        #expect(again.isOld && again.contents.digest == there.contents.digest)
        let home = try move(.shared(address), .file(back), (node, back), &dice) {
            cuts += 1
            guard Files.exists(back) else { return }
            #expect(throws: SQLiteError.self, "seed \(seed)") {
                _ = try SQLiteServerStore.open(back, newEpoch: 1, keys: self.keys) { _ in }
            }
        }
        #expect(home.contents.digest == there.contents.digest, "seed \(seed)")
        #expect(cuts > 2, "seed \(seed): nothing was cut")
        let after = try dump(back)
        for (table, rows) in before { #expect(after[table] == rows, "seed \(seed): \(table)") }
        #expect(throws: StoreMark.self) { _ = try self.open(address, node) }
        let returned = try SQLiteServerStore.open(back, newEpoch: 1, keys: keys) { _ in }
        #expect(returned.epoch == 7)
        returned.close()
        #expect(try ServerFile.check(back, keys: keys).problems.isEmpty, "seed \(seed)")
    }

    private func open(_ address: PostgreSQLAddress, _ path: String) throws -> PostgreSQLServerStore
    {
        try PostgreSQLServerStore.open(
            address, beside: path, secrets: TestServer.secrets, newEpoch: 1, keys: keys,
            connections: 5
        ) { _ in }
    }

    @Test func `every column of both databases moves`() throws {
        try TestServer(folder: folder).server.close()
        let left = [
            "server", "migration", "change_made", "blob_history", "lease", "attempt",
            "store_part",
            "placement", "placement_store",
        ]
        let moved = StoreMove.columns.flatMap { table, columns in
            columns.map { "\(table).\($0)" }
        }
        let database = try ScratchDatabases.shared.get().server
        let name = try database.newDatabase()
        let address = try PostgreSQLAddress(database.address(of: name))
        try open(address, path).close()
        let shared = try database.query(
            """
            SELECT table_name || '.' || column_name FROM information_schema.columns
            WHERE table_schema = 'public' AND (table_name, column_name)
                NOT IN (('account', 'away'), ('account', 'arrival'))
            """, in: name)
        let isMoved = { (column: String) in !left.contains { column.hasPrefix("\($0).") } }
        #expect(Set(shared.split(separator: "\n").map(String.init).filter(isMoved)) == Set(moved))
        var db = try Connection.open(path, mode: .readOnly)
        let own = try db.all(
            """
            SELECT t.name || '.' || c.name FROM sqlite_schema AS t, pragma_table_info(t.name) AS c
            WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'
            """
        ) { $0.text(0) }
        let digests = ["webhook", "webhook_message", "webhook_look"].map { "\($0).digest" }
        #expect(Set(own.filter(isMoved)) == Set(moved + digests))
    }

    @Test
    func `a change of a source that was served meanwhile is found, and the source can be served`()
        throws
    {
        _ = try fill()
        let database = try ScratchDatabases.shared.get().server
        let address = try PostgreSQLAddress(
            database.address(of: try database.newDatabase())
                + "&application_name=test&connect_timeout=600")
        let node = ScratchFolder()
        func move(_ note: @escaping @Sendable (String) throws -> Void) -> StoreMove {
            StoreMove(
                from: .file(path), to: .shared(address), blobs: (path, node.file("server.db")),
                secrets: TestServer.secrets, keys: keys, note: note)
        }
        #expect(throws: Cut.self) {
            _ = try move { if $0 == "photos" { throw Cut() } }.run()
        }
        let served = try TestServer(folder: folder, keys: keys) { $0.rates = .none }
        _ = try served.login("eve@example.org")
        _ = try served.administer("user disable", ["email": "ben@example.org"])
        served.server.close()
        let error = #expect(throws: StoreMoveError.self) { _ = try move { _ in }.run() }
        guard case .differs(let lines) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(lines.contains { $0.hasPrefix("account: ") }, "\(lines)")
        #expect(try StoreMark.of(path) == nil)
        try TestServer(folder: folder, keys: keys).server.close()
        #expect(throws: StoreMark.self) { _ = try self.open(address, node.file("server.db")) }
        let wrong = StoreMove(
            from: .file(path), to: .shared(address), blobs: nil, secrets: TestServer.secrets,
            keys: [DataKey([UInt8](repeating: 5, count: DataKey.byteCount))], note: { _ in })
        #expect(throws: StoreMoveError.self) { try wrong.startOver() }
        // It was not emptied.
        #expect(try move { _ in }.startOver())
        #expect(try move { _ in }.run().contents.accounts == 3)
        #expect(try !move { _ in }.startOver(), "what is complete is not emptied")
    }

    @Test func `a wrong key and a damaged source are refused on both ways, and leave no target`()
        throws
    {
        _ = try fill()
        let database = try ScratchDatabases.shared.get().server
        let (name, empty) = (try database.newDatabase(), try database.newDatabase())
        let (node, back) = (ScratchFolder(), ScratchFolder())
        let shared = try PostgreSQLAddress(
            database.address(of: name) + "&application_name=test&connect_timeout=600")
        let other = try PostgreSQLAddress(
            database.address(of: empty) + "&application_name=test&connect_timeout=600")
        func refusal(
            _ from: StoreMove.Place, _ to: StoreMove.Place, _ keys: [DataKey]
        ) -> StoreMoveError? {
            #expect(throws: StoreMoveError.self) {
                _ = try StoreMove(
                    from: from, to: to, blobs: nil, secrets: TestServer.secrets, keys: keys
                ) { _ in }
                .run { Issue.record("the target was begun") }
            }
        }
        let wrong = [DataKey([UInt8](repeating: 5, count: DataKey.byteCount))]
        let home = back.file("server.db")
        _ = try StoreMove(
            from: .file(path), to: .shared(shared), blobs: (path, node.file("server.db")),
            secrets: TestServer.secrets, keys: keys
        ) { _ in }.run()
        var db = try Connection.open(path)
        try db.run("DELETE FROM migration WHERE name LIKE 'moved to %'")
        let ways: [(from: StoreMove.Place, to: StoreMove.Place)] = [
            (.file(path), .shared(other)), (.shared(shared), .file(home)),
        ]
        for (from, to) in ways {
            guard case .key(.wrong) = refusal(from, to, wrong),
                case .key(.missing) = refusal(from, to, [])
            else {
                Issue.record("\(from)")
                continue
            }
        }
        // The digest of one event in each, past what guards it.
        try db.run("DROP TRIGGER event_refuses_update")
        try db.run(
            "UPDATE event SET digest = zeroblob(16) WHERE place = (SELECT min(place) FROM event)")
        try database.query(
            """
            ALTER TABLE event DISABLE TRIGGER USER;
            UPDATE event SET digest = decode(repeat('00', 16), 'hex')
            WHERE place = (SELECT min(place) FROM event);
            ALTER TABLE event ENABLE TRIGGER USER
            """, in: name)
        for (from, to) in ways {
            guard case .sourceIsDamaged(let lines) = refusal(from, to, keys), !lines.isEmpty else {
                Issue.record("\(from)")
                continue
            }
        }
        #expect(Files.names(in: back.path).isEmpty)
        #expect(
            try database.query(
                "SELECT count(*) FROM information_schema.tables WHERE table_schema = 'public'",
                in: empty) == "0")
    }

    @Test func `a source or a target of another version is refused before anything is copied`()
        throws
    {
        _ = try fill()
        let database = try ScratchDatabases.shared.get().server
        let name = try database.newDatabase()
        let address = try PostgreSQLAddress(
            database.address(of: name) + "&application_name=test&connect_timeout=600")
        func move(_ last: String = "") throws {
            _ = try StoreMove(
                from: .file(path), to: .shared(address), blobs: nil, secrets: TestServer.secrets,
                keys: keys
            ) { if $0 == last { throw Cut() } }.run()
        }
        func otherVersion() -> Bool? {
            let error = #expect(throws: StoreMoveError.self) { try move() }
            guard case .otherVersion(let isTarget) = error else { return nil }
            return isTarget
        }
        func change(_ sql: StaticString) throws {
            var db = try Connection.open(path)
            try db.run(sql)
        }
        try change("UPDATE migration SET name = 'later' WHERE name = 'server tokens'")
        #expect(otherVersion() == false)
        #expect(try database.query("SELECT to_regclass('account') IS NULL", in: name) == "t")
        try change("UPDATE migration SET name = 'server tokens' WHERE name = 'later'")
        #expect(throws: Cut.self) { try move("session") }
        try database.query("UPDATE migration SET name = 'earlier' WHERE number = 1", in: name)
        #expect(otherVersion() == true)
    }

    @Test func `a server that still runs on a database that was left can change nothing`() throws {
        _ = try fill()
        let database = try ScratchDatabases.shared.get().server
        let name = try database.newDatabase()
        let address = try PostgreSQLAddress(
            database.address(of: name) + "&application_name=test&connect_timeout=600")
        let (node, back) = (ScratchFolder(), ScratchFolder())
        func move(_ from: StoreMove.Place, _ to: StoreMove.Place) throws {
            _ = try StoreMove(
                from: from, to: to, blobs: nil, secrets: TestServer.secrets, keys: keys
            ) { _ in }
            .run()
        }
        try move(.file(path), .shared(address))
        let seen = try open(
            try PostgreSQLAddress(database.address(of: name)), node.file("server.db"))
        let error = #expect(throws: StoreMoveError.self) {
            try move(.shared(address), .file(back.file("server.db")))
        }
        guard case .serversRun = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        seen.close()
        // One that the database does not name, or that was away.
        let store = try open(address, node.file("server.db"))
        defer { store.close() }
        try move(.shared(address), .file(back.file("server.db")))
        let answered = Monitor<Result<Void, StoreError>?>(nil)
        store.checkWriting { result in
            answered.withLock { $0 = result }
            answered.wakeAll()
        }
        #expect(throws: StoreError.self) { try answered.wait { $0 }.get() }
        #expect(try database.query("SELECT epoch FROM server", in: name) == "7")
    }
}
