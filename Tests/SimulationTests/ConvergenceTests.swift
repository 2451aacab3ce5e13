import Foundation
import Simulation
import Testing

/// Goal: whatever the network, the clocks and the power do, devices that can talk in the end know
/// the same, nothing that was recorded is lost, and nobody sees another person's log.
/// Method: one seed decides every act, fault and delay; then the faults stop, and within the
/// promised time everything must be equal.
/// To replay one failure: `MACROLOG_SEED_BASE=42 MACROLOG_SEEDS=1 swift test --filter Simulation`.
@Suite(.serialized) struct SimulationConvergenceTests {
    static let seeds: Range<UInt64> = {
        let environment = ProcessInfo.processInfo.environment
        let base = environment["MACROLOG_SEED_BASE"].flatMap { UInt64($0) } ?? 1
        let count = environment["MACROLOG_SEEDS"].flatMap { UInt64($0) } ?? 40
        return base..<base + count
    }()

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

    @Test func `every kind of fault strikes, or it would prove nothing`() throws {
        var struck = FaultCounts()
        for seed in 1...UInt64(8) {
            var faults = Faults()
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
            faults.hubRestore = 8
            faults.powerLoss = 12
            let (problems, counts) = try Self.play(
                seed: seed, people: 1, devicesEach: 3, faults: faults)
            #expect(problems.isEmpty, "seed \(seed)\n\(problems.joined(separator: "\n"))")
            struck.add(counts)
        }
        let kinds: Set = [
            "lost before", "lost after", "repeated", "garbled", "offline", "clock jump",
            "device restart", "hub restart", "live channel killed", "hint spoiled",
            "restored whole", "restored without instance",
            "restored database", "copied profile", "cloned machine",
            "hub restored", "log changed", "power loss", "hub power loss",
        ]
        #expect(Set(struck.counts.keys) == kinds)
    }

    /// Devices that would ask by themselves only once a day.
    @Test(arguments: [false, true])
    func `the live channel alone brings everything within seconds, and nothing hangs on it`(
        isKilled: Bool
    ) throws {
        for seed in 1...UInt64(8) {
            var faults = Faults()
            faults.liveKilled = isKilled ? 100 : 0
            try Self.withFolder { folder in
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

    @Test func `restored and copied devices lose nothing, double nothing and take new names`()
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

    @Test func `a hub that was restored gets back what any device still holds`() throws {
        for seed in Self.seeds {
            var faults = Faults()
            faults.hubRestore = 12
            // Otherwise each author would be there to issue anew what is its own.
            faults.restore = 12
            faults.lostAfter = 10
            faults.repeated = 10
            faults.offline = 15
            let problems = try Self.play(seed: seed, people: 2, devicesEach: 3, faults: faults)
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
        seed: UInt64, people: Int, devicesEach: Int, with faults: Faults?
    ) throws -> (problems: [String], story: [String], counts: FaultCounts) {
        try withFolder { folder in
            let world = try World(
                seed: seed, people: people, devicesEach: devicesEach, faults: faults,
                folder: folder)
            try world.run(acts: 60)
            try world.settle()
            var problems = try world.check()
            if !problems.isEmpty { problems += world.story.suffix(40) }
            return (problems, world.story, world.struck)
        }
    }

    /// Lends an empty folder, in memory where there is one.
    private static func withFolder<T>(_ body: (String) throws -> T) throws -> T {
        let memory = "/dev/shm"
        let parent =
            FileManager.default.isWritableFile(atPath: memory)
            ? URL(filePath: memory) : FileManager.default.temporaryDirectory
        let folder = parent.appending(path: "macrolog-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try body(folder.path)
    }
}
