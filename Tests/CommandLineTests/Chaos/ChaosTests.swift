import Foundation
import Testing

/// Goal: the programs as they are built keep every promise while they are killed, frozen, cut off,
/// copied and restored: what a program confirmed is there in the end, once, on
/// every device of its person.
/// Method: chaos first, then quiet; queues must empty and final reads must be equal, as in Jepsen.
/// To go on with other seeds: `MACROLOG_SEED_BASE=42 MACROLOG_SEEDS=1 swift test --filter Chaos`.
@Suite struct ChaosTests {
    @Test
    func `what a program confirmed survives whatever happens to it, the server and the network`()
        throws
    {
        let environment = ProcessInfo.processInfo.environment
        let base = environment["MACROLOG_SEED_BASE"].flatMap { UInt64($0) } ?? 1
        let count = environment["MACROLOG_SEEDS"].flatMap { UInt64($0) } ?? 2
        var struck: [String: Int] = [:]
        for seed in base..<base + count {
            let world = try ChaosWorld(seed: seed)
            try world.run(steps: 60)
            try world.settle()
            let problems = try world.problems()
            try #require(
                problems.isEmpty,
                """
                seed \(seed)
                \(problems.joined(separator: "\n"))
                \(world.story.joined(separator: "\n"))
                """)
            struck.merge(world.struck, uniquingKeysWith: +)
        }
        print("chaos: \(struck.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" })")
        guard environment["MACROLOG_SEEDS"] == nil else { return }
        let kinds: Set = [
            "lost before", "lost after", "doubled", "cut", "delayed", "stalled", "502",
            "captive portal", "partition", "server killed", "server frozen", "device killed",
            "two programs on one file", "files copied", "files put back", "hub backed up",
            "hub restored",
        ]
        #expect(kinds.subtracting(struck.keys).isEmpty, "a fault that never strikes proves nothing")
    }
}
