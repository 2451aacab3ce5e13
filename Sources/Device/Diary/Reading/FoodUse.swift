public import MacrologEvents
public import MacrologNutrition
import MacrologLog
import MacrologNutritionModels
import MacrologReadModels

/// How a food was logged, and changing logged items if the person requests it.
extension Diary {
    /// How much of a food was logged last, as a suggestion for the next entry. `nil` when it never
    /// was.
    public func lastPortion(of food: Identifier) throws(DiaryError) -> Amount? {
        try withStore { store throws(LogError) in try store.lastPortion(of: food) }
    }

    /// The foods that were eaten recently in a meal slot, such as `breakfast`: the latest first,
    /// then the more frequent; in any slot if none is given.
    public func recentFoods(in slot: UTF8Text? = nil, limit: Int = 20) throws(DiaryError)
        -> [Food]
    {
        try withStore { store throws(LogError) in try store.recentFoods(in: slot, limit: limit) }
    }

    /// Gives the items that were logged from a food, from a day on, the food's current numbers for
    /// their amounts. Meals keep the numbers of the time when they were logged; this is the
    /// explicit exception, and one action: one undo reverses all of it.
    ///
    /// - Parameters:
    ///   - food: The food's id.
    ///   - day: The first day whose items are changed.
    ///   - isForecast: Whether to record nothing.
    /// - Throws: ``EntryError`` with code `notFound` or `deleted` when there is no such food.
    public mutating func applyToHistory(
        _ food: Identifier, from day: Day, isForecast: Bool = false
    ) throws(DiaryError) -> FoodHistory {
        _ = try require(Food.self, food)
        guard let servingSizes = try servingSizes(of: food) else {
            throw .refused(.notFound(.food))
        }
        let meals = try withStore { store throws(LogError) in
            var meals: [MealDetail] = []
            for id in try store.meals(with: food, from: day) {
                if let meal = try store.meal(id) { meals.append(meal) }
            }
            return meals
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
            let today = try today()
            try record(edits.compactMap { .edit(from: $0.old, to: $0.new, today: today) })
        }
        return FoodHistory(edits: edits, same: same, edited: edited, unmeasured: unmeasured)
    }
}
