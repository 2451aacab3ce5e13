import Simulation
import Testing

/// Goal: a disk that fails is reported as what it is; what was answered for stays, reading goes on,
/// writing goes on when the disk does, and after a flush that failed nothing is written before the
/// next start.
/// Method: each script runs once for each operation that can fail, with each kind of failure, once,
/// three times and for ever; in the end the power fails, too.
@Suite(.serialized) struct DiskErrorTests {
    @Test
    func `every error of a disk is told by its name, and costs nothing that was answered for`()
        throws
    {
        var report = TrialReport()
        for workload in DiskTrials.workloads {
            report.add(try DiskTrials.errors(workload, Trials.choice(every: 197)))
        }
        print("\(report.cases) errors: \(report.struck.counts)")
        // Found and not yet understood: a device that leaves its name is seen to write after a flush
        // that failed, and a hub's push to fail half done after one read that failed.
        let open = report.problems.filter { $0.hasPrefix("leave, ") || $0.hasPrefix("admission, ") }
        if !open.isEmpty { withKnownIssue { Issue.record("\(open.joined(separator: "\n"))") } }
        let problems = report.problems.filter { !open.contains($0) }
        #expect(problems.isEmpty, "\(problems.joined(separator: "\n"))")
        guard !Trials.isOneCase else { return }
        for kind in DiskError.allCases {
            for times in ["once", "three times", "for ever"] {
                #expect(
                    report.struck.counts["\(kind) \(times)", default: 0] > 0,
                    "\(kind) never struck \(times)")
            }
        }
    }
}
