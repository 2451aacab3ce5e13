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
    // MARK: Moves

    private final class Over: Sendable { let value = Atomic<Bool>(false) }

    /// A device that pushes and pulls at both nodes, and gets new tokens now and then.
    private struct Player {
        var device: TestDevice
        var tokens: Tokens
        var dice: Dice
        var problems: Set<String> = []

        mutating func play(_ rig: PlacedRig) {
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
        let rig = try PlacedRig()
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
        #expect(failures == [], "seed \(seed)")
        #expect(count == Self.moves, "seed \(seed)")
        try check(played.withLock { $0 }, rig, seed)
    }

    /// Each account has one log, with each event of its devices once, at both nodes and in one store.
    private func check(_ played: [Player], _ rig: PlacedRig, _ seed: UInt64) throws {
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
        let rig = try PlacedRig()
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
        let rig = try PlacedRig()
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
        let rig = try PlacedRig()
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
        let rig = try PlacedRig(newIn: ["a", "b"])
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
        let rig = try PlacedRig(newIn: ["a", "b"])
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
        let rig = try PlacedRig(newIn: ["a", "b"])
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
        let rig = try PlacedRig(newIn: ["a", "b"])
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
        let rig = try PlacedRig(newIn: ["a", "b"])
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
}
