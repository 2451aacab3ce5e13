import CFaultDisk

/// Memory that SQLite asks for in vain, in the calling thread. See `fault_memory.h`.
package enum FaultMemory {
    /// Whether this process's SQLite can be refused memory.
    package static var isInstalled: Bool { fault_memory_is_installed() != 0 }

    /// Refuses so many requests after so many that are granted.
    package static func fail(after: UInt64, times: UInt64) { fault_memory_fail(after, times) }

    /// Refuses nothing any more.
    package static func mend() { fault_memory_fail(0, 0) }

    /// How many requests there were since refusing was ordered.
    static var count: UInt64 { fault_memory_count() }

    /// How many of them were refused.
    package static var failures: UInt64 { fault_memory_failures() }

    /// Neither refuses nor counts while a body runs.
    static func sparing<T>(_ body: () throws -> T) rethrows -> T {
        let before = fault_memory_spare(1)
        defer { _ = fault_memory_spare(before) }
        return try body()
    }
}

extension Workload {
    /// Runs the script once for each request for memory and each number of times it is refused: an
    /// error says so, what was answered stays, nothing is half done, and with memory all goes on.
    func memory(_ choice: TrialChoice) throws -> TrialReport {
        if let only = choice.only, only.workload != name { return TrialReport() }
        let folder = try TrialFolder(prepare)
        var report = TrialReport()
        for (times, word) in [(1, "once"), (UInt64.max, "for ever")] {
            let fault = "memory \(word)"
            for request in 0..<UInt64.max {
                guard choice.contains(name, request, fault) else {
                    if request > 200_000 { break }
                    continue
                }
                try folder.begin()
                var trial = ErrorTrial(
                    workload: self, folder: folder.path, trouble: .memory, after: request,
                    times: times, seed: choice.seed)
                let problems = try trial.run()
                guard trial.hasStruck else { break }
                report.cases += 1
                report.points[name, default: 0] += 1
                report.struck.note(fault)
                report.problems += problems.map {
                    """
                    \(name), \(fault) from request \(request) on: \($0)
                    \(choice.replay(name, request, fault, "MemoryTests"))
                    """
                }
                if report.problems.count > 20 { return report }
            }
        }
        return report
    }
}
