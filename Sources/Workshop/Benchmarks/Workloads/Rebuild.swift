import MacrologLog
import MacrologReadModels
import MacrologSQLite

/// E: everything that is derived is thrown away and folded again from the log.
enum Rebuild {
    static func run(_ options: Options, _ folder: Folder, _ report: inout Report) throws {
        let count = options.isQuick ? 20_000 : 100_000
        let meals = (0..<count).map { SampleMeal($0) }
        let bodies = Recording.encoded(meals)
        let device = try Device(folder.file("e"))
        let bare = BareSQLite(folder.file("e-bare"))
        for start in stride(from: 0, to: count, by: 10_000) {
            try device.record(meals[start..<start + 10_000].map(\.draft))
            bare.insert(meals, bodies, start..<start + 10_000)
        }
        let before = try device.store.stateHash()
        let result = try Rounds.run(
            5, ours: { _ in try seconds { try device.store.rebuild() } },
            limit: { _ in
                seconds {
                    bare.transaction {
                        bare.empty("meal")
                        guard bare.scan() > 0 else { return }
                        for meal in meals { bare.meal(meal) }
                    }
                }
            })
        guard try device.store.stateHash() == before else {
            throw Wrong(description: "rebuilding gave other tables")
        }
        let rate = Double(count) / result.ours
        report.add(
            "E rebuild", Figures.rate(count, in: result.ours),
            limit: "\(Figures.rate(count, in: result.limit)) bare scan + read model",
            ratio: result.ratio, budget: "≥ 200,000/s", isMet: rate >= 200_000)
        report.count(
            "E",
            "\(Figures.whole(Double(folder.bytes(of: "e")) / Double(count))) bytes kept an event; "
                + "same state hash after every rebuild")
    }
}
