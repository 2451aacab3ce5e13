/// All trials of all scripts.
package enum DiskTrials {
    /// The names of the scripts.
    package static var workloads: [String] {
        DeviceWorkloads.ordinary.map(\.name) + DeviceWorkloads.thrifty.map(\.name)
            + HubWorkloads.all.map(\.name)
    }

    /// The power fails at every operation, with every kind of damage.
    package static func crashes(_ workload: String, _ choice: TrialChoice) throws -> TrialReport {
        try report(workload, { try $0.crashes(choice) }, { try $0.crashes(choice) }) {
            try $0.crashes(choice)
        }
    }

    /// Every operation fails, in every way, once and more often.
    package static func errors(_ workload: String, _ choice: TrialChoice) throws -> TrialReport {
        try report(workload, { try $0.errors(choice) }, { try $0.errors(choice) }) {
            try $0.errors(choice)
        }
    }

    private static func report(
        _ name: String, _ device: (Workload<DeviceSubject>) throws -> TrialReport,
        _ thrifty: (Workload<ThriftyDevice>) throws -> TrialReport,
        _ hub: (Workload<HubSubject>) throws -> TrialReport
    ) throws -> TrialReport {
        var report = TrialReport()
        for workload in DeviceWorkloads.ordinary where workload.name == name {
            report.add(try device(workload))
        }
        for workload in DeviceWorkloads.thrifty where workload.name == name {
            report.add(try thrifty(workload))
        }
        for workload in HubWorkloads.all where workload.name == name {
            report.add(try hub(workload))
        }
        return report
    }
}
