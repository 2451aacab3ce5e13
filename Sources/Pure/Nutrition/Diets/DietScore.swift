/// How well a meal fits a diet: 0 to 100, with the reasons, and how far to trust it.
///
/// Whole numbers, computed once and rounded once: the same meal has the same score on every replica.
/// It compares a meal with the rules of a diet; it does not measure health.
public struct DietScore: Hashable, Sendable {
    /// The colour of a score.
    public enum Band: CaseIterable, Hashable, Sendable {
        /// 80 to 100.
        case green
        /// 60 to 79.
        case yellow
        /// 0 to 59.
        case red

        /// The band of a score.
        public init(_ score: Int) {
            self = score >= 80 ? .green : score >= 60 ? .yellow : .red
        }

        /// The word for it.
        package var name: String {
            switch self {
            case .green: "green"
            case .yellow: "yellow"
            case .red: "red"
            }
        }
    }

    /// The diet whose rules were applied.
    public let diet: DietType
    /// 0 to 100; `nil` when there is nothing to judge by.
    public let score: Int?
    /// Why, each a sentence or a sum.
    public let explanation: [String]
    /// How far to trust it: high if everything it depends on is known, medium if the meal is judged by
    /// names alone or one number is missing, low if more is unknown.
    public let confidence: Confidence

    /// The colour; `nil` without a score.
    package var band: Band? { score.map { Band($0) } }

    package init(
        _ diet: DietType, _ score: Int?, _ explanation: [String], _ confidence: Confidence
    ) {
        self.diet = diet
        self.score = score
        self.explanation = explanation
        self.confidence = confidence
    }

    /// Scores a meal.
    ///
    /// - Parameters:
    ///   - facts: The meal.
    ///   - diet: The diet.
    ///   - shares: The wished shares of energy; only for a custom diet, which has no score without.
    package static func score(
        _ facts: DietFacts, for diet: DietType, shares: MacroShares? = nil
    ) -> DietScore {
        switch diet {
        case .keto, .lowCarb, .balanced, .custom: macros(facts, diet, shares)
        case .mediterranean: mediterranean(facts)
        case .vegan:
            rules(
                facts, diet, forbidden: .animal, flagged: [], worst: 0,
                nothing: "nothing from animals is named")
        case .vegetarian:
            rules(
                facts, diet, forbidden: [.flesh, .animalPart], flagged: [], worst: 20,
                nothing: "no meat or fish is named")
        case .paleo:
            rules(
                facts, diet, forbidden: [.grain, .legume, .dairy, .butter, .sugar],
                flagged: [.sweetener, .seedOil], worst: 20,
                nothing: "no grain, legume, dairy or refined sugar is named")
        }
    }
}
