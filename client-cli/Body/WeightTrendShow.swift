import MacrologArgumentParsing
import MacrologTerminal
import MacrologJSON
import Macrolog
import MacrologFaces

/// `weight trend`: the smoothed line through the weigh-ins, and its direction.
enum WeightTrendShow {
    static let days = Parameter.option(
        "days", .integer("N", in: 2...36_600), otherwise: "28",
        "How many days, ending with --date or today.")

    static let command = Verb(
        "weight trend", "Show the smoothed trend of the weigh-ins.", example: "weight trend",
        "weight trend --days 90",
        explanation: """
            The trend moves a tenth of the way to each day's weight (the Hacker's Diet), and across a
            gap as far as that many days would. It filters the noise of the scale. The slope is that
            of a straight line through the trend. The date at which you would reach the target weight
            follows from the slope of the last four weeks, with its range.
            """, run: run
    ) { days }

    static func run(arguments: ParsedArguments, home: inout Home) throws {
        let span = try home.day.lastDays(Int(arguments[days]))
        let trend = try home.replica.read { try $0.weightTrend(through: span.upperBound) }.during(
            span)
        let projection = Projection(
            outlook: try home.replica.read { try $0.weightOutlook(on: span.upperBound) },
            target: try home.replica.read { try $0.profile() }.targetWeightGrams)
        try home.show(
            BodyJSON.trend(
                trend, during: span, outlook: projection.outlook, target: projection.target)
        ) { home in
            let shown = Shown(preferences: try home.preferences)
            guard let first = trend.points.first, let last = trend.points.last else {
                return home.say(
                    "No weigh-ins in this period. macrolog weight log \(shown.typedWeight)")
            }
            home.say(lines(trend, shown, home.style, width: home.width))
            home.say("")
            let change = (last.trendNanograms - first.trendNanograms) / 1_000
            var line = "Trend \(home.style.paint(shown.weight(last.trendGrams), .bold))"
            line += ", \(shown.weightChange(micrograms: change)) since \(first.day)"
            if let slope = trend.trendSlopeMicrogramsPerWeek {
                line += ", \(shown.weightChange(micrograms: slope)) a week"
            }
            home.say(line)
            for line in projection.lines(trendGrams: last.trendGrams, shown) {
                home.say(wrapped(line, to: home.width))
            }
        }
    }

    /// One line per day with a weight: the weight, the trend, and a dot for each between the
    /// extremes where there is room.
    private static func lines(
        _ trend: WeightTrend, _ shown: Shown, _ style: Style, width: Int
    ) -> [String] {
        let all = trend.points.flatMap { [$0.grams, $0.trendGrams] }
        guard let least = all.min(), let greatest = all.max() else { return [] }
        // Stones and pounds are wide: "13 st 12.5 lb".
        let cell = max(13, (all.map { displayWidth(shown.weight($0)) }.max() ?? 0) + 1)
        let room = width - 14 - 2 * cell
        func column(_ grams: Int64) -> Int {
            guard greatest > least else { return room / 2 }
            let steps = (grams - least) * Int64(room - 1)
            return Int(steps / (greatest - least))
        }
        var lines = [
            style.paint("\(padded("day", to: 12))\(padded("weight", to: cell))trend", .bold)
        ]
        for point in trend.points {
            let day = padded("\(point.day)", to: 12)
            let weights = [point.grams, point.trendGrams].map { shown.weight($0) }
            guard room >= 10 else {
                lines.append(day + padded(weights[0], to: cell) + weights[1])
                continue
            }
            var columns = [String](repeating: " ", count: room)
            columns[column(point.trendGrams)] = style.paint(style.blocks ? "●" : "+", .cyan)
            let mark = column(point.grams)
            if mark != column(point.trendGrams) { columns[mark] = style.blocks ? "○" : "o" }
            while columns.last == " " { columns.removeLast() }
            lines.append(
                day + weights.map { padded($0, to: cell) }.joined() + columns.joined())
        }
        return lines
    }
}
