import MacrologEvents
import MacrologLog
import MacrologNutrition
import MacrologNutritionModels
import MacrologReadModels
import MacrologSQLite
import MacrologTestSupport
import Testing

/// The acceptance tests of the domain that need the fold itself, by their numbers.
@Suite struct AcceptanceTests {
    let day = Day(year: 2026, month: 11, day: 20) ?? .earliest

    private func id(_ low: Int) -> Identifier {
        Identifier(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0000 | UInt64(low))
    }

    /// Two devices write, move, eat, delete and restore three meals and what is in them, and weigh,
    /// now and then together.
    private func history(_ dice: inout Dice) throws -> SyncServer {
        var server = SyncServer()
        let devices = [try Device("a"), try Device("b")]
        for step in 0..<24 {
            let device = devices[dice.below(2)]
            let amount = Value.int(Int64(dice.below(500)) * 1_000)
            let date = LocalDate(day: day.advanced(by: dice.below(2))).value
            let meal = id(dice.below(3))
            switch dice.below(8) {
            case 0:
                try device.record("meal.deleted", .meal, meal, [.delete])
            case 1:
                try device.record("meal.restored", .meal, meal, [.restore])
            case 2:
                try device.record(
                    "weight.logged", .weighIn, id(100 + dice.below(2)),
                    [.set(["local_date": date, "weight_g": .int(80_000 + Int64(step))])])
            case 3, 4:
                try device.record(
                    "item.added", .mealItem, id(200 + dice.below(4)),
                    [.set(["meal_id": .bytes(meal.bytes), "name": "Milk", "energy": amount])])
            default:
                try device.record(
                    "meal.edited", .meal, meal,
                    [
                        .set([
                            "local_date": date, "consumed": .bool(dice.below(4) > 0),
                            "meal_type": "lunch", "energy": amount, "protein": amount,
                        ])
                    ])
            }
            if dice.below(4) == 0 { try device.sync(&server) }
        }
        for device in devices { try device.sync(&server) }
        return server
    }

    /// Stricter than what any device needs, which folds in the order of the log.
    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func `11 permute event order 1,000 times: identical state hash and identical sums`(
        seed: UInt64
    ) throws {
        var dice = Dice(seed: seed)
        var server = try history(&dice)
        let device = try Device("c")
        try device.sync(&server)
        let hash = try device.store.stateHash()
        func sums() throws -> [NutrientTotals] {
            try (0..<2).map {
                try device.store.summary(of: day.advanced(by: $0), today: day).totals
            }
        }
        let totals = try sums()
        #expect(totals.contains { $0.parts > 0 }, "seed \(seed) tells a story")
        let log = device.store.log
        let events = try server.rows.enumerated().map { index, row in
            let seal = Seal(n: Int64(index + 1), t: row.t)
            let event = try #require(try log.entry(row.dot, in: &device.store.db)).event
            return (event.changes, Stamp(dot: event.dot, base: event.base, seal: seal))
        }
        for round in 0..<250 {
            var rest = events.shuffled(using: &dice)[...]
            try device.store.db.transaction { db in
                var models = ReadModels.nutrition.begin()
                try db.run("DELETE FROM entity")
                try db.run("DELETE FROM conflict")
                try db.run("DELETE FROM touch")
                try models.clear(in: &db)
                while !rest.isEmpty {
                    var fold = Fold()
                    let page = rest.prefix(1 + dice.below(8))
                    rest = rest.dropFirst(page.count)
                    for (changes, stamp) in page { fold.add(changes, stamp: stamp) }
                    try fold.flush(in: &db, keys: log.keys, updating: &models)
                    try models.flush(in: &db)
                }
            }
            guard try device.store.stateHash() == hash, try sums() == totals else {
                Issue.record("seed \(seed), round \(round)")
                return
            }
        }
    }
}
