/// A meal and how well it fits a diet.
public struct ScoredMeal: Hashable, Sendable {
    /// The meal.
    public let meal: MealDetail
    /// Its score, which is unknown if nothing can be scored.
    public let score: DietScore

    /// A meal and its score.
    package init(meal: MealDetail, score: DietScore) {
        self.meal = meal
        self.score = score
    }

    /// The input of a trend; `nil` without a score.
    public var rated: DietTrend.ScoredMeal? {
        score.score.map {
            DietTrend.ScoredMeal(id: meal.meal.id, day: meal.meal.localDate.day, score: $0)
        }
    }
}
