public import MacrologEvents
public import MacrologNutrition
import MacrologReadModels

/// How a food was logged, and changing logged items if the person requests it.
extension Replica {
    /// How much of a food was logged last, as a suggestion for the next entry. `nil` when it never
    /// was.
    public func lastPortion(of food: Identifier) throws -> Amount? {
        try withStore { try $0.lastPortion(of: food) }
    }

    /// The foods that were eaten recently in a meal slot, such as `breakfast`: the latest first,
    /// then the more frequent; in any slot if none is given.
    public func recentFoods(in slot: Text? = nil, limit: Int = 20) throws -> [Food] {
        try withStore { try $0.recentFoods(in: slot, limit: limit) }
    }

    /// Gives the items that were logged from a food, from a day on, the food's current numbers for
    /// their amounts. Meals keep the numbers of the time when they were logged; this is the
    /// explicit exception, and one action: one undo reverses all of it.
    ///
    /// - Parameter isForecast: Whether to record nothing.
    public func applyToHistory(
        _ food: Identifier, from day: Day, isForecast: Bool = false
    ) throws -> FoodHistory {
        _ = try require(Food.self, food)
        guard let servingSizes = try servingSizes(of: food) else {
            throw ReplicaError(.notFound(.food))
        }
        let meals = try withStore { store in
            try store.meals(with: food, from: day).compactMap { try store.meal($0) }
        }
        var edits: [FoodHistory.Edit] = []
        var (same, edited, unmeasured) = (0, [MealItem](), [MealItem]())
        for meal in meals {
            for item in meal.items where item.foodID == food {
                guard item.isEditedByUser != true else {
                    edited.append(item)
                    continue
                }
                guard let amount = item.amount,
                    let (nutrients, _) = try? servingSizes.nutrients(of: amount)
                else {
                    unmeasured.append(item)
                    continue
                }
                var new = item
                new.nutrients = nutrients
                if new == item {
                    same += 1
                } else {
                    edits.append(
                        FoodHistory.Edit(day: meal.meal.localDate.day, old: item, new: new))
                }
            }
        }
        if !isForecast, !edits.isEmpty {
            let today = localDay()
            try record(edits.compactMap { .edit(from: $0.old, to: $0.new, today: today) })
        }
        return FoodHistory(edits: edits, same: same, edited: edited, unmeasured: unmeasured)
    }
}
