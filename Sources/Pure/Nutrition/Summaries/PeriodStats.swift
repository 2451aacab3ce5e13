/// A span of days: averages that say what they divide by, how often the goal was met, and where the
/// energy came from. Days to come are left out, unless the whole span is to come.
public struct PeriodStats: Hashable, Sendable {
    /// A mean and the number of days it divides by.
    public struct Average: Hashable, Sendable {
        /// The mean per day, in the nutrient's unit, half to even.
        public let amount: Int64
        /// The days it divides by.
        public let days: Int

        /// A mean over `days` days.
        package init(amount: Int64, days: Int) {
            self.amount = amount
            self.days = days
        }
    }

    /// The three means of one nutrient, which differ by the days they divide by. Each is `nil` where
    /// there is no such day.
    public struct Averages: Hashable, Sendable {
        /// Over the days on which something was eaten and the nutrient known: the headline. Here and
        /// below, a day that was skipped on purpose counts as if it were outside of the span.
        public let logged: Average?
        /// Over the days marked complete, those without food included; without the days on which
        /// the nutrient is wholly unknown.
        public let complete: Average?
        /// Over all days of the span that have begun; `nil` where food was logged on a day on which the nutrient is
        /// wholly unknown.
        public let calendar: Average?
    }

    /// The span, both ends included.
    public let days: ClosedRange<Day>
    /// The sums of the nutrients eaten.
    public let totals: NutrientTotals
    /// On how many days something was eaten, without those skipped on purpose.
    public let loggedDays: Int
    /// How many days are marked complete.
    public let completeDays: Int
    /// How many days were skipped on purpose.
    public let skippedDays: Int
    /// On how many days the goal was met.
    public let achievedDays: Int
    /// On how many days it was not.
    public let missedDays: Int
    /// Whether the span contains today, whose record may be incomplete.
    public let includesToday: Bool
    /// Where the energy came from; `nil` where too little is known, see ``MacroDistribution``.
    public let distribution: MacroDistribution?

    private let summaries: [DaySummary]
    /// The days of the span that have begun; all of them if none has.
    private let begun: ClosedRange<Day>

    /// Summarises a span.
    ///
    /// - Parameters:
    ///   - days: The span, both ends included.
    ///   - summaries: A summary for each of its days that has a meal, a status or a plan in force, in
    ///     any order; days outside the span are left out.
    ///   - today: The current local day.
    package init(_ days: ClosedRange<Day>, summaries: [DaySummary], today: Day) {
        self.days = days
        let begun =
            days.lowerBound > today ? days : days.lowerBound...min(days.upperBound, today)
        self.begun = begun
        let inside = summaries.filter { begun.contains($0.day) }.sorted { $0.day < $1.day }
        self.summaries = inside
        var totals = NutrientTotals()
        for summary in inside { totals.add(summary.totals) }
        self.totals = totals
        loggedDays = inside.reduce(0) {
            $0 + ($1.consumedMeals > 0 && $1.status != .skipped ? 1 : 0)
        }
        completeDays = inside.reduce(0) { $0 + ($1.status == .complete ? 1 : 0) }
        skippedDays = inside.reduce(0) { $0 + ($1.status == .skipped ? 1 : 0) }
        achievedDays = inside.reduce(0) { $0 + ($1.goalStatus == .achieved ? 1 : 0) }
        missedDays = inside.reduce(0) { $0 + ($1.goalStatus == .missed ? 1 : 0) }
        includesToday = days.contains(today)
        distribution = MacroDistribution(totals)
    }

    /// Achieved days of those achieved or missed, in basis points, half to even; `nil` without one.
    public var achievementRateBasisPoints: Int64? {
        let judged = achievedDays + missedDays
        guard judged > 0 else { return nil }
        return Rounding.scaled(Int64(achievedDays), by: 10_000, over: Int64(judged))
    }

    /// The three means of a nutrient. A nutrient that is explicitly zero counts; one that is unknown
    /// does not.
    public func averages(of nutrient: Nutrient) -> Averages {
        var (logged, complete) = (Sum(), Sum())
        for summary in summaries where summary.status != .skipped {
            let hasMeals = summary.consumedMeals > 0
            let amount = summary.totals[nutrient]
            if hasMeals, let amount { logged.add(amount) }
            guard summary.status == .complete else { continue }
            if let amount { complete.add(amount) } else if !hasMeals { complete.add(0) }
        }
        let count = begun.lowerBound.distance(to: begun.upperBound) + 1 - skippedDays
        let calendar =
            logged.days < loggedDays || logged.days == 0 && complete.days == 0
            ? nil : Average(amount: logged.mean(over: count), days: count)
        return Averages(logged: logged.average, complete: complete.average, calendar: calendar)
    }

    /// The mean of the targets in force, over the days that have one and are not skipped: the goal
    /// line of a chart.
    public func targetAverage(of nutrient: Nutrient) -> Average? {
        var sum = Sum()
        for summary in summaries where summary.status != .skipped {
            if let target = summary.targets?[nutrient] { sum.add(target.amount) }
        }
        return sum.average
    }

    private struct Sum {
        var amount: Int128 = 0
        var days = 0

        mutating func add(_ part: Int64) {
            amount += Int128(part)
            days += 1
        }

        func mean(over days: Int) -> Int64 {
            Rounding.clamped(Rounding.halfEven(amount, over: Int128(days)))
        }

        var average: Average? {
            days == 0 ? nil : Average(amount: mean(over: days), days: days)
        }
    }
}
