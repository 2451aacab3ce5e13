/// A meal and how well it fits a diet.
public struct ScoredMeal: Hashable, Sendable {
    /// The meal that was scored, with its items.
    public let meal: MealDetail
    /// Its score, which is unknown if nothing can be scored.
    public let score: DietScore

    /// A meal and its score.
    package init(meal: MealDetail, score: DietScore) {
        self.meal = meal
        self.score = score
    }
}
