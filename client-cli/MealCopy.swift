import Commands
import Macrolog

/// `meal copy`: records the same meal once more.
enum MealCopy {
    static let id = Parameter.argument("meal", .id, "The meal, by the last digits of its id.")

    static let command = Verb(
        "meal copy", "Record the same meal once more.", example: "meal copy 3f2a",
        "meal copy 3f2a --date yesterday --slot dinner",
        explanation: """
            The copy is of now, or of --at, --date and --time, and holds what the meal holds today.
            """, run: run
    ) {
        id
        Slots.slot
        MealOptions.time
        MealOptions.notConsumed
    }

    static func run(words: Words, home: inout Home) throws {
        let source = try home.find(Meal.self, words[id], id, words)
        guard let detail = try home.replica.meal(source) else {
            throw ReplicaError(.notFound(.meal))
        }
        let date = try home.entryDate(time: words[MealOptions.time], MealOptions.time)
        let slot = try Slots.typed(words, &home) ?? detail.meal.type
        let isConsumed = !words[MealOptions.notConsumed]
        var copy = Meal(
            id: try home.replica.newID(), on: date, dishName: detail.meal.dishName, type: slot,
            isConsumed: isConsumed, nutrients: detail.meal.nutrients)
        if isConsumed { copy.consumedAt = date.occurredAt }
        copy.isEstimated = detail.meal.isEstimated
        copy.tags = detail.meal.tags
        if detail.meal.consumedShareBasisPoints != 10_000 {
            copy.consumedShareBasisPoints = detail.meal.consumedShareBasisPoints
        }
        var items: [MealItem] = []
        for item in detail.items {
            var new = MealItem(
                id: try home.replica.newID(), of: copy.id, name: item.name ?? "",
                amount: item.amount, nutrients: item.nutrients)
            new.foodID = item.foodID
            new.recipeID = item.recipeID
            new.position = item.position
            items.append(new)
        }
        home.warn(try home.replica.add(copy, items: items))
        try home.tellMeal("Copied", copy.id)
    }
}
