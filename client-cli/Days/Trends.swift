import MacrologArgumentParsing
import MacrologTerminal
import MacrologJSON
import Macrolog
import MacrologFaces

/// `trends`: what was eaten over a week or a month, compared with the previous span, and its
/// scores.
enum Trends {
    static let period = Parameter.optionalArgument(
        "period", .period, "How many days, up to the day meant: 7d, 30d. Otherwise 7d.")

    static let command = Verb(
        "trends", "Compare averages with the previous period, and show diet scores.",
        example: "trends",
        "trends 30d",
        explanation: """
            Averages are over the days with food. The change is against the same number of days
            before. Scores need a diet: macrolog diet set.
            """, run: run
    ) { period }

    static func run(arguments: ParsedArguments, home: inout Home) throws {
        let count = Int(arguments[period] ?? 7)
        let span = try home.day.lastDays(count)
        let before = span.lowerBound.advanced(by: -1).lastDays(count)
        let (now, then) = try home.read { diary in
            (try diary.statsReport(over: span).stats, try diary.statsReport(over: before).stats)
        }
        let profile = try home.replica.read { try $0.profile() }
        let scores = try profile.dietType.map {
            try DietTrendView(span, FollowedDiet($0, arguments, &home), &home)
        }
        try home.show(StatsJSON.trends(now, earlier: then, dietScores: scores?.json ?? .null)) {
            home in
            let shown = Shown(preferences: try home.preferences)
            home.say(
                home.style.paint(
                    "\(counted(Int64(count), "day")), \(span.lowerBound) to \(span.upperBound)",
                    .bold)
                    + (now.includesToday ? home.style.paint(", today included", .dim) : ""))
            guard now.loggedDays > 0 else {
                return home.say("Nothing was eaten in this period\(now.skippedNote).")
            }
            home.say("")
            home.say(table(now, then, shown).lines(style: home.style, width: home.width))
            home.say(
                home.style.paint(
                    "Average per day over the days with food: \(now.loggedDays), before "
                        + "\(then.loggedDays).", .dim))
            if let shares = now.distribution {
                home.say(
                    "Energy from protein \(shares.protein) %, carbs \(shares.carbs) %, fat "
                        + "\(shares.fat) %")
            }
            for line in now.totals.sharesKnown("Shares of the energy", wrappedTo: home.width) {
                home.say(line)
            }
            guard let scores else { return home.say("Diet scores: macrolog diet set balanced") }
            home.say("")
            home.say(home.style.paint("As \(scores.diet.formatted)", .bold))
            home.say(scores.lines(home.style, width: home.width))
        }
    }

    private static func table(_ now: PeriodStats, _ then: PeriodStats, _ shown: Shown) -> Table {
        var table = Table(
            Table.Column("average"), Table.Column("these days", .right),
            Table.Column("before", .right), Table.Column("change", .right),
            Table.Column("goal", .right))
        for nutrient in Nutrient.main {
            let (new, old) = (now.averages(of: nutrient).logged, then.averages(of: nutrient).logged)
            guard let new else { continue }
            let change = old.map { new.amount - $0.amount }
            table.add(
                Table.Cell(nutrient.formatted.capitalised),
                Table.Cell(shown.amountWithUnit(new.amount, of: nutrient)),
                Table.Cell(shown.amountWithUnit(old?.amount, of: nutrient)),
                Table.Cell(
                    change.map { ($0 > 0 ? "+" : "") + shown.amount($0, of: nutrient) } ?? "–"),
                Table.Cell(
                    shown.amountWithUnit(now.targetAverage(of: nutrient)?.amount, of: nutrient)))
        }
        return table
    }
}

extension NutrientTotals {
    /// The coverage of the macronutrients, unless it is complete: with their shares, or instead of
    /// them.
    func sharesKnown(_ shares: String, wrappedTo width: Int) -> [String] {
        let partial = MacroDistribution.nutrients.filter { !coverage(of: $0).isComplete }
        guard let first = partial.first else { return [] }
        let isAlike = partial.allSatisfy { coverage(of: $0) == coverage(of: first) }
        let known =
            isAlike
            ? GoalPart.listed(partial.map(\.formatted)) + " known for \(coverage(of: first))"
            : partial.map { "\($0.formatted) known for \(coverage(of: $0))" }.joined(
                separator: ", ")
        let lead = MacroDistribution(self) == nil ? "\(shares) unknown: " : ""
        return wrapped("\(lead)\(known) entries", to: width)
    }
}
