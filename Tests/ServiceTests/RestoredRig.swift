import MacrologCryptography
import MacrologEvents
import MacrologHTTP
import MacrologJSON
import MacrologPostgreSQL
import MacrologService
import MacrologTestSupport
import MacrologWire
import Synchronization
import Testing

/// A service on the stores a, which has the directory, and b, each of which can be copied and put back.
final class RestoredRig: Sendable {
    private let databases: PostgreSQLServer
    private let names: Mutex<[String: String]>
    let folder = ScratchFolder()
    let clock = ManualClock()

    init() throws {
        databases = try ScratchDatabases.shared.get().server
        names = Mutex([
            "a": try databases.newDatabase(), "b": try databases.newDatabase(),
        ])
        for (name, epoch) in [("a", UInt32(7)), ("b", 8)] { try open(name, epoch).close() }
        _ = try JoinedStores(stores()).join()
    }

    func stores() throws -> [(name: String, address: PostgreSQLAddress)] {
        try names.withLock { $0 }.sorted { $0.key < $1.key }.map { name, database in
            let address = databases.address(of: database) + "&application_name=test"
            return (name, try PostgreSQLAddress(address))
        }
    }

    private func open(_ store: String, _ epoch: UInt32 = 1) throws -> PostgreSQLServerStore {
        let address = try #require(try stores().first { $0.name == store }?.address)
        return try PostgreSQLServerStore.open(
            address, beside: folder.file("server.db"), secrets: TestServer.secrets,
            newEpoch: epoch, connections: 5, fatal: { fatalError($0) })
    }

    /// Runs a server on both stores.
    func serve<T>(newIn: String = "a", _ body: (TestServer) throws -> T) throws -> T {
        var open: [(name: String, store: PostgreSQLServerStore)] = []
        let store: PlacedStore
        do {
            for name in ["a", "b"] { open.append((name, try self.open(name))) }
            store = try PlacedStore(open, newIn: newIn, hasThreads: false)
        } catch {
            for (_, store) in open { store.close() }
            throw error
        }
        let server = try TestServer(folder: folder, clock: clock, store: store) {
            $0.rates = .none
        }
        defer { server.server.close() }
        return try body(server)
    }

    /// Copies a store as it is now. No server may run.
    func backup(_ store: String) throws -> String { try copy(database(store)) }

    /// Puts a copy in the place of a store.
    func putBack(_ backup: String, as store: String) throws {
        let copy = try copy(backup)
        names.withLock { $0[store] = copy }
    }

    private func database(_ store: String) -> String { names.withLock { $0[store] ?? store } }

    private func copy(_ database: String) throws -> String {
        let name = "\(database.prefix(13))_\(UInt32.random(in: 0...UInt32.max))"
        try databases.query("CREATE DATABASE \(name) TEMPLATE \(database)")
        return name
    }

    @discardableResult
    func query(_ sql: String, _ store: String) throws -> String {
        try databases.query(sql, in: database(store))
    }

    func move(
        _ space: Space, to store: String,
        _ note: @escaping @Sendable (AccountMove.Step) throws -> Void = { _ in }
    ) throws {
        let all = Dictionary(try stores().map { ($0, $1) }, uniquingKeysWith: { $1 })
        _ = try AccountMove(space, among: all, directory: "a", keys: [], note: note).run(to: store)
    }

    /// Brings stores back that were put back.
    @discardableResult
    func renew(
        _ restored: Set<String>, epoch: UInt32 = 20, ledger: String = "server.db",
        _ note: @escaping @Sendable (RestoredStores.Step) throws -> Void = { _ in }
    ) throws -> RestoredStores.Report {
        try RestoredStores(stores(), restored: restored, note: note).run(
            beside: folder.file("server.db"), epoch: epoch, endsSessions: false,
            deletions: DeletionLedger(of: folder.file(ledger)), now: clock.now)
    }

    /// The stores that serve the account of a number.
    func serving(_ space: Space) throws -> [String] {
        try ["a", "b"].filter { store in
            try query("SELECT count(*) FROM account WHERE space = \(space) AND away IS NULL", store)
                == "1"
        }
    }

    /// What is true of the stores after they were brought back, whatever has happened. A row of a deleted account may
    /// be on its way out.
    func check(_ what: Comment) throws {
        var spaces: [String] = []
        for store in ["a", "b"] {
            let here = try query(
                "SELECT space FROM account WHERE deleted IS NULL ORDER BY space", store)
            for space in here.split(separator: "\n").map(String.init) {
                let placed = try query("SELECT store FROM placement WHERE space = \(space)", "a")
                #expect(placed == store, "\(what): account \(space)")
                spaces.append(space)
            }
            #expect(
                try query(
                    """
                    SELECT count(*) FROM account WHERE away IS NOT NULL OR deleted IS NULL AND event_bytes <> (
                        SELECT coalesce(sum(length(body)), 0) FROM event WHERE event.space = account.space)
                    """, store) == "0", what)
        }
        #expect(Set(spaces).count == spaces.count, what)
    }
}

/// A person with one device, who holds everything that was ever acknowledged.
struct RestoredPerson {
    let email: String
    var device: TestDevice
    var tokens: Tokens?
    /// The log as it was sealed.
    var rows: [HealRequest.Row] = []
    /// The digest of the log up to each of them.
    private var digests: [PrefixDigest] = []
    /// How often the account was registered again because the server did not know it.
    var registrations = 0
    /// How often the device gave back what the server lacked, or began under another epoch.
    var recoveries = 0

    init(_ number: UInt64, email: String? = nil) {
        self.email = email ?? "person\(number)@example.org"
        device = TestDevice(number)
    }

    /// The number of the account.
    func space(_ rig: RestoredRig) throws -> Space {
        let found = try JoinedStores(rig.stores()).space(of: email, TestServer.secrets)
        return try #require(found, "\(email)")
    }

    /// `nil` if the server does not know the account.
    private func logIn(_ server: TestServer) throws -> Tokens? {
        let answer = server.post(
            "/v1/auth/login",
            ["email": .string(email), "password": .string(password), "device": "phone"])
        return answer.status == 401 ? nil : try Tokens(answer)
    }

    private func post(_ path: String, _ body: [UInt8], _ server: TestServer) -> HTTPResponse {
        server.send(
            HTTPRequest(
                method: "POST", path: path,
                fields: [
                    HTTPField("Authorization", "Bearer \(tokens?.access ?? "")"),
                    HTTPField("Content-Type", "application/cbor"),
                ], body: body))
    }

    /// Syncs until nothing waits, as an app would: logs in, registers again if need be, and recovers.
    mutating func sync(_ server: TestServer) throws {
        for _ in 0..<12 {
            if tokens == nil { tokens = try logIn(server) }
            guard let access = tokens?.access else {
                tokens = try server.login(email)
                registrations += 1
                continue
            }
            let answer = server.sync(device.request, token: access)
            switch answer.status {
            case 200:
                let folded = try device.fold(answer)
                for row in folded.rows {
                    switch row.content {
                    case .event(let body): keep(body, row.t)
                    case .own(let seq): keep(device.own[Int(seq.rawValue - 1)], row.t)
                    }
                }
                if device.waiting.isEmpty { return }
            case 401: tokens = nil
            case 409: try recover(server)
            default: throw Unexpected(response: "\(answer.status) \(problem(answer) ?? "")")
            }
        }
        throw Unexpected(response: "\(email) is not in sync")
    }

    /// Whether a device that has nothing gets the same log.
    func isRead(from server: TestServer) throws -> Bool {
        var reader = TestDevice(999)
        repeat {
            _ = try reader.fold(server.sync(reader.request, token: tokens?.access ?? ""))
        } while reader.cursor < device.cursor
        return reader.digest == device.digest
    }

    private mutating func keep(_ body: [UInt8], _ t: SealedTime) {
        rows.append(HealRequest.Row(t: t, body: body))
        var digest = digests.last ?? .empty
        digest.add(
            hash: body.withUnsafeBytes { SHA256.words($0) },
            seal: Seal(n: LogNumber(Int64(rows.count)), t: t))
        digests.append(digest)
    }

    /// Gives back the end of the log. Nothing else was recorded meanwhile, so what the server has is its beginning.
    private mutating func recover(_ server: TestServer) throws {
        let range = DigestRequest.Range(after: 0, through: 1, parts: 1)
        let found = try DigestAnswer.decoded(
            post("/v1/digest", DigestRequest(ranges: [range]).encoded(), server).body)
        var head = Int(found.head.rawValue)
        while head < rows.count {
            let part = rows[head...].prefix(400)
            let heal = HealRequest(
                after: Int64(head), rows: Array(part), digest: digests[part.endIndex - 1])
            let healed = try HealAnswer.decoded(post("/v1/heal", heal.encoded(), server).body)
            guard healed.digest == heal.digest else { throw Unexpected(response: "heal") }
            head = part.endIndex
        }
        device.epoch = found.epoch
        recoveries += 1
    }
}
