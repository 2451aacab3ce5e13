public import MacrologJSON
public import MacrologNutrition

extension StatsReport {
    /// The averages, rates and shares of a span.
    public var json: JSON {
        func number(_ count: Int) -> JSON { .integer(Int64(count)) }
        let rate: JSON? = stats.achievementRateBasisPoints.map { .decimal($0, scale: 2) }
        let byDay = zip(stats.days, StatsJSON.energies(days, over: stats.days)).map { day, energy in
            JSON.object([
                JSON.Member("day", .day(day)),
                JSON.Member("energy_kcal", .amount(energy, of: .energy)),
            ])
        }
        return .object([
            JSON.Member("from", .day(stats.days.lowerBound)),
            JSON.Member("to", .day(stats.days.upperBound)),
            JSON.Member("span_days", number(stats.days.count)),
            JSON.Member("logged_days", number(stats.loggedDays)),
            JSON.Member("complete_days", number(stats.completeDays)),
            JSON.Member("skipped_days", number(stats.skippedDays)),
            JSON.Member("includes_today", .bool(stats.includesToday)),
            JSON.Member("achieved_days", number(stats.achievedDays)),
            JSON.Member("missed_days", number(stats.missedDays)),
            JSON.Member("achievement_rate_percent", rate ?? .null),
            JSON.Member("averages", .array(Nutrient.main.map { averages(of: $0) })),
            JSON.Member("energy_shares", stats.distribution?.json ?? .null),
            JSON.Member("entry_count", .integer(stats.totals.parts)),
            JSON.Member("streak_days", number(streak.current)),
            JSON.Member("longest_streak_days", number(streak.longest)),
            JSON.Member("energy_by_day", .array(byDay)),
        ])
    }

    private func averages(of nutrient: Nutrient) -> JSON {
        func average(_ average: PeriodStats.Average?) -> JSON {
            guard let average else { return .null }
            return .object([
                JSON.Member("mean_" + nutrient.jsonUnit, .amount(average.amount, of: nutrient)),
                JSON.Member("counted_days", .integer(Int64(average.days))),
            ])
        }
        let averages = stats.averages(of: nutrient)
        return .object([
            JSON.Member("nutrient", .text(nutrient.key)),
            JSON.Member("over_logged_days", average(averages.logged)),
            JSON.Member("over_complete_days", average(averages.complete)),
            JSON.Member("over_calendar_days", average(averages.calendar)),
            JSON.Member("goal_over_days", average(stats.targetAverage(of: nutrient))),
            JSON.Member("entries_known", .integer(stats.totals.coverage(of: nutrient).known)),
        ])
    }

}

/// Spans of days as JSON.
public enum StatsJSON {
    /// The energy of each day of a span, in thousandths of a kilocalorie; `nil` on days without
    /// food.
    public static func energies(
        _ days: [DaySummary], over span: ClosedRange<Day>
    ) -> [Int64?] {
        var byDay: [Day: Int64] = [:]
        for day in days where day.consumedMeals > 0 { byDay[day.day] = day.totals[.energy] }
        return span.map { byDay[$0] }
    }

    /// A span compared with an earlier one of the same length.
    ///
    /// - Parameter dietScores: The scores of the span; null without a diet.
    public static func trends(
        _ now: PeriodStats, earlier then: PeriodStats, dietScores: JSON
    ) -> JSON {
        .object([
            JSON.Member("from", .day(now.days.lowerBound)),
            JSON.Member("to", .day(now.days.upperBound)),
            JSON.Member("logged_days", .integer(Int64(now.loggedDays))),
            JSON.Member("earlier_logged_days", .integer(Int64(then.loggedDays))),
            JSON.Member(
                "averages",
                .array(Nutrient.main.map { average(of: $0, now, then) })),
            JSON.Member("energy_shares", now.distribution?.json ?? .null),
            JSON.Member("entry_count", .integer(now.totals.parts)),
            JSON.Member("diet_scores", dietScores),
        ])
    }

    private static func average(
        of nutrient: Nutrient, _ now: PeriodStats, _ then: PeriodStats
    ) -> JSON {
        func member(_ word: String, _ amount: Int64?) -> JSON.Member {
            JSON.Member("\(word)_\(nutrient.jsonUnit)", .amount(amount, of: nutrient))
        }
        return .object([
            JSON.Member("nutrient", .text(nutrient.key)),
            member("mean", now.averages(of: nutrient).logged?.amount),
            member("earlier_mean", then.averages(of: nutrient).logged?.amount),
            member("goal", now.targetAverage(of: nutrient)?.amount),
            JSON.Member("entries_known", .integer(now.totals.coverage(of: nutrient).known)),
        ])
    }
}

extension Streak {
    /// The streak and the longest one.
    public var json: JSON {
        .object([
            JSON.Member("streak_days", .integer(Int64(current))),
            JSON.Member("longest_streak_days", .integer(Int64(longest))),
        ])
    }
}
