import MacrologCryptography
import MacrologEvents
import MacrologPostgreSQL
import MacrologService
import MacrologTestSupport
import Synchronization
import Testing

/// Three stores of one service: in the first one two accounts, one of them with rows in every table.
final class PlacedWorld: Sendable {
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
        let people = try server.fillTables(rounds: 1)
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
        return (people.first, people.second, people.device)
    }
}
