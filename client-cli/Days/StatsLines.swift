import MacrologArgumentParsing
import MacrologTerminal
import MacrologJSON
import Macrolog
import MacrologFaces

// A span of days as text.

extension StatsView {
    private var stats: PeriodStats { report.stats }
    private var days: ClosedRange<Day> { stats.days }
    private var count: Int { days.lowerBound.distance(to: days.upperBound) + 1 }

    /// The lines of the screen.
    func lines(_ style: Style, width: Int) -> [String] {
        var title = "\(count) days, \(days.lowerBound) to \(days.upperBound)"
        if count == 1 { title = days.lowerBound.formatted }
        var lines = wrapped(title + (stats.includesToday ? ", today included" : ""), to: width)
            .map { style.paint($0, .bold) }
        guard stats.loggedDays + stats.completeDays > 0 else {
            return lines + ["", "Nothing logged in this period\(stats.skippedNote)."]
        }
        lines += [""] + averages.lines(style: style, width: width)
        let legend =
            "Average per day over days with food (\(stats.loggedDays)), days marked complete "
            + "(\(stats.completeDays)) and all (\(count))."
            + (isPartial ? " In brackets, of how many entries it is known." : "")
        lines += wrapped(legend, to: width).map { style.paint($0, .dim) } + [""]
        for (name, text) in rows(style, width: width) {
            for (index, part) in parts(of: text, width: width - 10).enumerated() {
                lines.append(style.paint(padded(index == 0 ? name : "", to: 10), .bold) + part)
            }
        }
        return lines
    }

    /// A text in lines; one that is too wide is cut where two spaces keep its parts apart, then between words.
    private func parts(of text: String, width: Int) -> [String] {
        guard displayWidth(text) > width else { return [text] }
        return text.split(separator: "  ").flatMap {
            wrapped(String($0.drop { $0 == " " }), to: width)
        }
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
            let target = stats.targetAverage(of: nutrient)
            guard averages.logged != nil || averages.complete != nil || target != nil else {
                continue
            }
            let coverage = stats.totals.coverage(of: nutrient)
            let known = coverage.isComplete ? "" : " (\(coverage))"
            table.add(
                Table.Cell(nutrient.formatted.capitalised + known),
                Table.Cell(text(averages.logged, nutrient, of: stats.loggedDays)),
                Table.Cell(text(averages.complete, nutrient, of: stats.completeDays)),
                Table.Cell(text(averages.calendar, nutrient, of: count)),
                Table.Cell(target.map { shown.amountWithUnit($0.amount, of: nutrient) } ?? "–"))
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
        let known = stats.totals.sharesKnown("shares", wrappedTo: width - 10)
        for (index, line) in known.enumerated() {
            rows.append((index == 0 && stats.distribution == nil ? "Energy" : "", line))
        }
        if count > 1, count <= width - 10 {
            rows.append(("Each day", sparkline(energies, style: style) + extremes))
        }
        if shown.preferences.showsStreaks ?? true {
            let days = report.streak.current == 1 ? "1 day" : "\(report.streak.current) days"
            rows.append(("Streak", "\(days) in a row, at best \(report.streak.longest)"))
        }
        if let first = report.trend.points.first, let last = report.trend.points.last {
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
    private var energies: [Int64?] { StatsJSON.energies(report.days, over: days) }

    private var extremes: String {
        let known = energies.compactMap(\.self)
        guard let least = known.min(), let most = known.max() else { return "" }
        return "  \(shown.energy(least)) to \(shown.energyWithUnit(most))"
    }
}

extension PeriodStats {
    /// Why a period with entries may have none that count.
    var skippedNote: String {
        skippedDays == 0 ? "" : "; \(counted(Int64(skippedDays), "skipped day")) left out"
    }
}
