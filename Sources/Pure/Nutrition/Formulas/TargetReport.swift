/// A day's targets, their explanation, and the estimated energy expenditure.
public struct TargetReport: Hashable, Sendable {
    /// The active plan; `nil` without one.
    public let plan: GoalPlan?
    /// The targets; `nil` without an active plan.
    public let targets: DayTargets?
    /// The arithmetic of the targets.
    public let explanation: TargetExplanation?
    /// The day's activity. Its active energy is part of the targets of a dynamic plan.
    public let movement: DayEnergy
    /// The estimate from intake and weight; `nil` without one.
    public let expenditure: Expenditure?
    /// Resting energy on that day; `nil` when too little is known of the body.
    public let resting: RestingEnergy?
    /// The activity level that the equation uses.
    public let activityLevel: ActivityLevel
    /// Why there is no estimate, and what to do about it.
    public let missing: String?

    /// The targets of a day.
    package init(
        plan: GoalPlan?, targets: DayTargets?, explanation: TargetExplanation?, movement: DayEnergy,
        expenditure: Expenditure?, resting: RestingEnergy?, activityLevel: ActivityLevel,
        missing: String?
    ) {
        self.plan = plan
        self.targets = targets
        self.explanation = explanation
        self.movement = movement
        self.expenditure = expenditure
        self.resting = resting
        self.activityLevel = activityLevel
        self.missing = missing
    }

    /// The result of the equation for a day, in thousandths of a kilocalorie: resting energy times
    /// the multiplier of ``activityLevel``.
    public var equationMillikilocalories: Int64? {
        resting.map {
            Rounding.scaled(
                $0.millikilocalories, by: activityLevel.multiplierThousandths, over: 1_000)
        }
    }
}
