import Foundation
import MacrologPostgreSQL
import MacrologService
import MacrologSimulation
import MacrologSystem
import MacrologTestSupport
import Synchronization
import Testing

/// Goal: a client cannot tell which database a server keeps its logs in.
/// Method: worlds with every fault that leaves the server's file alone are played once; each request goes to a
/// server on SQLite, whose answer the device gets, and to one on PostgreSQL, whose answer must be the same, byte
/// for byte: tokens, seals, digests, pages, polls, photos and refusals.
@Suite(.serialized, .enabled(if: PostgreSQLServer.isThere, "\(PostgreSQLServer.tools.missing)"))
struct TwoStoresTests {
    private static let server = Result { try PostgreSQLServer(isDurable: false) }

    @Test func `both stores give the same answers`() throws {
        var struck = FaultCounts()
        for seed in Dice.seeds(3) {
            let server = try Self.server.get()
            let address = try PostgreSQLAddress(server.address(of: try server.newDatabase()))
            try ScratchFolder.lend { folder in
                let twin = try ServerTwin {
                    try PostgreSQLServerStore.open(
                        address, beside: "\(folder)/twin.db", secrets: ServerTwin.secrets,
                        newEpoch: 7, connections: 5, hasThreads: false, fatal: { fatalError($0) })
                }
                let world = try World(
                    seed: seed, people: 2, devicesEach: 3, faults: Self.faults, folder: folder,
                    twin: twin)
                try world.run(acts: 60)
                try world.converge()
                let problems = try world.check() + twin.differences
                #expect(problems == [], "seed \(seed)")
                #expect(twin.compared > 100, "seed \(seed): \(twin.compared)")
                struck.add(world.struck)
            }
        }
        let kinds: Set = [
            "lost after", "repeated", "server restart", "copied profile", "compacted",
        ]
        #expect(kinds.isSubset(of: struck.counts.keys), "\(struck.counts)")
    }

    @Test func `several stores, between which accounts move, give the same answers as one`() throws
    {
        let seed = Dice.seeds(1).lowerBound
        let server = try Self.server.get()
        var addresses: [String: PostgreSQLAddress] = [:]
        for name in ["a", "b"] {
            addresses[name] = try PostgreSQLAddress(
                server.address(of: try server.newDatabase()) + "&application_name=test")
        }
        let stores = addresses
        let moves = Mutex(Moves(dice: Dice(seed: seed)))
        try ScratchFolder.lend { folder in
            let open: @Sendable (String) throws -> (name: String, store: PostgreSQLServerStore) = {
                let address = try #require(stores[$0])
                let store = try PostgreSQLServerStore.open(
                    address, beside: "\(folder)/twin.db", secrets: ServerTwin.secrets,
                    newEpoch: 7, connections: 5, hasThreads: false, fatal: { fatalError($0) })
                return ($0, store)
            }
            for name in ["a", "b"] { try open(name).store.close() }
            _ = try JoinedStores([
                ("a", try #require(stores["a"])), ("b", try #require(stores["b"])),
            ])
            .join()
            let twin = try ServerTwin(between: { moves.withLock { $0.move(among: stores) } }) {
                try PlacedStore(
                    [try open("a"), try open("b")], newIn: "b", hasThreads: false)
            }
            let world = try World(
                seed: seed, people: 2, devicesEach: 3, faults: Self.faults, folder: folder,
                twin: twin)
            try world.run(acts: 60)
            try world.converge()
            let problems = try world.check() + twin.differences
            #expect(problems == [], "seed \(seed)")
            let (count, failures) = moves.withLock { ($0.count, $0.failures) }
            print("several stores: \(twin.compared) answers alike, \(count) moves")
            #expect(twin.compared > 100 && count > 20 && failures == [], "seed \(seed)")
        }
    }

    /// Moves accounts by chance.
    private struct Moves {
        var dice: Dice
        var count = 0
        var failures: [String] = []

        mutating func move(among stores: [String: PostgreSQLAddress]) {
            guard dice.percent(10) else { return }
            let move = AccountMove(dice.roll(1...2), among: stores, directory: "a", keys: [])
            do {
                if case .moved = try move.run(to: dice.percent(50) ? "a" : "b") { count += 1 }
            } catch AccountMoveError.unknownAccount {
                // It is not registered yet.
            } catch {
                failures.append("\(error)")
            }
        }
    }

    /// How many acts are played in all with a bad network.
    static let steps =
        ProcessInfo.processInfo.environment["MACROLOG_WORLD_STEPS"].flatMap { Int($0) } ?? 120

    @Test
    func `both stores give the same answers while connections break and statements end`()
        throws
    {
        let server = try Self.server.get()
        var struck: [String: Int] = [:]
        var (played, compared, ended) = (0, 0, 0)
        var seed = Dice.seeds(1).lowerBound
        while played < Self.steps {
            let database = try server.newDatabase()
            let proxy = FaultProxy(
                to: .socket(server.socket), content: .postgreSQL,
                plan: FaultProxy.plan(
                    seed: seed, percent: 90, kinds: [.cut], messages: 1_000))
            let address = try PostgreSQLAddress(
                "postgresql://postgres@127.0.0.1:\(proxy.port)/\(database)?sslmode=disable")
            try ScratchFolder.lend { folder in
                let twin = try ServerTwin {
                    // The first look at a database is not tried again: an operator does that.
                    var last: (any Error)?
                    for _ in 0..<20 {
                        do {
                            return try PostgreSQLServerStore.open(
                                address, beside: "\(folder)/twin.db",
                                secrets: ServerTwin.secrets, newEpoch: 7, connections: 5,
                                hasThreads: false, fatal: { fatalError($0) })
                        } catch { last = error }
                    }
                    throw last ?? CancellationError()
                }
                let world = try World(
                    seed: seed, people: 2, devicesEach: 2, faults: Self.faults, folder: folder,
                    twin: twin)
                let over = Over()
                let canceller = Worker.start { Self.cancelStatements(of: database, until: over) }
                defer {
                    over.value.store(true, ordering: .relaxed)
                    canceller.join()
                }
                try world.run(acts: 60)
                try world.converge()
                let problems = try world.check() + twin.differences
                #expect(problems == [], "seed \(seed)")
                compared += twin.compared
                ended += over.ended.load(ordering: .relaxed)
            }
            struck.merge(proxy.struck) { $0 + $1 }
            try server.query("DROP DATABASE \(database) WITH (FORCE)")
            (played, seed) = (played + 60, seed + 1)
        }
        print(
            "worlds on PostgreSQL: \(played) steps, \(compared) answers alike, faults \(struck), "
                + "\(ended) statements and commits ended")
        #expect(struck["cut", default: 0] > 0 && compared > 100)
    }

    private final class Over: Sendable {
        let value = Atomic<Bool>(false)
        let ended = Atomic<Int>(0)
    }

    /// Does to statements that write, and to commits, what a limit of time does.
    private static func cancelStatements(of database: String, until over: Over) {
        guard let server = try? server.get(),
            let address = try? PostgreSQLAddress(server.address()),
            var connection = try? PostgreSQLConnection.open(address)
        else { return }
        while !over.value.load(ordering: .relaxed) {
            let count = try? connection.first(
                """
                SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity
                WHERE datname = ? AND state = 'active' AND
                (query LIKE 'INSERT INTO event%' OR query LIKE 'UPDATE%' OR query = 'COMMIT')
                """, database
            ) { Int($0.int(0)) }
            over.ended.add(count ?? 0, ordering: .relaxed)
            // Leaves a real database some time between two rounds.
            SystemClock.sleep(milliseconds: 1)
        }
    }

    private static let faults: Faults = {
        var faults = Faults()
        faults.lostBefore = 10
        faults.lostAfter = 15
        faults.repeated = 15
        faults.late = 10
        faults.garbled = 10
        faults.liveKilled = 10
        faults.hintsSpoiled = 10
        faults.offline = 10
        faults.clockJump = 3
        faults.restart = 15
        faults.restore = 10
        faults.clone = 5
        faults.compact = 20
        faults.photoBroken = 15
        faults.asleep = 5
        faults.join = 8
        return faults
    }()
}
