/// The energy that a label in the European Union states, from its table of factors: kilojoules and
/// kilocalories are computed apart, not from each other.
///
/// Source: Regulation (EU) 1169/2011, Annex XIV.
package struct LabelEnergy: Hashable, Sendable {
    /// Kilocalories, in thousandths.
    public let millikilocalories: Int64
    /// Joules, a thousandth of a kilojoule.
    public let joules: Int64

    /// Computes both from masses in milligrams.
    ///
    /// - Parameters:
    ///   - carbs: Available carbohydrate without polyols: 4 kcal, 17 kJ per gram.
    ///   - polyols: Without erythritol, which has none: 2.4 kcal, 10 kJ.
    ///   - protein: 4 kcal, 17 kJ.
    ///   - fat: 9 kcal, 37 kJ.
    ///   - salatrims: 6 kcal, 25 kJ.
    ///   - alcohol: 7 kcal, 29 kJ.
    ///   - acids: Organic acids: 3 kcal, 13 kJ.
    ///   - fiber: 2 kcal, 8 kJ.
    public init(
        carbs: Int64 = 0, polyols: Int64 = 0, protein: Int64 = 0, fat: Int64 = 0,
        salatrims: Int64 = 0, alcohol: Int64 = 0, acids: Int64 = 0, fiber: Int64 = 0
    ) {
        let parts: [(mass: Int64, tenths: Int128, kilojoules: Int128)] = [
            (carbs, 40, 17), (polyols, 24, 10), (protein, 40, 17), (fat, 90, 37),
            (salatrims, 60, 25), (alcohol, 70, 29), (acids, 30, 13), (fiber, 20, 8),
        ]
        var (tenths, joules): (Int128, Int128) = (0, 0)
        for part in parts {
            tenths += Int128(part.mass) * part.tenths
            joules += Int128(part.mass) * part.kilojoules
        }
        millikilocalories = Rounding.clamped(Rounding.halfEven(tenths, over: 10))
        self.joules = Rounding.clamped(joules)
    }

    /// The kilocalories that a label in the United States prints, which explains small gaps: below 5
    /// it prints 0, up to 50 the nearest 5, above the nearest 10. In thousandths.
    ///
    /// Source: 21 CFR 101.9 (c)(1).
    package static func printed(_ millikilocalories: Int64) -> Int64 {
        if millikilocalories < 5_000 { return 0 }
        let step: Int64 = millikilocalories <= 50_000 ? 5_000 : 10_000
        return (millikilocalories + step / 2) / step * step
    }
}

extension Nutrients {
    /// Carbohydrate that counts on a low-carbohydrate diet, in milligrams: total less fibre and
    /// polyols, or available less polyols; never below zero. Fibre that is unknown is not subtracted.
    /// `nil` while carbohydrate is unknown.
    package func netCarbs(_ basis: CarbBasis) -> Int64? {
        guard let carbs = self[.carbs] else { return nil }
        var net = Int128(carbs) - Int128(self[.polyols] ?? 0)
        if basis == .total { net -= Int128(self[.fiber] ?? 0) }
        return Rounding.clamped(max(net, 0))
    }

    /// Carbohydrate with its fibre, in milligrams; `nil` while carbohydrate is unknown.
    package func totalCarbs(_ basis: CarbBasis) -> Int64? {
        guard let carbs = self[.carbs] else { return nil }
        return basis == .total ? carbs : Rounding.sum(carbs, self[.fiber] ?? 0)
    }
}
