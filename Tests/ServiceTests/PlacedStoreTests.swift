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

/// Goal: several stores are one service, and an account may move while its devices go on.
/// Method: two databases on one PostgreSQL, the second behind a proxy, and two nodes that know of each other only by
/// them. One node looks every second at what has moved; the other one never does, and believes the wrong store until that
/// one refuses.
@Suite(
    .serialized,
    .enabled(if: PostgreSQLServer.isThere, Comment(rawValue: PostgreSQLServer.tools.missing)))
struct PlacedStoreTests {
    /// A service on the stores a, which has the directory, and b.
    private final class Rig: Sendable {
        let nodes: [TestServer]
        let clock = ManualClock()
        /// Between the nodes and b.
        let proxy: FaultProxy
        private let addresses: [String: PostgreSQLAddress]

        /// - Parameter newIn: The store for new accounts, at each node.
        init(newIn: [String] = ["a", "a"]) throws {
            let server = try ScratchDatabases.shared.get().server
            var (addresses, databases): ([String: PostgreSQLAddress], [String: String]) = ([:], [:])
            for name in ["a", "b"] {
                let database = try server.newDatabase()
                databases[name] = database
                // Joining waits for no server to be connected, and one that was closed may be for a moment.
                addresses[name] = try PostgreSQLAddress(
                    server.address(of: database) + "&application_name=test")
            }
            self.addresses = addresses
            proxy = FaultProxy(to: .socket(server.socket), content: .postgreSQL)
            let b = try PostgreSQLAddress(
                "postgresql://postgres@127.0.0.1:\(proxy.port)/\(databases["b"] ?? "")?sslmode=disable"
            )
            let (files, clock) = (ScratchFolder(), clock)
            func open(_ name: String, _ address: PostgreSQLAddress, _ node: String) throws
                -> (name: String, store: PostgreSQLServerStore)
            {
                let store = try PostgreSQLServerStore.open(
                    address, beside: files.file("server.db"), node: node,
                    secrets: TestServer.secrets, newEpoch: name == "a" ? 7 : 8, connections: 8,
                    fatal: { fatalError($0) })
                return (name, store)
            }
            for (name, address) in addresses { try open(name, address, "first").store.close() }
            _ = try JoinedStores(addresses.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
                .join()
            nodes = try newIn.enumerated().map { number, newIn in
                let stores = [
                    try open("b", b, "\(number)"),
                    try open("a", try #require(addresses["a"]), "\(number)"),
                ]
                let store = try PlacedStore(stores, newIn: newIn, hasThreads: number == 0)
                return try TestServer(folder: files, clock: clock, store: store) {
                    $0.rates = .none
                }
            }
        }

        func placed(_ node: Int) throws -> PlacedStore {
            try #require(nodes[node].store as? PlacedStore)
        }

        @discardableResult
        func move(_ space: Space, to store: String) throws -> AccountMove.Outcome {
            try AccountMove(space, among: addresses, directory: "a", keys: []).run(to: store)
        }

        func open(_ store: String) throws -> PostgreSQLConnection {
            try PostgreSQLConnection.open(try #require(addresses[store]))
        }

        /// The number that a query finds in a store.
        func count(_ query: StaticString, in store: String) throws -> Int64 {
            var db = try open(store)
            return try db.first(query) { $0.int(0) } ?? 0
        }

        /// Has the nodes lose b, or find it again, and returns when they have noticed.
        func setDown(_ isDown: Bool) throws {
            proxy.refuse(isDown)
            if isDown { proxy.cutAll() }
            let isSeen = try eventually {
                for node in nodes.indices { try placed(node).look() }
                return try placed(1).answering.map(\.isUp) == [true, !isDown]
            }
            #expect(isSeen)
        }
    }

    // MARK: Moves

    private final class Over: Sendable { let value = Atomic<Bool>(false) }

    /// A device that pushes and pulls at both nodes, and gets new tokens now and then.
    private struct Player {
        var device: TestDevice
        var tokens: Tokens
        var dice: Dice
        var problems: Set<String> = []

        mutating func play(_ rig: Rig) {
            let node = rig.nodes[dice.below(2)]
            if dice.percent(15) {
                let answer = node.post(
                    "/v1/auth/refresh", ["refresh_token": .string(tokens.refresh)])
                if let new = try? Tokens(answer) {
                    tokens = new
                } else if answer.status != 503 {
                    problems.insert("refresh: \(answer.status)")
                }
                return
            }
            // Long logs take long to move.
            if device.seq < 200, device.waiting.count < 20 {
                device.record("meal \(device.id) \(device.seq)")
            }
            let answer = node.sync(device.request, token: tokens.access)
            guard answer.status != 503 else { return }
            do { _ = try device.fold(answer) } catch { problems.insert("\(error)") }
        }
    }

    /// How many moves are made while devices push and pull.
    private static let moves = 15

    @Test(arguments: Array(Dice.seeds(3)))
    func `devices at two nodes notice nothing of moves back and forth`(_ seed: UInt64) throws {
        let rig = try Rig()
        var players: [Player] = []
        for person in 1...3 {
            for number in 1...2 {
                let id = UInt64(person * 10 + number)
                players.append(
                    Player(
                        device: TestDevice(id),
                        tokens: try rig.nodes[0].login("person\(person)@example.org"),
                        dice: Dice(seed: seed &* 100 &+ id)))
            }
        }
        let over = Over()
        let moves = Mutex<(count: Int, failures: [String])>((0, []))
        let mover = Worker.start {
            var dice = Dice(seed: seed)
            for _ in 0..<100 where moves.withLock({ $0.count < Self.moves }) {
                let (space, store) = (dice.roll(1...3), dice.percent(50) ? "a" : "b")
                do {
                    let outcome = try rig.move(space, to: store)
                    if case .moved = outcome { moves.withLock { $0.count += 1 } }
                } catch {
                    moves.withLock { $0.failures.append("\(error)") }
                }
            }
            over.value.store(true, ordering: .relaxed)
        }
        let played = Mutex<[Player]>([])
        let workers = players.map { player in
            Worker.start {
                var player = player
                while !over.value.load(ordering: .relaxed) { player.play(rig) }
                played.withLock { $0.append(player) }
            }
        }
        for worker in workers + [mover] { worker.join() }
        let (count, failures) = moves.withLock { $0 }
        let events = played.withLock { $0.reduce(0) { $0 + $1.device.seq } }
        print("seed \(seed): \(count) moves, \(events) events")
        #expect(count == Self.moves && failures == [], "seed \(seed)")
        try check(played.withLock { $0 }, rig, seed)
    }

    /// Each account has one log, with each event of its devices once, at both nodes and in one store.
    private func check(_ played: [Player], _ rig: Rig, _ seed: UInt64) throws {
        for player in played { #expect(player.problems == [], "seed \(seed)") }
        let people = Dictionary(grouping: played) { $0.device.id.bytes[7] / 10 }
        #expect(people.count == 3)
        for players in people.values {
            var devices = players.map(\.device)
            for index in devices.indices {
                // What was refused while the account moved waits, and is sent again as it was.
                _ = try devices[index].fold(
                    rig.nodes[1].sync(devices[index].request, token: players[index].tokens.access))
                #expect(devices[index].waiting.isEmpty, "seed \(seed)")
            }
            let own = devices.flatMap { $0.own.map { SHA256.hash($0) } }
            for node in rig.nodes {
                var reader = TestDevice(99)
                let token = players[0].tokens.access
                repeat {
                    _ = try reader.fold(node.sync(reader.request, token: token))
                } while reader.cursor < own.count && reader.cursor > 0
                #expect(reader.log.count == own.count, "seed \(seed)")
                #expect(Set(reader.log) == Set(own), "seed \(seed)")
            }
        }
        let rows = try ["a", "b"].map { try rig.count("SELECT count(*) FROM account", in: $0) }
        #expect(rows.reduce(0, +) == 3, "seed \(seed)")
        let away = try ["a", "b"].map { try rig.count("SELECT count(away) FROM account", in: $0) }
        #expect(away == [0, 0], "seed \(seed)")
    }

    @Test func `a node that believes the wrong store answers like one that does not`() throws {
        let rig = try Rig()
        let tokens = try rig.nodes[0].login()
        var (first, second) = (TestDevice(1), TestDevice(2))
        func sync(_ device: inout TestDevice, at node: Int) throws {
            _ = try device.fold(rig.nodes[node].sync(device.request, token: tokens.access))
        }
        for (round, store) in ["b", "a", "b", "a"].enumerated() {
            // Both nodes have just found it.
            for node in 0...1 { try sync(&first, at: node) }
            #expect(try rig.move(1, to: store) != .wasThere)
            // The first request after the move is another change, a push, or nothing new.
            if round == 0 {
                let renamed = rig.nodes[1].send(
                    HTTPRequest(
                        method: "PUT", path: "/v1/devices/\(tokens.session)",
                        fields: [
                            HTTPField("Authorization", "Bearer \(tokens.access)"),
                            HTTPField("Content-Type", "application/json"),
                        ], body: Array(#"{"name":"tablet"}"#.utf8)))
                #expect(renamed.status == 204)
            }
            if round != 2 { first.record("meal \(round)") }
            try sync(&first, at: 1)
            try sync(&second, at: round % 2)
            #expect(second.cursor == first.cursor && second.digest == first.digest)
            #expect(first.waiting.isEmpty)
            #expect(first.epoch == 7)
            let other = store == "a" ? "b" : "a"
            #expect(try rig.count("SELECT count(*) FROM event", in: store) == first.cursor)
            #expect(try rig.count("SELECT count(*) FROM event", in: other) == 0)
        }
    }

    @Test func `what is closed is busy for its own people, and changes nowhere`() throws {
        let rig = try Rig()
        let (ana, ben) = (try rig.nodes[0].login(), try rig.nodes[0].login("ben@example.org"))
        var (first, second) = (TestDevice(1), TestDevice(2))
        _ = try first.fold(rig.nodes[1].sync(first.request, token: ana.access))
        var db = try rig.open("a")
        try db.run("UPDATE account SET away = 'b' WHERE space = 1")
        try db.flush()
        first.record("meal")
        for node in rig.nodes {
            let answer = node.sync(first.request, token: ana.access)
            #expect(answer.status == 503 && answer.field("retry-after") != nil)
            // A device must not end its session.
            let refreshed = node.post(
                "/v1/auth/refresh", ["refresh_token": .string(ana.refresh)])
            #expect(refreshed.status == 503)
            let login = node.post(
                "/v1/auth/login",
                [
                    "email": "ana@example.org", "password": .string(password), "device": "x",
                ])
            #expect(login.status == 503)
            second.record("meal")
            _ = try second.fold(node.sync(second.request, token: ben.access))
        }
        try db.run("SET macrolog.placement = 'on'")
        try db.run("UPDATE account SET away = NULL WHERE space = 1")
        try db.flush()
        _ = try first.fold(rig.nodes[1].sync(first.request, token: ana.access))
        #expect(first.cursor == 1 && first.waiting.isEmpty)
    }

    @Test func `a poll hears of a push in the store to which its account has moved`() throws {
        let rig = try Rig()
        let (phone, laptop) = (try rig.nodes[0].login(), try rig.nodes[1].login(device: "laptop"))
        let woken = Answered()
        rig.nodes[0].server.respond(
            to: HTTPRequest(
                method: "GET", path: "/v1/events", query: "after=0&wait=55",
                fields: [HTTPField("Authorization", "Bearer \(phone.access)")])
        ) { woken.set($0) }
        while rig.nodes[0].server.openChannels < 1 { _ = eventually(within: 1) { false } }
        try rig.move(1, to: "b")
        rig.nodes[0].server.tick()
        #expect(woken.peek == nil, "its session has not ended")
        var device = TestDevice(1)
        device.record("meal")
        _ = try device.fold(rig.nodes[1].sync(device.request, token: laptop.access))
        #expect(eventually { woken.peek != nil })
        #expect(woken.peek?.status == 200)
    }

    // MARK: Accounts, sessions and shares

    @Test func `an address has one account, at whatever node it is registered`() throws {
        let rig = try Rig(newIn: ["a", "b"])
        for round in 0..<6 {
            let credentials: JSON = [
                "email": .string("person\(round)@example.org"), "password": .string(password),
            ]
            let workers = rig.nodes.map { node in
                Worker.start {
                    #expect(node.post("/v1/auth/register", credentials).status == 202)
                }
            }
            for worker in workers { worker.join() }
            let accounts = try rig.nodes.map {
                try $0.login("person\(round)@example.org", device: "x").account
            }
            #expect(accounts[0] == accounts[1])
        }
        let counts = try ["a", "b"].map { try rig.count("SELECT count(*) FROM account", in: $0) }
        #expect(counts.reduce(0, +) == 6)
        let users = try rig.nodes[1].administer("user list")["users"]?.array ?? []
        #expect(users.count == 6)
        #expect(try rig.count("SELECT count(DISTINCT space) FROM placement", in: "a") == 6)
    }

    @Test func `an interrupted registration is completed, and a deleted account's address is free`()
        throws
    {
        let rig = try Rig(newIn: ["a", "b"])
        // The address is reserved, and here it ends.
        try rig.setDown(true)
        let interrupted = rig.nodes[1].post(
            "/v1/auth/register", ["email": "ana@example.org", "password": .string(password)])
        #expect(interrupted.status == 503)
        try rig.setDown(false)
        let first = try rig.nodes[0].login()
        #expect(try rig.count("SELECT space FROM account", in: "b") == 1)
        let gone = rig.nodes[1].post(
            "/v1/account/delete", ["password": .string(password)], token: first.access)
        #expect(gone.status == 204)
        let second = try rig.nodes[0].login()
        #expect(second.account != first.account)
        #expect(try rig.count("SELECT space FROM account", in: "a") == 2)
        // As if the address had not been freed: the next registration finds that out.
        var db = try rig.open("a")
        try db.run("UPDATE account SET deleted = 1, email_key = sha256('x')")
        try db.flush()
        let third = try rig.nodes[1].login()
        #expect(![first.account, second.account].contains(third.account))
        _ = try rig.nodes[0].administer("user delete", ["email": "ana@example.org"])
        let isForgotten = try eventually {
            try rig.count("SELECT count(*) FROM placement", in: "a") == 0
        }
        #expect(isForgotten)
        let left = try ["a", "b"].map { try rig.count("SELECT count(*) FROM account", in: $0) }
        #expect(left == [0, 0])
    }

    @Test func `an invitation that has led to no account can be used again`() throws {
        let rig = try Rig(newIn: ["a", "b"])
        let made = try rig.nodes[0].administer("invite create", ["uses": 1, "days": 7])
        let code = try #require(made["invitation"]?["code"]?.string)
        func register(at node: Int) -> Int {
            rig.nodes[node].post(
                "/v1/auth/register",
                [
                    "email": "ana@example.org", "password": .string(password),
                    "invitation": .string(code),
                ]
            ).status
        }
        try rig.setDown(true)
        #expect(register(at: 1) == 503)
        try rig.setDown(false)
        #expect(register(at: 1) == 202)
        #expect(try rig.nodes[0].store.invitations().map(\.used) == [1])
        _ = try rig.nodes[0].login()
    }

    @Test func `a share's token belongs to one account of all stores`() throws {
        let rig = try Rig(newIn: ["a", "b"])
        let (ana, ben) = (try rig.nodes[0].login(), try rig.nodes[1].login("ben@example.org"))
        let request = ShareTests().request()
        func share(_ tokens: Tokens, at node: Int) -> Int {
            rig.nodes[node].share(request, token: tokens.access).status
        }
        #expect(share(ben, at: 1) == 201)
        #expect(share(ana, at: 0) == 400)
        #expect(share(ben, at: 0) == 200)
        for store in ["a", "b"] {
            try rig.move(2, to: store)
            for node in rig.nodes { #expect(ShareTests().open(node).status == 200) }
        }
    }

    // MARK: A store that is down

    @Test func `a store that is down is away for its own accounts alone`() throws {
        let rig = try Rig(newIn: ["a", "b"])
        let (ana, ben) = (try rig.nodes[0].login(), try rig.nodes[1].login("ben@example.org"))
        var (first, second) = (TestDevice(1), TestDevice(2))
        try rig.setDown(true)
        let node = rig.nodes[1]
        first.record("meal")
        _ = try first.fold(node.sync(first.request, token: ana.access))
        _ = try node.login()
        let renewed = try Tokens(
            node.post("/v1/auth/refresh", ["refresh_token": .string(ana.refresh)]))
        #expect(node.call("GET", "/v1/devices", token: renewed.access).status == 200)
        second.record("meal")
        #expect(node.sync(second.request, token: ben.access).status == 503)
        // No one may believe that this token is unknown.
        let strange = node.post("/v1/auth/refresh", ["refresh_token": .string(ben.refresh)])
        #expect(strange.status == 503)
        #expect(node.send(HTTPRequest(method: "GET", path: "/ready", fields: [])).status == 200)
        #expect(try rig.placed(1).answering.map(\.isUp) == [true, false])
        #expect(throws: Administration.Refusal.self) { try node.administer("user list") }
        try rig.setDown(false)
        _ = try second.fold(node.sync(second.request, token: ben.access))
        let known = try Tokens(
            node.post("/v1/auth/refresh", ["refresh_token": .string(ben.refresh)]))
        #expect(known.session == ben.session)
        let unknown = node.post(
            "/v1/auth/refresh", ["refresh_token": .string(String(repeating: "A", count: 43))])
        #expect(unknown.status == 401)
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
