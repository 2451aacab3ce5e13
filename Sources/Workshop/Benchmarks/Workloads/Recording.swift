import MacrologEvents
import MacrologWire
import MacrologLog
import MacrologNutritionModels
import MacrologReadModels
import MacrologSQLite

/// A1 and A2: recording durably, one entry at a time and by the thousand.
enum Recording {
    /// A1: one durable transaction each, compared with a bare commit of the same event row.
    static func one(_ options: Options, _ folder: Folder, _ report: inout Report) throws {
        let (rounds, each) = options.isQuick ? (5, 200) : (10, 2_000)
        let meals = (0..<rounds * each).map { SampleMeal($0) }
        let bodies = encoded(meals)
        let device = try Device(folder.file("a1"))
        let bare = BareSQLite(folder.file("a1-bare"))
        // Both sides take turns by fifty commits, because the disk's speed changes within a round. A round counts
        // whole, with the checkpoints in it.
        let result = try Rounds(
            (0..<rounds).map { round in
                let parts = try turns(each / 50, sides: 2) { side, part in
                    let start = round * each + part * 50
                    return try side == 0
                        ? record(meals[start..<start + 50], each: 1, into: device)
                        : seconds {
                            for index in start..<start + 50 {
                                bare.transaction { bare.event(index + 1, bodies[index]) }
                            }
                        }
                }
                return [parts.reduce(0) { $0 + $1[0] }, parts.reduce(0) { $0 + $1[1] }]
            })
        report.add(
            "A1 record", Figures.rate(each, in: result.ours),
            limit: "\(Figures.rate(each, in: result.limit)) bare commit", ratio: result.ratio,
            noise: result.noise, budget: "≥ 0.85", isMet: result.ratio >= 0.85)
        try count("A1", transactions: 500, of: 1, folder, &report)
    }

    /// A2: 1,000 per transaction, compared with a bare insert of event and read model.
    static func batches(_ options: Options, _ folder: Folder, _ report: inout Report) throws {
        let (rounds, each) = options.isQuick ? (5, 4_000) : (10, 10_000)
        let meals = (0..<rounds * each).map { SampleMeal($0) }
        let bodies = encoded(meals)
        let device = try Device(folder.file("a2"))
        let bare = BareSQLite(folder.file("a2-bare"))
        let result = try Rounds.run(
            rounds,
            ours: { round in
                try record(meals[round * each..<(round + 1) * each], each: 1_000, into: device)
            },
            limit: { round in
                seconds {
                    for start in stride(from: round * each, to: (round + 1) * each, by: 1_000) {
                        bare.insert(meals, bodies, start..<start + 1_000)
                    }
                }
            })
        report.add(
            "A2 batches", Figures.rate(each, in: result.ours),
            limit: "\(Figures.rate(each, in: result.limit)) bare event + read model",
            ratio: result.ratio, noise: result.noise, budget: "≥ 0.50 (0.70)",
            isMet: result.ratio >= 0.5)
        try count("A2", transactions: 10, of: 1_000, folder, &report)
    }

    /// Records meals, `each` in a durable transaction.
    ///
    /// - Returns: The seconds.
    static func record(
        _ meals: ArraySlice<SampleMeal>, each: Int, into device: Device
    ) throws -> Double {
        try seconds {
            for start in stride(from: meals.startIndex, to: meals.endIndex, by: each) {
                let end = min(start + each, meals.endIndex)
                try device.record(meals[start..<end].map(\.draft))
            }
        }
    }

    /// The bodies of the meals as device 1 records them.
    static func encoded(_ meals: [SampleMeal]) -> [[UInt8]] {
        meals.enumerated().map {
            $0.element.event(device: Device.id(1), seq: Int64($0.offset + 1)).encoded()
        }
    }

    private static func count(
        _ workload: String, transactions: Int, of size: Int, _ folder: Folder,
        _ report: inout Report
    ) throws {
        CountingDisk.register()
        let name = "\(workload)-counts"
        let device = try Device(folder.file(name), vfs: CountingDisk.name)
        try device.record([SampleMeal(0).draft])
        let (disk, db, steps) = (
            CountingDisk.counts, device.store.db.counters, device.store.db.machineSteps
        )
        for index in 0..<transactions {
            try device.record((0..<size).map { SampleMeal(1 + index * size + $0).draft })
        }
        let (diskAfter, after) = (CountingDisk.counts - disk, device.store.db.counters)
        let events = Double(transactions * size)
        func each(_ count: Int64) -> String { Figures.decimal(Double(count) / events) }
        report.count(
            workload,
            """
            an event: \(each(after.statements - db.statements)) statements, \
            \(each(after.rows - db.rows)) rows read, \
            \(Figures.whole(Double(device.store.db.machineSteps - steps) / events)) machine steps, \
            \(Figures.whole(Double(diskAfter.bytes) / events)) bytes written; \
            \(Figures.decimal(Double(diskAfter.syncs) / Double(transactions))) fsyncs a transaction
            """)
    }
}

extension BareSQLite {
    /// Events and read model of some meals, in one transaction.
    func insert(_ meals: [SampleMeal], _ bodies: [[UInt8]], _ range: Range<Int>) {
        transaction {
            for index in range {
                event(index + 1, bodies[index])
                meal(meals[index])
            }
        }
    }
}
