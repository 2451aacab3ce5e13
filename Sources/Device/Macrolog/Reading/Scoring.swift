import MacrologDiary
public import MacrologEvents
public import MacrologNutrition
import MacrologReadModels

/// How meals fit a diet, and what is eaten most.
extension Replica {
    /// A meal's score; `nil` when there is no such meal.
    ///
    /// - Parameter shares: The desired shares of energy, for a custom diet.
    public func dietScore(
        ofMeal id: Identifier, for diet: DietType, shares: MacroShares? = nil
    ) throws -> ScoredMeal? {
        try withDiary { try $0.dietScore(ofMeal: id, for: diet, shares: shares) }
    }

    /// The scores of the meals of some days, by day and time. Only what was eaten is scored.
    ///
    /// - Parameter shares: The desired shares of energy, for a custom diet.
    public func dietScores(
        on days: ClosedRange<Day>, for diet: DietType, shares: MacroShares? = nil
    ) throws -> [ScoredMeal] {
        try withDiary { try $0.dietScores(on: days, for: diet, shares: shares) }
    }

    /// The carbohydrate of a meal without fibre and polyols, for the share that was eaten.
    public func netCarbs(of meal: MealDetail) throws -> NetCarbs {
        try withDiary { try $0.netCarbs(of: meal) }
    }

    /// What was eaten on some days, food by food, in no particular order.
    public func foodTallies(on days: ClosedRange<Day>) throws -> [FoodTally] {
        try withDiary { try $0.foodTallies(on: days) }
    }
}
