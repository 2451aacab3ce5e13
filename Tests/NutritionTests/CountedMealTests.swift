import MacrologEvents
import MacrologNutrition
import MacrologTestSupport
import Testing

/// What is read of a meal in one pass is what the meal itself says, field by field.
@Suite struct CountedMealTests {
    @Test(arguments: 1...200)
    func `one pass over a meal's fields finds and counts what the meal does`(_ seed: Int) throws {
        var dice = Dice(seed: UInt64(seed))
        var fields = ValueMap()
        for name in Self.names where dice.percent(40) { fields[name] = dice.pick(Self.values) }
        let date = LocalDate(day: try #require(Day(number: dice.roll(0...20_000))))
        if dice.percent(80) { fields["local_date"] = date.value }

        let (counted, findings) = CountedMeal.read(fields)
        #expect(findings == Kind.meal.hardFindings(fields), "seed \(seed)")
        for finding in findings { fields[finding.field] = nil }
        let id = Identifier(high: 1, low: UInt64(seed))
        let meal = Meal(id: id, fields: fields)
        #expect((counted == nil) == (meal == nil), "seed \(seed)")
        guard let counted, let meal else { return }
        #expect(counted.day == meal.localDate.day, "seed \(seed)")
        #expect(counted.slot == meal.slot, "seed \(seed)")
        #expect(counted.isConsumed == meal.isConsumed, "seed \(seed)")
        #expect(counted.consumedShareBasisPoints == meal.consumedShareBasisPoints, "seed \(seed)")
        #expect(counted.own == NutrientTotals(own: meal.nutrients, items: []), "seed \(seed)")
    }

    private static let names: [UTF8Text] = [
        "local_date", "meal_type", "dish_name", "consumed", "consumed_at", "consumed_share_bp",
        "note",
        "health_score", "energy", "protein", "carbs", "fat", "sodium", "source", "x:zest", "x:",
        "x",
        "reported_total", "unknown",
    ]

    private static let values: [Value] = [
        .null, true, false, 0, 1, -1, 5_000, 2_000_001, 20_000_001, .int(.max), "lunch", "Soup",
        "a\u{7}",
        [], [20_000, .null, .null, .null], [20_000, .null, .null, 841], .map(["energy": 1]),
        .bytes([1]),
    ]
}
