public import MacrologEvents
public import MacrologNutrition
import MacrologLog
import MacrologNutritionModels
import MacrologReadModels

/// How meals fit a diet, and what is eaten most.
extension Diary {
    /// A meal's score; `nil` without a diet, and when there is no such meal.
    ///
    /// - Parameters:
    ///   - id: The meal's id.
    ///   - diet: The diet; the one of the profile, with its shares, when not given.
    ///   - shares: The desired shares of energy, for a custom diet that is given.
    public func dietScore(
        ofMeal id: Identifier, for diet: DietType? = nil, shares: MacroShares? = nil
    ) throws(DiaryError) -> ScoredMeal? {
        try withStore { store throws(LogError) in
            try store.dietScore(ofMeal: id, for: diet, shares: shares)
        }
    }

    /// The scores of the meals of some days, by day and time; none without a diet. Only what was eaten is scored.
    ///
    /// - Parameters:
    ///   - days: The first and the last day.
    ///   - diet: The diet; the one of the profile, with its shares, when not given.
    ///   - shares: The desired shares of energy, for a custom diet that is given.
    public func dietScores(
        on days: ClosedRange<Day>, for diet: DietType? = nil, shares: MacroShares? = nil
    ) throws(DiaryError) -> [ScoredMeal] {
        try withStore { store throws(LogError) in
            try store.dietScores(of: try store.meals(on: days), for: diet, shares: shares)
        }
    }

    /// The carbohydrate of a meal without fibre and polyols, for the share that was eaten.
    public func netCarbs(of meal: MealDetail) throws(DiaryError) -> NetCarbs {
        try withStore { store throws(LogError) in try store.netCarbs(of: [meal]) }
    }

    /// What was eaten on some days, food by food, in no particular order.
    public func foodTallies(on days: ClosedRange<Day>) throws(DiaryError) -> [FoodTally] {
        try withStore { store throws(LogError) in try store.foodTallies(on: days) }
    }
}
