import Foundation
import MacrologSimulation
import MacrologTestSupport
import Testing

/// Goal: whatever the network, the clocks and the power do, devices that can talk in the end know
/// the same, nothing that was recorded is lost, and no one sees another person's log.
/// Method: one seed decides every act, fault and delay; then the faults stop, and within the
/// promised time everything must be equal.
/// To replay one failure: `MACROLOG_TEST_SEED_BASE=42 MACROLOG_TEST_SEEDS=1 swift test --filter Simulation`.
@Suite(.serialized) struct SimulationConvergenceTests {
    static let seeds = Dice.seeds(3)

    @Test(arguments: [(1, 2), (2, 2), (1, 5)])
    func `all devices of a person end with one log and one state`(
        people: Int, devicesEach: Int
    ) throws {
        for seed in Self.seeds {
            let problems = try Self.play(seed: seed, people: people, devicesEach: devicesEach)
                .problems
            try #require(problems.isEmpty, "seed \(seed)\n\(problems.joined(separator: "\n"))")
        }
    }

    /// Mixes of faults, and how many seeds are played with each.
    private static let mixes: [(seeds: UInt64, faults: Faults)] = [
        mix(of: 12) { faults in
            faults.lostBefore = 15
            faults.lostAfter = 15
            faults.repeated = 15
            faults.garbled = 15
            faults.liveKilled = 15
            faults.hintsSpoiled = 15
            faults.offline = 10
            faults.clockJump = 5
            faults.restart = 10
            faults.restore = 15
            faults.clone = 5
            faults.serverRestore = 4
            faults.compact = 40
            faults.photoBroken = 15
            faults.asleep = 5
            faults.join = 10
        },
        // What has been given up comes back to a restored server, and from there to every device.
        mix(of: 9) { faults in
            faults.serverRestore = 25
            faults.compact = 60
            faults.join = 15
            faults.restore = 20
        },
        mix(of: 4) { $0.powerLoss = 20 },
        // Apart from the others: what is damaged here and lost there no one has.
        mix(of: 4) { faults in
            faults.flippedBit = 10
            faults.deletedRow = 10
            faults.editedProjection = 10
        },
    ]

    private static func mix(
        of seeds: UInt64, _ change: (inout Faults) -> Void
    ) -> (seeds: UInt64, faults: Faults) {
        var faults = Faults()
        change(&faults)
        return (seeds, faults)
    }

    @Test func `every kind of fault strikes, or it would prove nothing`() throws {
        var struck = FaultCounts()
        for (seeds, faults) in Self.mixes {
            for seed in 1...seeds {
                let (problems, counts) = try Self.play(
                    seed: seed, people: 1, devicesEach: 3, faults: faults)
                #expect(problems.isEmpty, "seed \(seed)\n\(problems.joined(separator: "\n"))")
                struck.add(counts)
            }
        }
        let kinds: Set = [
            "lost before", "lost after", "repeated", "garbled", "offline", "clock jump",
            "device restart", "server restart", "live channel killed", "hint spoiled",
            "restored whole", "restored without instance",
            "restored database", "copied profile", "cloned machine",
            "server restored", "recovery", "compacted", "skeletons came", "photo broken off",
            "asleep", "flipped bit", "deleted row", "edited projection",
            "joined late", "power loss", "server power loss",
        ]
        #expect(kinds.isSubset(of: struck.counts.keys), "\(struck.counts)")
    }

    /// Devices that would ask by themselves only once a day.
    @Test(arguments: [false, true])
    func `the live channel alone brings everything within seconds, and nothing hangs on it`(
        isKilled: Bool
    ) throws {
        for seed in 1...UInt64(8) {
            var faults = Faults()
            faults.liveKilled = isKilled ? 100 : 0
            try ScratchFolder.lend { folder in
                let world = try World(
                    seed: seed, people: 2, devicesEach: 3, faults: faults,
                    restMilliseconds: 86_400_000, folder: folder)
                try world.run(acts: 30)
                try world.wait(milliseconds: 3_000)
                let problems = try world.check()
                // Without it they differ: so it was the channel that brought everything.
                #expect(problems.isEmpty == !isKilled, "seed \(seed)")
                try world.wait(milliseconds: 2 * 86_400_000)
                #expect(try world.check().isEmpty, "seed \(seed)")
            }
        }
    }

    @Test func `restored and copied devices lose nothing, double nothing and rotate their IDs`()
        throws
    {
        for seed in Self.seeds {
            var faults = Faults()
            faults.restore = 25
            faults.clone = 6
            faults.lostAfter = 20
            faults.repeated = 15
            faults.offline = 15
            faults.restart = 5
            let problems = try Self.play(seed: seed, people: 1, devicesEach: 2, faults: faults)
                .problems
            try #require(problems.isEmpty, "seed \(seed)\n\(problems.joined(separator: "\n"))")
        }
    }

    @Test func `a server that was restored gets back what any device still holds`() throws {
        for seed in Self.seeds {
            var faults = Faults()
            faults.serverRestore = 12
            // Otherwise each author would be there to reissue what is its own.
            faults.restore = 12
            faults.lostAfter = 10
            faults.repeated = 10
            faults.offline = 15
            let problems = try Self.play(seed: seed, people: 2, devicesEach: 3, faults: faults)
                .problems
            try #require(problems.isEmpty, "seed \(seed)\n\(problems.joined(separator: "\n"))")
        }
    }

    @Test func `whichever device compacts, whenever, all end with one state`() throws {
        for seed in Self.seeds {
            var faults = Faults()
            faults.compact = 40
            faults.offline = 20
            faults.lostAfter = 10
            faults.restore = seed % 3 == 1 ? 12 : 0
            faults.clone = seed % 3 == 1 ? 4 : 0
            faults.serverRestore = seed % 3 == 2 ? 20 : 0
            let problems = try Self.play(
                seed: seed, people: 1, devicesEach: 3, with: faults, acts: 80, joins: true
            ).problems
            try #require(problems.isEmpty, "seed \(seed)\n\(problems.joined(separator: "\n"))")
        }
    }

    @Test func `every photo that a meal names can be fetched by every device`() throws {
        var counts = PhotoCounts()
        for seed in Self.seeds {
            try ScratchFolder.lend { folder in
                var faults = Faults()
                faults.photoBroken = 30
                faults.lostBefore = 10
                faults.lostAfter = 10
                faults.garbled = 10
                faults.offline = 15
                faults.serverRestore = seed % 2 == 0 ? 8 : 0
                faults.restore = seed % 3 == 0 ? 10 : 0
                faults.asleep = 10
                let world = try World(
                    seed: seed, people: 1, devicesEach: 3, faults: faults, folder: folder)
                try world.run(acts: 120)
                try world.converge()
                let problems = try world.check()
                counts.add(world.photos)
                try #require(
                    problems.isEmpty,
                    "seed \(seed)\n\((problems + world.story.suffix(40)).joined(separator: "\n"))")
            }
        }
        // Few worlds delete a photo that nothing names.
        guard Self.seeds.count >= 20 else { return }
        #expect(counts.sent > 10 && counts.fetched > 10 && counts.collected > 0, "\(counts)")
    }

    @Test func `what disks do is found: what was sealed is put right, what waits is set aside`()
        throws
    {
        for seed in Self.seeds {
            var faults = Faults()
            faults.flippedBit = seed % 2 == 0 ? 25 : 8
            faults.deletedRow = 8
            faults.editedProjection = 8
            faults.lostBefore = 5
            faults.lostAfter = 5
            faults.late = 5
            faults.offline = 10
            faults.restart = 5
            let problems = try Self.play(seed: seed, people: 1, devicesEach: 3, faults: faults)
                .problems
            try #require(problems.isEmpty, "seed \(seed)\n\(problems.joined(separator: "\n"))")
        }
    }

    @Test func `a device that joins late ends with the log`() throws {
        var struck = FaultCounts()
        for seed in Self.seeds {
            var faults = Faults()
            faults.join = 12
            faults.lostBefore = seed % 4 < 2 ? 40 : 5
            faults.repeated = 5
            faults.garbled = seed % 3 == 0 ? 20 : 0
            faults.offline = 10
            faults.restart = 5
            let (problems, _, counts) = try Self.play(
                seed: seed, people: 1, devicesEach: 2, with: faults, acts: 120)
            try #require(problems.isEmpty, "seed \(seed)\n\(problems.joined(separator: "\n"))")
            struck.add(counts)
        }
        #expect(
            Self.seeds.count < 40 || struck.counts.keys.contains("joined late"),
            "\(struck.counts)")
    }

    @Test func `a device that joins late is not misled by servers and files that are put back`()
        throws
    {
        for seed in Self.seeds {
            var faults = Faults()
            faults.join = 12
            // So that much happens while the log is on its way.
            faults.lostBefore = seed % 2 == 0 ? 40 : 0
            faults.serverRestore = 12
            faults.restore = 12
            faults.clone = 3
            faults.compact = seed % 3 == 0 ? 30 : 0
            faults.lostAfter = 10
            faults.offline = 15
            let problems = try Self.play(seed: seed, people: 1, devicesEach: 2, faults: faults)
                .problems
            try #require(problems.isEmpty, "seed \(seed)\n\(problems.joined(separator: "\n"))")
        }
    }

    @Test func `power that fails in the middle of a write takes nothing that was answered for`()
        throws
    {
        for seed in Self.seeds {
            var faults = Faults()
            faults.powerLoss = 30
            faults.lostAfter = 10
            faults.offline = 10
            let problems = try Self.play(seed: seed, people: 1, devicesEach: 3, faults: faults)
                .problems
            try #require(problems.isEmpty, "seed \(seed)\n\(problems.joined(separator: "\n"))")
        }
    }

    @Test func `one seed tells one story`() throws {
        let stories = try (0..<2).map { _ in try Self.play(seed: 7, people: 2, devicesEach: 2).story
        }
        #expect(stories[0] == stories[1])
    }

    private static func play(
        seed: UInt64, people: Int, devicesEach: Int, faults: Faults? = nil
    ) throws -> (problems: [String], counts: FaultCounts) {
        let played = try play(seed: seed, people: people, devicesEach: devicesEach, with: faults)
        return (played.problems, played.counts)
    }

    private static func play(
        seed: UInt64, people: Int, devicesEach: Int
    ) throws -> (problems: [String], story: [String]) {
        let played = try play(seed: seed, people: people, devicesEach: devicesEach, with: nil)
        return (played.problems, played.story)
    }

    private static func play(
        seed: UInt64, people: Int, devicesEach: Int, with faults: Faults?, acts: Int = 60,
        joins: Bool = false
    ) throws -> (problems: [String], story: [String], counts: FaultCounts) {
        try ScratchFolder.lend { folder in
            let world = try World(
                seed: seed, people: people, devicesEach: devicesEach, faults: faults,
                folder: folder)
            try world.run(acts: acts)
            if joins { try world.join() }
            try world.converge()
            var problems = try world.check()
            if !problems.isEmpty { problems += world.story.suffix(40) }
            return (problems, world.story, world.struck)
        }
    }
}
