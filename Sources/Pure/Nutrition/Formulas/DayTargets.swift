public import MacrologEvents

/// One nutrient's target on a day.
public struct Target: Hashable, Sendable {
    /// The nutrient that the target is about.
    public let nutrient: Nutrient
    /// The target, in the nutrient's unit.
    public let amount: Int64
    /// Which side of it is the good one.
    public let direction: GoalDirection

    /// How much the target of a macronutrient forgives; others forgive what `balanced` does.
    private let flexibility: MacroFlexibility

    /// A target.
    package init(
        _ nutrient: Nutrient, _ amount: Int64, _ direction: GoalDirection,
        flexibility: MacroFlexibility = .balanced
    ) {
        self.nutrient = nutrient
        self.amount = amount
        self.direction = direction
        switch nutrient {
        case .protein, .carbs, .fat: self.flexibility = flexibility
        default: self.flexibility = .balanced
        }
    }

    /// Whether a total meets the target.
    ///
    /// At most, or at least, the target within the tolerance; near it within 10 %, energy within
    /// 100 kcal or 10 %, whichever is more. For a macronutrient half of that where the targets are
    /// strict, and twice where they are flexible, but never more than half of the target.
    ///
    /// - Parameters:
    ///   - total: In the nutrient's unit.
    ///   - toleranceBasisPoints: 0 to 5,000; what `max` and `min` forgive.
    public func isMet(by total: Int64, toleranceBasisPoints: Int64 = 500) -> Bool {
        let scaled = Int128(total) * 10_000
        func forgiven(_ share: Int64) -> Int128 {
            switch flexibility {
            case .strict: Int128(share) / 2
            case .balanced: Int128(share)
            case .flexible: min(Int128(share) * 2, 5_000)
            }
        }
        switch direction {
        case .max: return scaled <= Int128(amount) * (10_000 + forgiven(toleranceBasisPoints))
        case .min: return scaled >= Int128(amount) * (10_000 - forgiven(toleranceBasisPoints))
        case .range:
            let floor: Int128 = nutrient == .energy ? 100_000 * 10_000 : 0
            let distance = abs(scaled - Int128(amount) * 10_000)
            return distance <= max(floor, Int128(amount) * forgiven(1_000))
        }
    }

    /// The target less the total; negative when it is exceeded.
    public func remaining(after total: Int64) -> Int64 {
        Rounding.clamped(Int128(amount) - Int128(total))
    }
}

/// The targets of one day.
public struct DayTargets: Hashable, Sendable {
    /// The plan they come from.
    package let plan: Identifier
    /// One per nutrient that has a target, in the order of display.
    public let all: [Target]
    /// Water to drink, in microlitres; `nil` without a target.
    public let waterMicroliters: Int64?
    /// Energy to burn by activity at least, in thousandths of a kilocalorie; `nil` without a target.
    package let burnedMillikilocalories: Int64?
    /// Steps to take at least; `nil` without a target.
    package let steps: Int64?
    /// How energy came about; `nil` for a plan that states its numbers.
    public let computed: ComputedTargets?
    /// Resting energy, where a plan is computed from it.
    package let resting: RestingEnergy?
    /// The values assumed about the body.
    public let assumptions: [RestingEnergy.Assumption]
    /// Why energy and macronutrients have no target although the plan wants them computed.
    public let missing: InsufficientData?

    /// The target of a nutrient; `nil` without one.
    public subscript(nutrient: Nutrient) -> Target? {
        for target in all where target.nutrient == nutrient { return target }
        return nil
    }

    /// Whether the totals meet the day's goal: the energy target or, in a plan without one, every
    /// target. `nil` when there is no target, or a total it depends on is wholly unknown.
    package func areMet(
        by totals: NutrientTotals, toleranceBasisPoints: Int64 = 500
    ) -> Bool? {
        let deciding = self[.energy].map { [$0] } ?? all
        guard !deciding.isEmpty else { return nil }
        var areMet = true
        for target in deciding {
            // Of an empty day everything is known: nothing was eaten.
            guard let total = totals[target.nutrient] ?? (totals.parts == 0 ? 0 : nil) else {
                return nil
            }
            let isMet = target.isMet(by: total, toleranceBasisPoints: toleranceBasisPoints)
            areMet = areMet && isMet
        }
        return areMet
    }
}

/// The goal status of a day.
public enum GoalStatus: Choice {
    /// Nothing consumed, and not marked complete; or skipped on purpose; or nothing to judge by.
    case noData
    /// Today or later, and not marked complete.
    case inProgress
    /// The goal was met.
    case achieved
    /// The goal was not met.
    case missed

    /// The word in read models.
    public var name: UTF8Text {
        switch self {
        case .noData: "no_data"
        case .inProgress: "in_progress"
        case .achieved: "achieved"
        case .missed: "missed"
        }
    }
}
