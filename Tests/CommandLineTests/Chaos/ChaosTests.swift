import MacrologTestSupport
import Testing

/// Goal: the programs as they are built keep every promise while they are killed, frozen, cut off,
/// copied and restored, and live by wrong clocks: what a program confirmed is there in the end, once, on
/// every device of its person.
/// Method: chaos first, then quiet; queues must empty and final reads must be equal, as in Jepsen.
/// Other seeds: `MACROLOG_TEST_SEED_BASE=42 MACROLOG_TEST_SEEDS=1 swift test --filter Chaos`; more of them:
/// `MACROLOG_TEST_CHAOS_SEEDS=50`.
@Suite struct ChaosTests {
    @Test
    func `what a program confirmed survives whatever happens to it, the server and the network`()
        throws
    {
        let seeds = Dice.seeds(Dice.number("MACROLOG_TEST_CHAOS_SEEDS") ?? 2)
        if FakeClock.program == nil { print("chaos without wrong clocks: \(FakeClock.missing)") }
        var struck: [String: Int] = [:]
        var steps = 0
        for seed in seeds {
            let world = try Self.play(seed)
            struck.merge(world.struck, uniquingKeysWith: +)
            steps += world.steps
        }
        let faults = struck.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }
        print("chaos: seeds \(seeds), \(steps) steps, \(faults.joined(separator: ", "))")
        guard Dice.number("MACROLOG_TEST_SEEDS") == nil else { return }
        var kinds: Set = [
            "lost before", "lost after", "doubled", "cut", "delayed", "stalled", "502",
            "captive portal", "partition", "server killed", "server frozen", "device killed",
            "device frozen", "two programs on one file", "files copied", "files put back",
            "server backed up", "server restored",
        ]
        if FakeClock.program != nil {
            kinds.formUnion(["clock ahead", "clock after", "clock put right"])
        }
        let missing = kinds.subtracting(struck.keys).sorted()
        #expect(missing.isEmpty, "a fault that never strikes proves nothing")
    }

    private static func play(_ seed: UInt64) throws -> ChaosWorld {
        let world = try ChaosWorld(seed: seed)
        try world.run(steps: 60)
        try world.converge()
        let problems = try world.problems()
        try #require(
            problems.isEmpty,
            """
            seed \(seed)
            \(problems.joined(separator: "\n"))
            \(world.story.joined(separator: "\n"))
            """)
        return world
    }
}
