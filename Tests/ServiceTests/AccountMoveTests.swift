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

    @Test func `an address has one account, from whatever node it is asked for`() throws {
        let placement = try PlacedWorld().placement()
        let key = [UInt8](repeating: 3, count: 32)
        func reserve(_ store: String) throws -> Placement.Reservation {
            try placement.reserve(emailKey: key, in: store, invitation: nil, now: 0)
        }
        #expect(try reserve("b") == .place(3, in: "b"))
        #expect(try reserve("c") == .place(3, in: "b"))
        #expect(try placement.find(emailKey: key).map { $0 == (3, "b") } == true)
        try placement.release(3)
        #expect(try placement.find(emailKey: key) == nil)
        #expect(try reserve("c") == .place(4, in: "c"))
        try placement.forget(4)
        #expect(try placement.store(of: 4) == nil)
    }
}
