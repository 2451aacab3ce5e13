import MacrologEvents
import MacrologWire
import MacrologFormats
import Foundation
import MacrologJSON
import MacrologLog
import Macrolog
import MacrologSimulation
import MacrologTestSupport
import Testing

/// Goal: a bundle of `macrolog doctor` can be played again: what a log's events did to each other is
/// in it, and a log that breaks a promise is found out.
/// Method: bundles of simulated devices, written, read and played; then the same with one thing
/// spoiled. To play a bundle of a real device: `make replay BUNDLE=file`.
@Suite(.serialized) struct ReplayTests {
    static let bundle = ProcessInfo.processInfo.environment["MACROLOG_TEST_BUNDLE"]

    private static let seeds = Dice.seeds(2)

    private static func withFolder<T>(_ body: (String) throws -> T) throws -> T {
        let folder = ScratchFolder()
        return try body(folder.path)
    }

    private static func play(_ export: ExportedLog, seed: UInt64 = 1) throws -> Replay.Report {
        try withFolder { try Replay.run(export, folder: $0, seed: seed) }
    }

    @Test(.enabled(if: bundle != nil, "MACROLOG_TEST_BUNDLE names no bundle"))
    func `the bundle keeps its promises`() throws {
        let path = try #require(Self.bundle)
        let export = try ExportedLog(json: Array(try Data(contentsOf: URL(filePath: path))))
        for seed in Self.seeds {
            let report = try Self.play(export, seed: seed)
            if seed == Self.seeds.lowerBound { print(report.lines.joined(separator: "\n")) }
            try #require(
                report.problems.isEmpty,
                "seed \(seed)\n\(report.problems.joined(separator: "\n"))")
        }
    }

    /// Worlds with and without devices and servers that lose their memory.
    @Test(arguments: [false, true])
    func `every device of a simulated world can be bundled and played, synced or not`(
        losesMemory: Bool
    ) throws {
        var played = 0
        for seed in Self.seeds {
            let bundles = try Self.withFolder { folder in
                var faults = Faults()
                faults.offline = 20
                faults.clockJump = 5
                faults.restart = 5
                if losesMemory {
                    faults.restore = 10
                    faults.clone = 4
                    faults.serverRestore = 8
                }
                let world = try World(
                    seed: seed, people: 1, devicesEach: 3, faults: faults, folder: folder)
                try world.run(acts: 30)
                let before = try world.bundles()
                try world.converge()
                return before + (try world.bundles())
            }
            for text in bundles {
                let export = try ExportedLog(json: Array(text.utf8))
                let state = try #require(export.state)
                // A device in the middle of a fork holds what no server has any more.
                guard state.fork == nil, !state.isRotationDue else { continue }
                let report = try Self.play(export, seed: seed)
                try #require(
                    report.problems.isEmpty,
                    "seed \(seed)\n\(report.problems.joined(separator: "\n"))\n\(text)")
                played += 1
            }
        }
        #expect(played >= 3 * Self.seeds.count)
    }

    /// A log of two devices that have seen each other.
    private static func sample() throws -> ExportedLog {
        let text = try withFolder { folder in
            let world = try World(
                seed: 3, people: 1, devicesEach: 2, faults: Faults(), folder: folder)
            try world.run(acts: 30)
            try world.converge()
            return try world.bundles()[0]
        }
        return try ExportedLog(json: Array(text.utf8))
    }

    @Test func `what breaks a promise is found out`() throws {
        let sound = try Self.sample()
        #expect(try Self.play(sound).problems.isEmpty)
        let late = try #require(
            sound.entries.lastIndex {
                $0.event.base.n > 0 && $0.seal != nil && $0.event.dot.seq > 1
            })
        func expect(_ words: String, _ spoil: (inout ExportedLog) throws -> Void) throws {
            var export = sound
            try spoil(&export)
            let problems = try Self.play(export).problems
            #expect(problems.contains { $0.contains(words) }, "\(words): \(problems)")
        }
        func change(_ body: (inout Event, inout Seal) -> Void) throws -> LogEntry {
            var (event, seal) = (sound.entries[late].event, try #require(sound.entries[late].seal))
            body(&event, &seal)
            return LogEntry(event: event, seal: seal)
        }
        let early = try change {
            $1 = Seal(n: $1.n, t: SealedTime($1.t.rawValue - 100_000_000_000 << 16))
        }
        try expect("sealed before what it had seen") { $0.entries[late] = early }
        try expect("no server can have sealed") { $0.entries[late] = early }
        try expect("had seen itself") {
            $0.entries[late] = try change { $0.base = Base(epoch: $0.base.epoch, n: $1.n) }
        }
        try expect("digests were not") { $0.state?.soundUpTo -= 1 }
        try expect("entities in conflict") { $0.state?.conflicts += 1 }
        try expect("could not be read") { $0.damaged = [$0.entries[0].event.dot] }
        try expect("not the next of its device") {
            $0.entries[late] = try change { event, _ in
                event.dot = Dot(device: event.dot.device, seq: Seq(event.dot.seq.rawValue + 1))
            }
        }
        try expect("nothing can be played") {
            let (event, seal) = (sound.entries[late].event, sound.entries[late].seal)
            let skeleton = try event.encoded().withUnsafeBytes { try Skeleton(of: $0, through: 9) }
            $0.entries[late] = LogEntry(.skeleton(skeleton), seal)
        }
    }

    @Test func `a file that is no bundle is refused with its place`() throws {
        for (text, words) in [
            ("{}", "not written by macrolog"),
            (#"{"format": "macrolog", "version": 99}"#, "version 99"),
            (#"{"format": "macrolog", "version": 1}"#, "redacted is missing"), ("[1", "line 1"),
        ] {
            #expect {
                _ = try ExportedLog(json: Array(text.utf8))
            } throws: {
                "\($0)".contains(words)
            }
        }
        let text = try Self.withFolder { folder in
            let world = try World(
                seed: 1, people: 1, devicesEach: 1, faults: Faults(), folder: folder)
            try world.run(acts: 20)
            return try world.bundles()[0]
        }
        // Cut anywhere but after the end of the last line, or with any byte another: an error or
        // another log, and no crash.
        let bytes = Array(text.utf8)
        for index in stride(from: 0, to: bytes.count - 1, by: 97) {
            #expect(throws: (any Error).self) {
                _ = try ExportedLog(json: Array(bytes.prefix(index)))
            }
            var spoiled = bytes
            spoiled[index] ^= 1
            if let export = try? ExportedLog(json: spoiled) { _ = export.cursor }
        }
    }
}
