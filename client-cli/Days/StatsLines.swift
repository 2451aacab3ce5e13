import MacrologArgumentParsing
import MacrologTerminal
import MacrologJSON
import Macrolog

// A span of days as text and as JSON.

extension StatsView {
    private var count: Int { stats.days.lowerBound.distance(to: stats.days.upperBound) + 1 }

    /// The lines of the screen.
    func lines(_ style: Style, width: Int) -> [String] {
        var title = "\(count) days, \(stats.days.lowerBound) to \(stats.days.upperBound)"
        if count == 1 { title = stats.days.lowerBound.formatted }
        var lines = [
            style.paint(title, .bold)
                + (stats.includesToday ? style.paint(", today included", .dim) : "")
        ]
        guard stats.loggedDays + stats.completeDays > 0 else {
            return lines + ["", "Nothing logged in this period."]
        }
        lines += [""] + averages.lines(style: style, width: width)
        let legend =
            "Average per day over days with food (\(stats.loggedDays)), days marked complete "
            + "(\(stats.completeDays)) and all (\(count))."
            + (isPartial ? " In brackets, of how many entries it is known." : "")
        lines += wrapped(legend, to: width).map { style.paint($0, .dim) } + [""]
        lines += rows(style, width: width).map { style.paint(padded($0.0, to: 10), .bold) + $0.1 }
        return lines
    }

    /// Whether some entries have unknown values.
    private var isPartial: Bool {
        Nutrient.main.contains { !stats.totals.coverage(of: $0).isComplete }
    }

    private var averages: Table {
        var table = Table(
            Table.Column("average"), Table.Column("with food", .right),
            Table.Column("complete", .right), Table.Column("all days", .right),
            Table.Column("goal", .right))
        for nutrient in Nutrient.main {
            let averages = stats.averages(of: nutrient)
            let goal = stats.goalAverage(of: nutrient)
            guard averages.logged != nil || averages.complete != nil || goal != nil else {
                continue
            }
            let coverage = stats.totals.coverage(of: nutrient)
            let known = coverage.isComplete ? "" : " (\(coverage))"
            table.add(
                Table.Cell(nutrient.formatted.capitalised + known),
                Table.Cell(text(averages.logged, nutrient, of: stats.loggedDays)),
                Table.Cell(text(averages.complete, nutrient, of: stats.completeDays)),
                Table.Cell(text(averages.calendar, nutrient, of: count)),
                Table.Cell(goal.map { shown.amountWithUnit($0.amount, of: nutrient) } ?? "–"))
        }
        return table
    }

    /// The mean, and its number of days if that is lower than in the title.
    private func text(_ average: PeriodStats.Average?, _ nutrient: Nutrient, of days: Int) -> String
    {
        guard let average else { return "–" }
        let text = shown.amountWithUnit(average.amount, of: nutrient)
        return average.days == days ? text : "\(text) (\(average.days) d)"
    }

    private func rows(_ style: Style, width: Int) -> [(String, String)] {
        var rows: [(String, String)] = []
        if let rate = stats.achievementRateBasisPoints {
            let judged = stats.achievedDays + stats.missedDays
            rows.append(
                (
                    "Goal",
                    bar(rate, of: 10_000, width: 20, style: style)
                        + "  met on \(stats.achievedDays) of \(judged) days "
                        + "(\(percentage(rate, of: 10_000)) %)"
                ))
        }
        if let shares = stats.distribution {
            rows.append(("Energy", distribution(shares, style)))
        }
        for line in stats.totals.sharesKnown("shares", wrappedTo: width - 10) {
            rows.append((rows.last?.0 == "Energy" ? "" : "Energy", line))
        }
        if count > 1, count <= width - 10 {
            rows.append(("Each day", sparkline(energies, style: style) + extremes))
        }
        if shown.preferences.showsStreaks ?? true {
            let days = streak.current == 1 ? "1 day" : "\(streak.current) days"
            rows.append(("Streak", "\(days) in a row, at best \(streak.longest)"))
        }
        if let first = trend.points.first, let last = trend.points.last {
            let change = (last.trendNanograms - first.trendNanograms) / 1_000
            rows.append(
                (
                    "Weight",
                    "trend \(shown.weight(last.trendGrams)), "
                        + "\(shown.weightChange(micrograms: change)) since \(first.day)"
                ))
        }
        return rows
    }

    private func distribution(_ shares: MacroDistribution, _ style: Style) -> String {
        let parts: [(String, Int, Paint)] = [
            ("protein", shares.protein, .green), ("carbs", shares.carbs, .yellow),
            ("fat", shares.fat, .magenta),
        ]
        return parts.map { name, share, paint in
            let blocks = String(repeating: style.blocks ? "█" : "#", count: (share + 2) / 5)
            return style.paint(blocks, paint) + (blocks.isEmpty ? "" : " ") + "\(name) \(share) %"
        }.joined(separator: "  ")
    }

    /// The energy of each day of the span; `nil` on days without food.
    private var energies: [Int64?] {
        var byDay: [Day: Int64] = [:]
        for day in days where day.consumedMeals > 0 { byDay[day.day] = day.totals[.energy] }
        return stats.days.map { byDay[$0] }
    }

    private var extremes: String {
        let known = energies.compactMap(\.self)
        guard let least = known.min(), let most = known.max() else { return "" }
        return "  \(shown.energy(least)) to \(shown.energyWithUnit(most))"
    }
}

extension StatsView {
    /// The span as JSON.
    var json: JSON {
        func number(_ count: Int) -> JSON { .integer(Int64(count)) }
        let rate: JSON? = stats.achievementRateBasisPoints.map { .decimal($0, scale: 2) }
        let byDay = zip(stats.days, energies).map { day, energy in
            JSON.object([
                JSON.Member("day", .day(day)),
                JSON.Member("energy_kcal", .amount(energy, of: .energy)),
            ])
        }
        return .object([
            JSON.Member("from", .day(stats.days.lowerBound)),
            JSON.Member("to", .day(stats.days.upperBound)),
            JSON.Member("span_days", number(count)),
            JSON.Member("logged_days", number(stats.loggedDays)),
            JSON.Member("complete_days", number(stats.completeDays)),
            JSON.Member("skipped_days", number(stats.skippedDays)),
            JSON.Member("includes_today", .bool(stats.includesToday)),
            JSON.Member("achieved_days", number(stats.achievedDays)),
            JSON.Member("missed_days", number(stats.missedDays)),
            JSON.Member("achievement_rate_percent", rate ?? .null),
            JSON.Member("averages", .array(Nutrient.main.map(averages))),
            JSON.Member("energy_shares", stats.distribution?.json ?? .null),
            JSON.Member("entry_count", .integer(stats.totals.parts)),
            JSON.Member("streak_days", number(streak.current)),
            JSON.Member("longest_streak_days", number(streak.longest)),
            JSON.Member("energy_by_day", .array(byDay)),
        ])
    }

    private func averages(_ nutrient: Nutrient) -> JSON {
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
            JSON.Member("goal_over_days", average(stats.goalAverage(of: nutrient))),
            JSON.Member("entries_known", .integer(stats.totals.coverage(of: nutrient).known)),
        ])
    }
}
