import MacrologPostgreSQL
import MacrologService
import MacrologSimulation
import MacrologTestSupport
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
