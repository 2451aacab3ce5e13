import Foundation
import Simulation
import Testing

/// Which trials this run makes: a part drawn by the seed, or with `MACROLOG_DISK=whole` all of them.
enum Trials {
    static func choice(every: UInt64) -> TrialChoice {
        let environment = ProcessInfo.processInfo.environment
        let seed = environment["MACROLOG_SEED_BASE"].flatMap { UInt64($0) } ?? 1
        let chosen = environment["MACROLOG_DISK"]
        return TrialChoice(seed: seed, every: chosen == "whole" ? 1 : every, only: chosen)
    }

    static var isOneCase: Bool {
        ProcessInfo.processInfo.environment["MACROLOG_DISK"].map { $0 != "whole" } ?? false
    }
}

/// Goal: whatever the moment at which the power fails, what was answered for is there afterwards,
/// nothing is half there, and everything goes on.
/// Method: each script runs once on a disk that remembers what was flushed; then the power fails at
/// each operation, with five kinds of damage, and what is left is opened and compared with what had
/// been answered; where opening writes, the power fails again in the middle of that.
/// All of them, not only what the seed draws: `MACROLOG_DISK=whole swift test --filter CrashTests`.
@Suite(.serialized) struct CrashTests {
    @Test func `nothing that was answered for is lost by a crash, and nothing is half there`()
        throws
    {
        var report = TrialReport()
        for workload in DiskTrials.workloads {
            report.add(try DiskTrials.crashes(workload, Trials.choice(every: 97)))
        }
        print(
            "\(report.cases) crashes, \(report.images) different disks, "
                + "\(report.secondCrashes) second crashes: \(report.struck.counts)")
        #expect(report.problems.isEmpty, "\(report.problems.joined(separator: "\n"))")
        guard !Trials.isOneCase else { return }
        for kind in Damage.allCases {
            #expect(report.struck.counts["\(kind)", default: 0] > 0, "\(kind) never struck")
        }
        for kind in [DiskOperation.write, .truncate, .sync, .create, .delete, .replace] {
            #expect(report.struck.counts["at \(kind)", default: 0] > 0, "never at \(kind)")
        }
        #expect(report.secondCrashes > 0)
    }
}
