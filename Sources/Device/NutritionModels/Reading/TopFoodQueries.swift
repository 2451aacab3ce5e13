import MacrologEvents
package import MacrologLog
package import MacrologNutrition
package import MacrologReadModels

/// Reading what is eaten most.
extension Store {
    /// What was eaten on some days, part by part, in no particular order: items of one food are
    /// combined; other items and meals without items are combined when their names have the same
    /// bytes. Only the eaten share of a meal counts.
    package mutating func foodTallies(on days: ClosedRange<Day>) throws(LogError) -> [FoodTally] {
        var tallies:
            [UTF8Text: (name: String, days: Set<Day>, times: Int, totals: NutrientTotals)] =
                [:]
        func add(
            _ key: UTF8Text, _ name: String, _ nutrients: Nutrients, _ meal: Meal
        ) {
            var tally = tallies[key] ?? (name, [], 0, NutrientTotals())
            tally.name = name
            tally.days.insert(meal.localDate.day)
            tally.times += 1
            tally.totals.add(
                NutrientTotals(
                    own: nutrients, items: [], shareBasisPoints: meal.consumedShareBasisPoints))
            tallies[key] = tally
        }
        for detail in try meals(on: days) where detail.meal.isConsumed {
            let dish = detail.meal.dishName ?? ""
            if detail.items.isEmpty || !detail.meal.nutrients.isEmpty, !dish.isEmpty {
                add(UTF8Text("name " + dish), dish, detail.meal.nutrients, detail.meal)
            }
            for item in detail.items {
                let name = item.name ?? dish
                let key = item.foodID.map { "food \($0)" } ?? "name \(name)"
                add(UTF8Text(key), name, item.nutrients, detail.meal)
            }
        }
        return tallies.sorted { $0.key < $1.key }.map { _, tally in
            FoodTally(
                name: tally.name, days: tally.days.count, times: tally.times, totals: tally.totals)
        }
    }
}
