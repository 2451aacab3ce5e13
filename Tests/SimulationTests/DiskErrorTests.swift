import MacrologSimulation
import Testing

/// Goal: a disk that fails is reported as what it is; what was answered for stays, reading continues,
/// writing continues when the disk does, and after a flush that failed nothing is written before the
/// next start.
/// Method: each script runs once for each operation that can fail, with each kind of failure, once,
/// three times and for ever; in the end the power fails, too.
@Suite(.serialized) struct DiskErrorTests {
    /// What something was found by: each operation of a script, with one kind of error.
    static let found = [
        // A device that had lost a flush wrote the file beside its database once more.
        "leave/*/sync once",
        // A push that was committed, and whose answer could not be read, was taken for half done.
        "admission/*/read once",
    ]

    @Test(arguments: found)
    func `what was found by an error once is not found again`(trial: String) throws {
        let report = try Trials.all().errors(
            String(trial.prefix { $0 != "/" }), TrialChoice(seed: 21, every: 1, only: trial))
        #expect(report.cases > 10)
        #expect(report.problems.isEmpty, "\(report.problems.joined(separator: "\n"))")
    }

    @Test
    func `every error of a disk is reported by its name, and costs nothing that was answered for`()
        throws
    {
        let trials = try Trials.all()
        let choice = Trials.choice(every: Trials.isOptimised ? 97 : 397)
        let report = trials.all { try trials.errors($0, choice) }
        print("\(report.cases) errors\n\(Trials.table(report))")
        #expect(report.problems.isEmpty, "\(report.problems.joined(separator: "\n"))")
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
