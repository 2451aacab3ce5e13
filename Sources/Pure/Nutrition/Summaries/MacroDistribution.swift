/// The shares of energy from protein, carbohydrate and fat, in whole percent that sum to 100.
///
/// Alcohol is left out. Rounded by the largest remainder: every share is cut to whole percent, and
/// the missing percents go to those cut most, the earlier of equals first.
public struct MacroDistribution: Hashable, Sendable {
    /// Protein's share, in percent.
    public let protein: Int
    /// Carbohydrate's share, in percent.
    public let carbs: Int
    /// Fat's share, in percent.
    public let fat: Int

    /// Divides the energy of three masses in milligrams; `nil` when there is none, or one is negative.
    package init?(protein: Int64, carbs: Int64, fat: Int64) {
        guard
            let shares = MacroDistribution.percents([
                4 * Int128(protein), 4 * Int128(carbs), 9 * Int128(fat),
            ])
        else { return nil }
        (self.protein, self.carbs, self.fat) = (shares[0], shares[1], shares[2])
    }

    /// Divides the energy of totals; `nil` where one of the three is known of fewer than four parts in
    /// five: what is unknown is not zero, and would make the shares of the others too great.
    public init?(_ totals: NutrientTotals) {
        guard Self.nutrients.allSatisfy({ totals.coverage(of: $0).isEnough }) else { return nil }
        self.init(
            protein: totals[.protein] ?? 0, carbs: totals[.carbs] ?? 0, fat: totals[.fat] ?? 0)
    }

    /// The nutrients that are divided.
    public static let nutrients: [Nutrient] = [.protein, .carbs, .fat]

    static func percents(_ weights: [Int128]) -> [Int]? {
        let sum = weights.reduce(0, +)
        guard sum > 0, weights.allSatisfy({ $0 >= 0 }) else { return nil }
        var shares = weights.map { Int($0 * 100 / sum) }
        let remainders = weights.map { $0 * 100 % sum }
        let order = weights.indices.sorted {
            remainders[$0] == remainders[$1] ? $0 < $1 : remainders[$0] > remainders[$1]
        }
        for index in order.prefix(100 - shares.reduce(0, +)) { shares[index] += 1 }
        return shares
    }
}
