import MacrologArgumentParsing
import MacrologTerminal
import MacrologJSON
import Macrolog
import MacrologFaces

/// `stats`: averages, rates and shares over some days.
enum StatsShow {
    static let period = Parameter.optionalArgument(
        "period", .period, "How many days, up to the day meant: 7d, 30d. Otherwise 7d.")
    static let from = Parameter.option("from", .day, "The first day.")
    static let to = Parameter.option("to", .day, "The last day. Otherwise the day meant.")

    static let command = Verb(
        "stats", "Show averages, goals and shares of a period.", example: "stats",
        "stats 30d", "stats --from 2026-10-01 --to 2026-10-31",
        explanation: """
            There are three averages: over the days with food for which the nutrient is known, over
            the days marked complete, and over all days.
            """, run: run
    ) {
        period
        from
        to
    }

    static func run(arguments: ParsedArguments, home: inout Home) throws {
        let days = try span(arguments, &home)
        let instant = try home.typedInstant
        let report = try home.replica.read { try $0.statsReport(over: days, at: instant) }
        try home.show(report.json) { home in
            let view = StatsView(report: report, shown: Shown(preferences: try home.preferences))
            home.say(view.lines(home.style, width: home.width))
        }
    }

    private static func span(_ arguments: ParsedArguments, _ home: inout Home) throws
        -> ClosedRange<Day>
    {
        let last = try arguments[to].map { try home.typedDay($0, to, arguments) } ?? home.day
        guard let word = arguments[from] else {
            return last.lastDays(Int(arguments[period] ?? 7))
        }
        if arguments.has(period) {
            throw arguments.usageError(combining: "--from", "PERIOD")
        }
        let first = try home.typedDay(word, from, arguments)
        guard first <= last else {
            throw arguments.usageError(
                of: from, "\(first) is after the last day, \(last)", instead: "an earlier day")
        }
        return first...last
    }
}

extension Form where Value == Int64 {
    /// `7d`
    static var period: Form {
        Form("DAYS", completion: .words(["7d", "30d"])) { word throws(BadValue) in
            let digits = word.hasSuffix("d") ? String(word.dropLast()) : word
            guard let days = Int64(digits), (1...36_600).contains(days) else {
                throw BadValue("is not a number of days", instead: "7d, 30d or 365d")
            }
            return days
        }
    }
}

/// A span of days for a person.
struct StatsView {
    let report: StatsReport
    let shown: Shown
}
