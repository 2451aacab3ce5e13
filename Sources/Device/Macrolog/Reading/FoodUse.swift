import MacrologDiary
public import MacrologEvents
public import MacrologNutrition
import MacrologReadModels

/// How a food was logged, and changing logged items if the person requests it.
extension Replica {
    /// How much of a food was logged last, as a suggestion for the next entry. `nil` when it never
    /// was.
    public func lastPortion(of food: Identifier) throws -> Amount? {
        try withDiary { try $0.lastPortion(of: food) }
    }

    /// The foods that were eaten recently in a meal slot, such as `breakfast`: the latest first,
    /// then the more frequent; in any slot if none is given.
    public func recentFoods(in slot: Text? = nil, limit: Int = 20) throws -> [Food] {
        try withDiary { try $0.recentFoods(in: slot, limit: limit) }
    }

    /// Gives the items that were logged from a food, from a day on, the food's current numbers for
    /// their amounts. Meals keep the numbers of the time when they were logged; this is the
    /// explicit exception, and one action: one undo reverses all of it.
    ///
    /// - Parameter isForecast: Whether to record nothing.
    public func applyToHistory(
        _ food: Identifier, from day: Day, isForecast: Bool = false
    ) throws -> FoodHistory {
        try withDiary { try $0.applyToHistory(food, from: day, isForecast: isForecast) }
    }
}
