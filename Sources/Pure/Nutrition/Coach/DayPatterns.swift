import MacrologEvents

/// What the last eight weeks show of a person's days, where chance would hardly show it.
///
/// A difference between two kinds of days is stated only if equal kinds would differ as much in at most one of a
/// hundred cases (Fisher's exact test, one-sided), and if there are at least six days of each. Two differences are
/// looked at, so about one person in fifty reads one that is chance. What causes it is not known, and not said.
package struct DayPatterns: Hashable, Sendable {
    /// On how many of some days something was so.
    package struct Count: Hashable, Sendable, CustomStringConvertible {
        /// The days on which it was so.
        package private(set) var hits: Int64
        /// All days.
        package private(set) var days: Int64

        package init(hits: Int64 = 0, days: Int64 = 0) { (self.hits, self.days) = (hits, days) }

        /// `9 of 10`
        package var description: String { "\(hits) of \(days)" }

        mutating func add(_ isHit: Bool) {
            days += 1
            if isHit { hits += 1 }
        }
    }

    /// Two kinds of days, on the first of which something was so more often.
    package struct Difference: Hashable, Sendable {
        package let more: Count
        package let less: Count

        /// `nil` where chance may well make it.
        init?(_ more: Count, _ less: Count) {
            guard min(more.days, less.days) >= DayPatterns.daysMin,
                DayPatterns.isUnlikely(more, less)
            else { return nil }
            (self.more, self.less) = (more, less)
        }
    }

    /// Days with more energy than the target: Saturdays and Sundays against the others.
    package let weekendAbove: Difference?
    /// Days on which protein reached its target: those with a breakfast against those without.
    package let proteinWithBreakfast: Difference?
    /// How many days in a row were logged, if that is a length worth a word that was never exceeded.
    package let longestStreak: Int?

    /// How many days are looked at, before today.
    package static let spanDays = 56
    /// The fewest days of each kind.
    static let daysMin: Int64 = 6

    /// Compares days.
    ///
    /// - Parameters:
    ///   - days: At most ``spanDays``, in any order. Those that were skipped on purpose, and those of which the
    ///     energy or the protein of a part is unknown, do not count for it.
    ///   - streak: Up to today.
    package init(_ days: [DaySummary], streak: Streak) {
        var (weekend, workdays) = (Count(), Count())
        var (withBreakfast, without) = (Count(), Count())
        for day in days where day.isLogged && day.status != .skipped {
            if let target = day.targets?[.energy], target.direction != .min,
                let eaten = Self.known(.energy, of: day)
            {
                let isAbove = target.remaining(after: eaten) < 0 && !target.isMet(by: eaten)
                if day.day.weekday >= 6 { weekend.add(isAbove) } else { workdays.add(isAbove) }
            }
            if let target = day.targets?[.protein], target.direction != .max,
                let eaten = Self.known(.protein, of: day)
            {
                let isReached = target.remaining(after: eaten) <= 0 || target.isMet(by: eaten)
                if day.slots.contains(where: { $0.key == "breakfast" }) {
                    withBreakfast.add(isReached)
                } else {
                    without.add(isReached)
                }
            }
        }
        weekendAbove = Difference(weekend, workdays)
        proteinWithBreakfast = Difference(withBreakfast, without)
        let isLongest = streak.current > 0 && streak.current == streak.longest
        let reached = Milestone.streak(after: streak.current - 1, upTo: streak.current)
        longestStreak = isLongest ? reached : nil
    }

    private static func known(_ nutrient: Nutrient, of day: DaySummary) -> Int64? {
        day.totals.coverage(of: nutrient).isComplete ? day.totals[nutrient] : nil
    }

    /// Whether at most one of a hundred ways to spread the hits over all days gives `more` as many as it has.
    ///
    /// Source: R. A. Fisher, Statistical Methods for Research Workers, 5th edition (1934), §21.02.
    package static func isUnlikely(_ more: Count, _ less: Count) -> Bool {
        let (days, hits) = (more.days + less.days, more.hits + less.hits)
        // The ways are counted exactly: of 56 days there are fewer than 10^16.
        guard days <= spanDays else { return false }
        var ways = Int128(0)
        for count in more.hits...max(more.hits, min(hits, more.days)) {
            ways += choose(count, of: more.days) * choose(hits - count, of: less.days)
        }
        return ways * 100 <= choose(hits, of: days)
    }

    /// How many ways there are to choose some of `all`.
    private static func choose(_ count: Int64, of all: Int64) -> Int128 {
        guard count >= 0, count <= all else { return 0 }
        return (0..<count).reduce(Int128(1)) { $0 * Int128(all - $1) / Int128($1 + 1) }
    }
}
