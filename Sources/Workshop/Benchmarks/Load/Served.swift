import MacrologCryptography
import MacrologEvents
import MacrologHTTP
import MacrologJSON
import MacrologPlatform
import MacrologPostgreSQL
import MacrologService
import MacrologSystem
import MacrologTestSupport
import Synchronization

/// Real server processes on one database, with people who have logged in: one on SQLite, or equal nodes on PostgreSQL.
///
/// The accounts are made in this process with a password hash that costs nothing; the nodes start afterwards.
final class Served {
    /// A PostgreSQL server with Debian's settings: each commit is flushed. Its cluster is empty, and has segments of the
    /// write-ahead log to reuse, like one that has been in use.
    final class Database {
        let server: PostgreSQLServer
        let name: String

        init() throws {
            server = try PostgreSQLServer(settings: ["shared_buffers": "128MB"])
            name = try server.newDatabase()
            // A new segment is filled with zeroes and flushed while all commits wait. The loads write 300 MB.
            for statement in [
                """
                CREATE TABLE filler AS
                SELECT n, repeat(sha256(int8send(n))::text, 4) FROM generate_series(1, 1000000) AS n
                """, "DROP TABLE filler", "CHECKPOINT",
            ] {
                _ = try query(statement)
            }
        }

        /// Adds accounts of others, so that statements are planned as for a database in use.
        func fill(accounts count: Int) throws {
            _ = try query(
                """
                INSERT INTO account (space, name, email_key, email, password, created)
                SELECT n, int8send(n), int8send(n), 'other', '', 0
                FROM generate_series(3000000, \(2_999_999 + count)) AS n
                """)
            _ = try query("VACUUM ANALYZE")
        }

        var address: String { server.address(of: name) }
        func query(_ sql: String) throws -> String { try server.query(sql, in: name) }
    }

    let nodes: [Running]
    /// The access tokens of each person's devices.
    let tokens: [[String]]
    /// `nil` on SQLite.
    let database: Database?
    private let folder: ScratchFolder
    private static let secrets = [UInt8](repeating: 7, count: Secrets.byteCount)

    /// - Parameters:
    ///   - database: What the nodes share; `nil` for one server on SQLite.
    ///   - folder: Where the data of the servers is.
    init(
        _ database: Database?, nodes count: Int, people: Int, devicesEach: Int = 1
    ) throws {
        let program = "\(Folder.ofProgram)/sync-server"
        guard Folder.size(program) > 0 else {
            throw BenchmarkError(
                description: "there is no sync-server beside this program (make build)")
        }
        let folder = ScratchFolder()
        self.folder = folder
        self.database = database
        let places = (0..<count).map { folder.file("node\($0)") }
        for place in places {
            mkdir(place, 0o700)
            try WholeFile.replace("\(place)/secrets.key", with: Self.secrets)
        }
        tokens = try Self.logIn(
            database, "\(places[0])/server.db", people: people, devicesEach: devicesEach)
        nodes = try places.enumerated().map { number, place in
            var words = [
                "--data", place, "--listen", "127.0.0.1:0", "--no-rate-limits", "--log-level",
                "error",
            ]
            if let database {
                words += ["--store", database.address, "--store-files", folder.path]
            }
            return try Running.start(program, words, output: folder.file("node\(number).out"))
        }
    }

    func stop() {
        for node in nodes { node.stop() }
        folder.remove()
    }

    /// Kept-alive connections, to each node in turn.
    func connections(_ count: Int, to chosen: [Int]? = nil) throws -> [LoadConnection] {
        let chosen = chosen ?? Array(nodes.indices)
        return try (0..<count).map {
            try LoadConnection(port: nodes[chosen[$0 % chosen.count]].port)
        }
    }

    /// Bytes of the events on the disk, with their indexes.
    func eventBytes() throws -> Int {
        guard let database else {
            return ["", "-wal"].reduce(0) { $0 + Folder.size(folder.file("node0/server.db\($1)")) }
        }
        return Int(try database.query("SELECT pg_total_relation_size('event')")) ?? 0
    }

    /// Processor time and memory of all nodes.
    var processorSeconds: Double { nodes.reduce(0) { $0 + ($1.processorSeconds ?? 0) } }
    var residentBytes: Int { nodes.reduce(0) { $0 + ($1.residentBytes ?? 0) } }

    private static func logIn(
        _ database: Database?, _ path: String, people: Int, devicesEach: Int
    ) throws -> [[String]] {
        let secrets = Secrets(secrets)
        let store: any ServerStore
        if let database {
            store = try PostgreSQLServerStore.open(
                PostgreSQLAddress(database.address), beside: path, secrets: secrets, newEpoch: 7,
                // The database was made for this run: without it there is nothing to measure.
                fatal: { fatalError($0) })
        } else {
            // A scratch file, which no one misses: without it there is nothing to measure.
            store = try SQLiteServerStore.open(path, newEpoch: 7) { fatalError($0) }
        }
        var settings = ServerSettings()
        settings.passwordCost = PasswordCost(operations: 1, memoryBytes: 8_192)
        settings.rates = .none
        let server = SyncServer(
            store: store, secrets: secrets, settings: settings,
            clock: { SystemClock.wallMilliseconds })
        defer { server.close() }
        let tokens = Mutex([[String]](repeating: [], count: people))
        let workers = (0..<workersCount).map { worker in
            Worker.start {
                for person in stride(from: worker, to: people, by: workersCount) {
                    let made = Self.devices(of: person, devicesEach, at: server)
                    tokens.withLock { $0[person] = made }
                }
            }
        }
        for worker in workers { worker.join() }
        let all = tokens.withLock { $0 }
        guard all.allSatisfy({ $0.count == devicesEach }) else {
            throw BenchmarkError(description: "not everyone could log in")
        }
        return all
    }

    private static let workersCount = 8

    private static func devices(
        of person: Int, _ count: Int, at server: SyncServer
    ) -> [String] {
        let account = [
            JSON.Member("email", .string("person\(person)@example.org")),
            JSON.Member("password", "a long walk by the quiet lake"),
        ]
        _ = answer(of: server, "/v1/auth/register", account)
        return (0..<count).compactMap { device in
            let body = answer(
                of: server, "/v1/auth/login",
                account + [JSON.Member("device", .string("d\(device)"))])
            return try? JSON.parse(body)["access_token"]?.string
        }
    }

    private static func answer(
        of server: SyncServer, _ path: String, _ members: [JSON.Member]
    ) -> [UInt8] {
        let answered = Monitor<HTTPResponse?>(nil)
        let body = JSON.object(members).compact
        server.respond(
            to: HTTPRequest(
                method: "POST", path: path,
                fields: [HTTPField("content-type", "application/json")], body: Array(body.utf8),
                peer: "127.0.0.1")
        ) { response in
            answered.withLock { $0 = response }
            answered.wakeAll()
        }
        return answered.wait { $0?.body }
    }
}
