/// The mediterranean score: 40 points for where the energy comes from, 20 for little saturated fat,
/// 15 for fibre and 25 for ingredients. Points for what is unknown are left out, and the rest counts
/// in full.
///
/// It is no MEDAS: that questionnaire judges weeks, not meals.
extension DietScore {
    static func mediterranean(_ facts: DietFacts) -> DietScore {
        let diet = DietType.mediterranean
        guard let (known, notes, trust) = known(facts, isNet: false) else {
            return DietScore(diet, nil, ["protein, carbs or fat is unknown"], .low)
        }
        guard let shares = known else { return DietScore(diet, nil, ["no macros"], .low) }
        var explanation = ["energy from \(shares.words)"] + notes
        var confidence = trust
        var possible: Int64 = 40
        var points =
            16 * band(shares.carbs, 40, 55) + 12 * band(shares.fat, 30, 42)
            + 12 * band(shares.protein, 12, 22)
        if let saturated = facts.totals[.saturatedFat] {
            let share = Rounding.scaled(saturated, by: 9 * one, over: shares.energy)
            possible += 20
            points += 20 * ramp(share, 20, 10)
            let percent = Display.decimal(share, scale: one / 100, places: 0)
            explanation.append("saturated fat \(percent) % of energy")
        } else {
            confidence = min(confidence, .medium)
            explanation.append("saturated fat is unknown")
        }
        if let fiber = facts.totals[.fiber] {
            // 14 g per 1,000 kcal (Dietary Reference Intakes, 2005): mg per 14 kcal.
            let part = Rounding.scaled(fiber, by: one, over: max(shares.energy / 1_000 * 14, 1))
            possible += 15
            points += 15 * min(max(part, 0), one)
            let rate = Rounding.scaled(fiber, by: 1_000_000, over: shares.energy)
            explanation.append(
                "fibre \(Display.decimal(rate, scale: 1_000, places: 0)) g per 1000 kcal")
        } else {
            confidence = min(confidence, .medium)
            explanation.append("fibre is unknown")
        }
        let (matches, understanding) = facts.ingredients()
        if understanding == .nothing {
            confidence = min(confidence, .medium)
            explanation.append("ingredients are unknown")
        } else {
            possible += 25
            points += 25 * ingredients(matches, &explanation)
            if understanding == .partly { confidence = min(confidence, .medium) }
        }
        let score = Rounding.scaled(points, by: 100, over: possible * one)
        return DietScore(diet, Int(score), explanation, confidence)
    }

    /// A third for each of three kinds of good ingredient, less a third for each kind that is not.
    private static func ingredients(
        _ matches: [Lexicon.Match], _ explanation: inout [String]
    ) -> Int64 {
        let good: [IngredientClass] = [
            .oliveOil, .fish, .legume, .vegetable, .fruit, .nut, .wholeGrain,
        ]
        let bad: [IngredientClass] = [.redMeat, .processedMeat, .butter, .sugaryDrink]
        func found(_ classes: [IngredientClass]) -> [String] {
            classes.compactMap { wanted in
                matches.first { !$0.classes.isDisjoint(with: wanted) }.map { $0.word }
            }
        }
        let (plus, minus) = (found(good), found(bad))
        if !plus.isEmpty { explanation.append("with " + plus.joined(separator: ", ")) }
        if !minus.isEmpty { explanation.append("also " + minus.joined(separator: ", ")) }
        let thirds = Int64(min(plus.count, 3) - minus.count)
        return Rounding.scaled(min(max(thirds, 0), 3), by: one, over: 3)
    }
}
