/// Diets with rules about ingredients: vegan, vegetarian, paleo.
extension DietScore {
    /// Any forbidden ingredient brings the score to `worst` or below, and its word is quoted; each
    /// further one takes ten. Clean is 100, less ten for each sweetener or oil that is frowned upon.
    static func rules(
        _ facts: DietFacts, _ diet: DietType, forbidden: IngredientClass,
        flagged: IngredientClass, worst: Int, nothing: String
    ) -> DietScore {
        let (matches, understanding) = facts.ingredients()
        let broken = matches.filter { !$0.classes.isDisjoint(with: forbidden) }
        let doubtful = matches.filter {
            $0.classes.isDisjoint(with: forbidden) && !$0.classes.isDisjoint(with: flagged)
        }
        if !broken.isEmpty {
            let quoted = broken.map { "\"\($0.word)\"" }.joined(separator: ", ")
            // An ingredient that is found is present, even if others are unknown.
            return DietScore(
                diet, max(worst - 10 * (broken.count - 1), 0),
                ["contains \(quoted)"], understanding == .lists ? .high : .medium)
        }
        guard understanding != .nothing else {
            return DietScore(diet, nil, ["no ingredient data"], .low)
        }
        var explanation = [nothing]
        var score = 100 - 10 * doubtful.count
        for match in doubtful { explanation.append("less 10 for \"\(match.word)\"") }
        if diet == .paleo, (facts.totals[.addedSugars] ?? 0) > 0 {
            score -= 10
            explanation.append("less 10 for added sugars")
        }
        let confidence: Confidence
        switch understanding {
        case .lists: confidence = .high
        case .names:
            confidence = .medium
            explanation.append("judged by names; ingredient lists would say more")
        case .partly, .nothing:
            confidence = .low
            explanation.append("some parts of the meal could not be judged")
        }
        return DietScore(diet, max(score, 0), explanation, confidence)
    }
}
