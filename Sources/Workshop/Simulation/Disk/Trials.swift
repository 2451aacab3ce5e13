import Synchronization

/// All trials of all scripts.
package struct DiskTrials: Sendable {
    private let device: [Workload<DeviceSubject>]
    private let thrifty: [Workload<ThriftyDevice>]
    private let damaged: [Workload<DamagedDevice>]
    private let server: [Workload<ServerSubject>]

    /// - Parameter golden: The folder with databases of released versions; without it none is
    ///   opened.
    package init(golden: String? = nil) throws {
        device = try DeviceWorkloads.ordinary + DeviceWorkloads.golden(golden)
        thrifty = DeviceWorkloads.thrifty
        damaged = DeviceWorkloads.damaged
        server = try ServerWorkloads.all + ServerWorkloads.golden(golden)
    }

    /// The names of the scripts.
    package var workloads: [String] {
        device.map(\.name) + thrifty.map(\.name) + damaged.map(\.name) + server.map(\.name)
    }

    /// The power fails at every operation, with every kind of damage.
    package func crashes(_ name: String, _ choice: TrialChoice) throws -> TrialReport {
        for workload in device where workload.name == name { return try workload.crashes(choice) }
        for workload in thrifty where workload.name == name { return try workload.crashes(choice) }
        for workload in damaged where workload.name == name { return try workload.crashes(choice) }
        for workload in server where workload.name == name { return try workload.crashes(choice) }
        return TrialReport()
    }

    /// Every operation fails, in every way, once and more often.
    package func errors(_ name: String, _ choice: TrialChoice) throws -> TrialReport {
        for workload in device where workload.name == name { return try workload.errors(choice) }
        for workload in thrifty where workload.name == name { return try workload.errors(choice) }
        for workload in damaged where workload.name == name { return try workload.errors(choice) }
        for workload in server where workload.name == name { return try workload.errors(choice) }
        return TrialReport()
    }

    /// SQLite's allocations fail: each of them, once and for ever.
    package func memory(_ name: String, _ choice: TrialChoice) throws -> TrialReport {
        for workload in device where workload.name == name { return try workload.memory(choice) }
        for workload in thrifty where workload.name == name { return try workload.memory(choice) }
        for workload in damaged where workload.name == name { return try workload.memory(choice) }
        for workload in server where workload.name == name { return try workload.memory(choice) }
        return TrialReport()
    }

    /// Runs every script; the number of concurrent scripts is the number of processors.
    package func all(
        _ trial: @escaping @Sendable (String) throws -> TrialReport
    ) -> TrialReport {
        let names = workloads
        let report = Mutex(TrialReport())
        Cores.perform(names.count) { index in
            var part = TrialReport()
            do { part = try trial(names[index]) } catch {
                part.problems.append("\(names[index]): it cannot be played: \(error)")
            }
            report.withLock { [part] in $0.add(part) }
        }
        return report.withLock { $0 }
    }
}
