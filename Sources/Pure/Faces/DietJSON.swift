import MacrologEvents
public import MacrologJSON
public import MacrologNutrition

extension DietScore {
    /// The score and its reasons.
    public var json: JSON {
        .object([
            JSON.Member("diet", .text(diet.name)),
            JSON.Member("score", .optional(score.map { Int64($0) })),
            JSON.Member("band", .optional(band?.name)),
            JSON.Member("confidence", .string(confidence.name)),
            JSON.Member("reasons", .strings(explanation)),
        ])
    }
}

extension ScoredMeal {
    /// The meal with its score.
    public var json: JSON {
        .object([
            JSON.Member("meal_id", .id(meal.meal.id)),
            JSON.Member("day", .day(meal.meal.localDate.day)),
            JSON.Member("slot", .optional(meal.meal.slot?.string)),
            JSON.Member("title", .string(meal.title)), JSON.Member("diet_score", score.json),
        ])
    }
}

/// Diets and their scores as JSON.
public enum DietJSON {
    /// The diet that a person follows, and the shares of a custom one.
    public static func followed(_ diet: DietType, shares: MacroShares?) -> JSON {
        .object([
            JSON.Member("diet", .text(diet.name)),
            JSON.Member("shares", diet == .custom ? shares?.json ?? .null : .null),
        ])
    }

    /// The scores of the meals of a day, and their mean.
    public static func day(
        _ day: Day, _ scored: [ScoredMeal], _ trend: DietTrend, for diet: DietType
    ) -> JSON {
        .object([
            JSON.Member("day", .day(day)), JSON.Member("diet", .text(diet.name)),
            JSON.Member(
                "mean_score", trend.meanHundredths.map { .decimal($0, scale: 2) } ?? .null),
            JSON.Member("meals", .array(scored.map { $0.json })),
        ])
    }

    /// The scores of some days: their mean, their trend, the best and the worst meals.
    ///
    /// - Parameters:
    ///   - scored: The meals that were eaten.
    ///   - trend: The trend of their scores.
    public static func trend(
        _ scored: [ScoredMeal], _ trend: DietTrend, during span: ClosedRange<Day>,
        for diet: DietType
    ) -> JSON {
        let unscored = scored.count { $0.score.score == nil }
        func named(_ list: [ScoredMeal]) -> JSON { .array(list.map { $0.json }) }
        return .object([
            JSON.Member("from", .day(span.lowerBound)), JSON.Member("to", .day(span.upperBound)),
            JSON.Member("diet", .text(diet.name)),
            JSON.Member(
                "mean_score", trend.meanHundredths.map { .decimal($0, scale: 2) } ?? .null),
            JSON.Member(
                "score_change", trend.changeHundredths.map { .decimal($0, scale: 2) } ?? .null),
            JSON.Member(
                "days",
                .array(
                    trend.days.map {
                        .object([
                            JSON.Member("day", .day($0.day)),
                            JSON.Member("mean_score", .decimal($0.hundredths, scale: 2)),
                            JSON.Member("meal_count", .integer(Int64($0.meals))),
                        ])
                    })),
            JSON.Member("best", named(trend.best)), JSON.Member("worst", named(trend.worst)),
            JSON.Member("unscored_meal_count", .integer(Int64(unscored))),
        ])
    }
}
