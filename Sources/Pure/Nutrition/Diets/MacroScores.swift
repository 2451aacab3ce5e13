import MacrologEvents

/// Diets that are about where the energy comes from: keto, low-carb, balanced, custom, and for the
/// greater part mediterranean.
///
/// Shares are of `4 P + 4 C + 9 F`, alcohol left out: C is net carbohydrate for keto and low-carb and
/// total carbohydrate otherwise. Below 5 kcal there is nothing to judge.
///
/// 35 g of protein, 8 g of carbohydrate, 3 g of it fibre, and 30 g of fat: keto 91, low-carb 100,
/// balanced 30. The formulas are this project's own; what they are built on stands beside each.
extension DietScore {
    /// Parts of a thousand million, in which shares and ramps are computed.
    static let one: Int64 = 1_000_000_000

    /// Where the energy comes from, in parts of a thousand million.
    struct Shares {
        let protein: Int64
        let carbs: Int64
        let fat: Int64
        /// 4 P + 4 C + 9 F, in thousandths of a kilocalorie.
        let energy: Int64

        /// `nil` below 5 kcal.
        init?(protein: Int64, carbs: Int64, fat: Int64) {
            let sum = Atwater.energy(protein: protein, carbs: carbs, fat: fat)
            guard sum >= 5_000 else { return nil }
            energy = sum
            self.protein = Rounding.scaled(protein, by: 4 * one, over: sum)
            self.carbs = Rounding.scaled(carbs, by: 4 * one, over: sum)
            self.fat = Rounding.scaled(fat, by: 9 * one, over: sum)
        }

        var words: String {
            func percent(_ share: Int64) -> String {
                Display.decimal(share, scale: one / 100, places: 0) + " %"
            }
            return "protein \(percent(protein)), carbs \(percent(carbs)), fat \(percent(fat))"
        }
    }

    /// `clamp((x − a) / (b − a))` of percents a and b, in parts of a thousand million; b may be below
    /// a, for what is better when less.
    static func ramp(_ share: Int64, _ from: Int64, _ to: Int64) -> Int64 {
        let (a, b) = (from * (one / 100), to * (one / 100))
        let part =
            a < b
            ? Rounding.scaled(share - a, by: one, over: b - a)
            : Rounding.scaled(a - share, by: one, over: a - b)
        return min(max(part, 0), one)
    }

    /// One within a band of percents, and a linear fall over 20 points outside of it.
    static func band(_ share: Int64, _ low: Int64, _ high: Int64) -> Int64 {
        min(ramp(share, low - 20, low), ramp(share, high + 20, high))
    }

    static func macros(
        _ facts: DietFacts, _ diet: DietType, _ wish: MacroShares?
    ) -> DietScore {
        let isNet = diet == .keto || diet == .lowCarb
        guard let (shares, notes, confidence) = known(facts, isNet: isNet) else {
            return DietScore(diet, nil, ["protein, carbs or fat is unknown"], .low)
        }
        guard let shares else { return DietScore(diet, nil, ["no macros"], .low) }
        let points: Int64
        switch diet {
        case .keto:
            // The idea: at least 70 % fat, below 10 % carbohydrate, moderate protein.
            let protein = min(ramp(shares.protein, 0, 10), ramp(shares.protein, 50, 30))
            points =
                50 * ramp(shares.carbs, 30, 10) + 35 * ramp(shares.fat, 35, 70) + 15 * protein
        case .lowCarb:
            // 26 % of energy is where studies draw the line of "low" (Feinman et al., Nutrition 31
            // (2015) 1).
            points = 75 * ramp(shares.carbs, 50, 26) + 25 * ramp(shares.protein, 5, 15)
        case .custom:
            guard let wish else {
                return DietScore(diet, nil, ["no shares are set: set three percentages"], .low)
            }
            let distance =
                abs(shares.protein - wish.protein * (one / 10_000))
                + abs(shares.carbs - wish.carbs * (one / 10_000))
                + abs(shares.fat - wish.fat * (one / 10_000))
            // Half the sum of distances is what would have to move; half the plate is none.
            points = 100 * max(one - distance, 0)
        default:
            // Acceptable Macronutrient Distribution Ranges (Institute of Medicine, 2005).
            points =
                40 * band(shares.carbs, 45, 65) + 30 * band(shares.fat, 20, 35)
                + 30 * band(shares.protein, 10, 35)
        }
        let net = isNet ? " (net of fibre)" : ""
        return DietScore(
            diet, Int(Rounding.scaled(points, by: 1, over: one)),
            ["energy from \(shares.words)\(net)"] + notes, confidence)
    }

    /// The shares of a meal with what to say about them; `nil` when a macronutrient is wholly unknown,
    /// no shares below 5 kcal.
    static func known(
        _ facts: DietFacts, isNet: Bool
    ) -> (shares: Shares?, notes: [String], confidence: Confidence)? {
        let nutrients = facts.nutrients
        guard let protein = nutrients[.protein], let fat = nutrients[.fat],
            let carbs = isNet
                ? nutrients.netCarbs(facts.carbBasis) : nutrients.totalCarbs(facts.carbBasis)
        else { return nil }
        var notes: [String] = []
        var confidence = Confidence.high
        for nutrient: Nutrient in [.protein, .carbs, .fat] {
            let coverage = facts.totals.coverage(of: nutrient)
            guard !coverage.isComplete else { continue }
            confidence = .low
            notes.append("\(nutrient.key.string) known for \(coverage) parts")
        }
        if isNet, facts.carbBasis == .total, !facts.totals.coverage(of: .fiber).isComplete {
            confidence = min(confidence, .medium)
            notes.append("fibre known for \(facts.totals.coverage(of: .fiber)) parts")
        }
        if let alcohol = nutrients[.alcohol], alcohol > 0 {
            let grams = Display.decimal(alcohol, scale: 1_000, places: 1)
            notes.append("\(grams) g of alcohol left out")
        }
        return (Shares(protein: protein, carbs: carbs, fat: fat), notes, confidence)
    }
}
