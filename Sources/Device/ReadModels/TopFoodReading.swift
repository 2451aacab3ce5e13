import MacrologEvents
import MacrologLog
public import MacrologNutrition

/// What somebody ate of one thing over some days.
public struct FoodTally: Hashable, Sendable {
    /// What it is called, as it was logged last.
    public let name: String
    /// On how many days it was eaten.
    public let days: Int
    /// How often it was eaten.
    public let times: Int
    /// What all of it came to.
    public let totals: NutrientTotals
}

/// Reading what is eaten most.
extension Store {
    /// What was eaten on some days, part by part, in no order that matters: items of one food are one
    /// thing, and other items and meals without items are the same when their names have the same
    /// bytes. Of a meal that was shared, the share counts.
    package mutating func foodTallies(on days: ClosedRange<Day>) throws -> [FoodTally] {
        var tallies: [Text: (name: String, days: Set<Day>, times: Int, totals: NutrientTotals)] =
            [:]
        func add(
            _ key: Text, _ name: String, _ nutrients: Nutrients, _ meal: Meal
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
                add(Text("name " + dish), dish, detail.meal.nutrients, detail.meal)
            }
            for item in detail.items {
                let name = item.name ?? dish
                let key = item.foodID.map { "food \($0)" } ?? "name \(name)"
                add(Text(key), name, item.nutrients, detail.meal)
            }
        }
        return tallies.sorted { $0.key < $1.key }.map { _, tally in
            FoodTally(
                name: tally.name, days: tally.days.count, times: tally.times, totals: tally.totals)
        }
    }
}
