import Foundation
import MacrologSimulation
import MacrologTestSupport
import Testing

/// Which trials this run makes. A build for debugging makes a part that the seed draws, an optimised
/// one most, and with `MACROLOG_TEST_DISK=whole` either makes all.
enum Trials {
    #if DEBUG
        static let isOptimised = false
    #else
        static let isOptimised = true
    #endif

    private static let asked = ProcessInfo.processInfo.environment["MACROLOG_TEST_DISK"]

    static var isWhole: Bool { asked == "whole" }
    static var isOneCase: Bool { asked != nil && !isWhole }

    static func all() throws -> DiskTrials {
        let golden = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "MacrologTests/Golden")
        return try DiskTrials(golden: golden.path)
    }

    /// - Parameter every: One of this many is made.
    static func choice(every: UInt64, rounds: UInt64 = 1) -> TrialChoice {
        var choice = TrialChoice(
            seed: Dice.firstSeed, every: isWhole ? 1 : every, only: asked)
        choice.rounds = rounds
        choice.deepEvery = isWhole || isOneCase ? 1 : isOptimised ? 16 : 8
        return choice
    }

    /// What was tried of each script, for people.
    static func table(_ report: TrialReport) -> String {
        let points = report.points.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        let struck = report.struck.counts.sorted { $0.key < $1.key }
            .map { "\($0.key) \($0.value)" }
        return """
              operations: \(points.joined(separator: ", "))
              struck: \(struck.joined(separator: ", "))
            """
    }
}

/// Goal: whatever the moment at which the power fails, what was answered for is there afterwards,
/// nothing is half there, and everything continues.
/// Method: each script runs once on a disk that remembers what was flushed; then the power fails at
/// each operation, with five kinds of damage, and what is left is opened and compared with what had
/// been answered; where opening writes, the power fails again in the middle of that.
/// All of them, and each second crash: `MACROLOG_TEST_DISK=whole swift test --filter CrashTests`.
@Suite(.serialized) struct CrashTests {
    @Test func `nothing that was answered for is lost by a crash, and nothing is half there`()
        throws
    {
        let trials = try Trials.all()
        let choice = Trials.choice(
            every: Trials.isOptimised ? 1 : 97,
            rounds: Trials.isOptimised && !Trials.isWhole ? 5 : 1)
        let report = trials.all { try trials.crashes($0, choice) }
        print(
            "\(report.cases) crashes, and \(report.secondCrashes) while that was opened; "
                + "\(report.images) disks opened\n\(Trials.table(report))")
        #expect(report.problems.isEmpty, "\(report.problems.joined(separator: "\n"))")
        guard !Trials.isOneCase else { return }
        for kind in Damage.allCases {
            #expect(report.struck.counts["\(kind)", default: 0] > 0, "\(kind) never struck")
        }
        var kinds: [DiskOperation] = [.write, .truncate, .sync, .create, .delete, .replace]
        #if os(Linux)
            kinds += [.rename, .folder, .syncFolder]
        #endif
        for kind in kinds {
            #expect(report.struck.counts["at \(kind)", default: 0] > 0, "never at \(kind)")
        }
        #expect(report.secondCrashes > 0)
        guard Trials.isOptimised || Trials.isWhole else { return }
        for workload in trials.workloads {
            #expect(report.points[workload, default: 0] > 0, "never in \(workload)")
        }
        #expect(report.cases + report.secondCrashes >= 20_000)
        for kind in Damage.allCases {
            #expect(report.struck.counts["second \(kind)", default: 0] > 0, "\(kind) never twice")
        }
    }
}
