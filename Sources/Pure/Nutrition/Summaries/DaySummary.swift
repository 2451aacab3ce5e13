public import MacrologEvents

/// One day: what was eaten, what was planned, and the day's goal status.
public struct DaySummary: Hashable, Sendable {
    /// What one meal, or several of one slot that were summed elsewhere, adds to its day.
    package struct Contribution: Hashable, Sendable {
        /// The meal slot: `breakfast`, or a person's own slot.
        public let slot: UTF8Text
        /// Whether it was eaten; only then does it count.
        public let isConsumed: Bool
        /// Its total; see ``NutrientTotals/init(own:items:shareBasisPoints:)``.
        public let totals: NutrientTotals
        /// The number of meals that it represents.
        public let meals: Int

        /// A meal that is not deleted.
        package init(slot: UTF8Text, isConsumed: Bool, totals: NutrientTotals, meals: Int = 1) {
            self.slot = slot
            self.isConsumed = isConsumed
            self.totals = totals
            self.meals = meals
        }
    }

    /// The sum of one meal slot.
    public struct Slot: Hashable, Sendable {
        /// `breakfast`, or a person's own slot.
        public let key: UTF8Text
        /// The nutrients eaten.
        public let totals: NutrientTotals
    }

    /// The day that is summed.
    public let day: Day
    /// What was eaten.
    public let totals: NutrientTotals
    /// What was eaten, by meal slot: breakfast, lunch, dinner, snack, then a person's own by
    /// the bytes of their keys.
    public let slots: [Slot]
    /// Meals that were entered but not eaten.
    public let planned: NutrientTotals
    /// How many meals were eaten.
    public let consumedMeals: Int
    /// The person's status of the record.
    public let status: DayStatus
    /// The day's targets; `nil` with no plan in force.
    public let targets: DayTargets?
    /// The goal status; `nil` without a plan in force and without a verdict of the person.
    public let goalStatus: GoalStatus?

    /// Summarises a day.
    ///
    /// - Parameters:
    ///   - meals: Those that are not deleted, in any order.
    ///   - status: The person's status of the record.
    ///   - verdict: The person's own verdict; it takes precedence over the sums.
    ///   - targets: The targets of the plan in force.
    ///   - today: The current local day.
    ///   - toleranceBasisPoints: The tolerance of `max` and `min` targets, 0 to 5,000.
    package init(
        day: Day, meals: [Contribution], status: DayStatus = .open,
        verdict: GoalOverride = .none, targets: DayTargets? = nil, today: Day,
        toleranceBasisPoints: Int64 = 500
    ) {
        var totals = NutrientTotals()
        var planned = NutrientTotals()
        var slots: [(key: UTF8Text, totals: NutrientTotals)] = []
        for meal in meals {
            guard meal.isConsumed else {
                planned.add(meal.totals)
                continue
            }
            totals.add(meal.totals)
            if let index = slots.firstIndex(where: { $0.key == meal.slot }) {
                slots[index].totals.add(meal.totals)
            } else {
                slots.append((meal.slot, meal.totals))
            }
        }
        self.day = day
        self.totals = totals
        self.planned = planned
        self.status = status
        self.targets = targets
        consumedMeals = meals.reduce(0) { $0 + ($1.isConsumed ? $1.meals : 0) }
        self.slots = slots.sorted { DaySummary.precedes($0.key, $1.key) }
            .map { Slot(key: $0.key, totals: $0.totals) }
        goalStatus = DaySummary.goalStatus(
            day: day, totals: totals, hasMeals: consumedMeals > 0, status: status,
            verdict: verdict, targets: targets, today: today,
            toleranceBasisPoints: toleranceBasisPoints)
    }

    /// Whether the day counts as logged: something was eaten, or the record is complete.
    public var isLogged: Bool { consumedMeals > 0 || status == .complete }

    /// The target of a nutrient less what was eaten; negative when it is exceeded, `nil` without a
    /// target. What is unknown is not subtracted: see its coverage.
    package func remaining(_ nutrient: Nutrient) -> Int64? {
        targets?[nutrient]?.remaining(after: totals[nutrient] ?? 0)
    }

    /// How a day stands to its goal, by sums that may have been kept elsewhere.
    package static func goalStatus(
        day: Day, totals: NutrientTotals, hasMeals: Bool, status: DayStatus,
        verdict: GoalOverride, targets: DayTargets?, today: Day, toleranceBasisPoints: Int64 = 500
    ) -> GoalStatus? {
        switch verdict {
        case .achieved: return .achieved
        case .missed: return .missed
        case .none: break
        }
        guard let targets else { return nil }
        if status == .skipped || (!hasMeals && status != .complete) { return .noData }
        if day >= today, status != .complete { return .inProgress }
        switch targets.areMet(by: totals, toleranceBasisPoints: toleranceBasisPoints) {
        case true?: return .achieved
        case false?: return .missed
        case nil: return .noData
        }
    }

    private static func precedes(_ left: UTF8Text, _ right: UTF8Text) -> Bool {
        let common = CommonSlot.names
        let places = (
            common.firstIndex(of: left) ?? common.count,
            common.firstIndex(of: right) ?? common.count
        )
        return places.0 == places.1 ? left < right : places.0 < places.1
    }
}
