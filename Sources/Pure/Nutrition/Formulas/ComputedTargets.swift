/// A day's targets for energy and macronutrients, computed from resting energy, activity and weight.
public struct ComputedTargets: Hashable, Sendable {
    /// How a day's movement enters. The ways exclude each other: a multiplier above 1.2 and measured
    /// activity would count movement twice.
    package enum Activity: Hashable, Sendable {
        /// Resting energy × 1.2, and so much active energy, in thousandths of a kilocalorie.
        case measured(Int64)
        /// Resting energy times the level's multiplier.
        case level(ActivityLevel)
        /// The estimated daily expenditure, movement included, in thousandths of a kilocalorie.
        case estimated(Int64)
    }

    /// A remark on targets that are kept unchanged.
    package enum Warning: Hashable, Sendable {
        /// Protein and fat leave no room for carbohydrate: fat was reduced, to no less than 20 % of
        /// energy, and then protein.
        case infeasible
        /// Energy is below resting energy.
        case belowResting
        /// Energy is below 1,500 kcal (men) or 1,200 kcal.
        case belowFloor
    }

    /// Resting energy × 1.2 or × the level's multiplier, or the estimated expenditure, in thousandths of
    /// a kilocalorie.
    package let base: Int64
    /// Measured active energy, in thousandths of a kilocalorie; `nil` where the base includes movement.
    package let active: Int64?
    /// The deficit (negative) or surplus, in thousandths of a kilocalorie.
    package let adjust: Int64
    /// Energy: the sum of the three, not below zero, in thousandths of a kilocalorie.
    public let energy: Int64
    /// Protein, in milligrams.
    package let protein: Int64
    /// Carbohydrate, in milligrams.
    package let carbs: Int64
    /// Fat, in milligrams.
    package let fat: Int64
    /// Protein as asked for, in milligrams; more than ``protein`` where it did not fit.
    package let wishedProtein: Int64
    /// Fat as asked for, in milligrams; more than ``fat`` where it did not fit.
    package let wishedFat: Int64
    /// Remarks on them.
    package let warnings: [Warning]

    /// Whether protein, fat and carbohydrate fit into the energy as asked.
    public var isFeasible: Bool { !warnings.contains(.infeasible) }

    /// `2,100 + 580 = 2,680 kcal`, in whole units that add up; with the activity and the adjustment where there
    /// is one, and `2,997 kcal` with neither.
    public func explanation(in unit: EnergyUnit) -> String {
        let energies = [base] + [active, adjust == 0 ? nil : adjust].compactMap { $0 }
        let terms = energies.count == 1 ? "" : Display.terms(energies, in: unit) + " = "
        return terms + Display.energy(energy, in: unit)
    }

    /// Computes a day's targets.
    ///
    /// Protein is per pound of body mass, fat a share of energy, carbohydrate the rest. Where the rest
    /// is negative, carbohydrate is zero, fat is reduced to no less than 20 % of energy, and then
    /// protein; the targets are then ``Warning/infeasible``.
    ///
    /// Resting 1,750 kcal, active 580, 180 lb, 0.9 g per pound, 30 % fat: `2,100 + 580 = 2,680`, protein
    /// 162.0 g, fat 89.333 g, carbohydrate 307.0 g. (AirFit's design, whose own sample says 335 g.)
    ///
    /// - Parameters:
    ///   - resting: Resting energy, in thousandths of a kilocalorie.
    ///   - activity: How movement enters.
    ///   - adjust: The deficit (negative) or surplus, in thousandths of a kilocalorie.
    ///   - weightGrams: Body mass, in grams.
    ///   - proteinMilligramsPerPound: 0 to 5,000; a pound is 453.59237 g.
    ///   - fatBasisPoints: Fat's share of energy, 0 to 9,000.
    ///   - sex: Decides the floor that is warned about.
    package init(
        resting: Int64, activity: Activity, adjust: Int64 = 0, weightGrams: Int64,
        proteinMilligramsPerPound: Int64 = 900, fatBasisPoints: Int64 = 3_000, sex: Sex? = nil
    ) {
        switch activity {
        case .measured(let energy):
            base = Rounding.scaled(resting, by: 1_200, over: 1_000)
            active = energy
        case .level(let level):
            base = Rounding.scaled(resting, by: level.multiplierThousandths, over: 1_000)
            active = nil
        case .estimated(let expenditure):
            base = expenditure
            active = nil
        }
        self.adjust = adjust
        let sum = max(Rounding.sum(Rounding.sum(base, active ?? 0), adjust), 0)
        energy = sum
        let wishedProtein = Rounding.clamped(
            Rounding.halfEven(
                Int128(weightGrams) * Int128(proteinMilligramsPerPound) * 100_000,
                over: 45_359_237))
        let wishedFat = Self.mass(of: sum, basisPoints: fatBasisPoints, energyPerGram: 9)
        self.wishedProtein = wishedProtein
        self.wishedFat = wishedFat
        let rest = Int128(sum) - 4 * Int128(wishedProtein) - 9 * Int128(wishedFat)
        var warnings: [Warning] = []
        if rest >= 0 {
            (protein, fat) = (wishedProtein, wishedFat)
            carbs = Rounding.clamped(Rounding.halfEven(rest, over: 4))
        } else {
            warnings.append(.infeasible)
            carbs = 0
            let leastFat = min(
                wishedFat, Self.mass(of: sum, basisPoints: 2_000, energyPerGram: 9))
            let roomForFat = Int128(sum) - 4 * Int128(wishedProtein)
            fat = max(leastFat, Rounding.clamped(Rounding.halfEven(roomForFat, over: 9)))
            let roomForProtein = max(Int128(sum) - 9 * Int128(fat), 0)
            protein = min(
                wishedProtein, Rounding.clamped(Rounding.halfEven(roomForProtein, over: 4)))
        }
        if sum < resting { warnings.append(.belowResting) }
        if sum < (sex == .male ? 1_500_000 : 1_200_000) { warnings.append(.belowFloor) }
        self.warnings = warnings
    }

    /// The masses in milligrams that shares of an energy in thousandths of a kilocalorie stand for:
    /// 4 kcal/g for protein and carbohydrate, 9 for fat, each rounded once, half to even.
    package static func masses(
        of energy: Int64, shares: MacroShares
    ) -> (protein: Int64, carbs: Int64, fat: Int64) {
        (
            mass(of: energy, basisPoints: shares.protein, energyPerGram: 4),
            mass(of: energy, basisPoints: shares.carbs, energyPerGram: 4),
            mass(of: energy, basisPoints: shares.fat, energyPerGram: 9)
        )
    }

    private static func mass(
        of energy: Int64, basisPoints: Int64, energyPerGram: Int64
    ) -> Int64 {
        Rounding.scaled(energy, by: basisPoints, over: 10_000 * energyPerGram)
    }
}

extension ActivityLevel {
    /// The factor for resting energy, in thousandths: 1,200 to 1,900.
    public var multiplierThousandths: Int64 {
        switch self {
        case .sedentary: 1_200
        case .light: 1_375
        case .moderate: 1_550
        case .active: 1_725
        case .athlete: 1_900
        }
    }
}
