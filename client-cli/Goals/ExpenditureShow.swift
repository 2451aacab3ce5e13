import MacrologArgumentParsing
import MacrologTerminal
import MacrologJSON
import Macrolog
import MacrologFaces

/// `tdee`: the energy expenditure of a day, and how it was determined.
enum ExpenditureShow {
    static let day = Parameter.optionalArgument(
        "day", .day,
        "The day: today, yesterday, -3, friday (the last one) or 2026-11-20. "
            + "Otherwise --date.")
    static let explain = Parameter.flag("explain", "Show the calculation.")

    static let command = Verb(
        "tdee", "Show your estimated daily energy expenditure.", example: "tdee",
        "tdee --explain",
        explanation: """
            The energy eaten in 28 days, less the energy that the body stored according to the trend
            of your weight. It needs seven days with a record and two weigh-ins a week apart; until
            then the result of the equation is shown. More days give a narrower margin.
            """, run: run
    ) {
        day
        explain
    }

    static func run(arguments: ParsedArguments, home: inout Home) throws {
        let day = try arguments[day].map { try home.typedDay($0, Self.day, arguments) } ?? home.day
        let today = try home.today
        let found = try home.read { try $0.targets(on: day) }
        let window = min(day, today).advanced(by: -1).lastDays(Expenditure.windowDays)
        try home.show(GoalJSON.expenditure(found, on: day, from: window)) { home in
            let shown = Shown(preferences: try home.preferences)
            if let estimate = found.expenditure {
                let margin = shown.energyWithUnit(estimate.plusMinus)
                home.say(
                    "About "
                        + home.style.paint(
                            shown.energyWithUnit(estimate.millikilocalories), .bold)
                        + " a day, give or take \(margin) (\(estimate.confidence.name) confidence)")
            } else if let equation = found.equationMillikilocalories {
                home.say(
                    "About \(home.style.paint(shown.energyWithUnit(equation), .bold)) a day by the "
                        + "equation; there are too few records for an estimate:")
                home.say(wrapped(found.missing ?? "", to: home.width))
            } else {
                home.say("Unknown: \(found.missing ?? "nothing is recorded")")
            }
            if arguments[explain] {
                for (name, text) in rows(found, window, shown) {
                    for (index, line) in wrapped(text, to: home.width - 14).enumerated() {
                        home.say("  \(padded(index == 0 ? name : "", to: 12))\(line)")
                    }
                }
            }
        }
    }

    private static func rows(
        _ found: TargetReport, _ window: ClosedRange<Day>, _ shown: Shown
    ) -> [(String, String)] {
        var rows = [("window", "\(window.lowerBound) to \(window.upperBound)")]
        if let estimate = found.expenditure {
            let daily = estimate.slopeMicrogramsPerWeek
            let energy = shown.energyWithUnit(estimate.meanIntake)
            rows += [
                (
                    "eaten",
                    "\(energy) on average of \(estimate.intakeDays) days with enough records"
                ),
                (
                    "weight",
                    "trend \(shown.weightChange(micrograms: daily)) a week, from "
                        + "\(estimate.weighIns) weigh-ins"
                ), ("sum", estimate.explanation(in: shown.preferences)),
            ]
        }
        if let resting = found.resting, let equation = found.equationMillikilocalories {
            let level = found.activityLevel
            let factor = NumberFormat.plain.text(level.multiplierThousandths, scale: 3)
            rows.append(
                (
                    "equation",
                    "\(shown.energyWithUnit(resting.millikilocalories)) at rest × \(factor) "
                        + "(\(level.name)) = \(shown.energyWithUnit(equation))"
                ))
        }
        rows.append(
            (
                "confidence",
                "high from 21 days, 8 weigh-ins and six weeks of records on; medium from 14 and 4"
            ))
        return rows
    }
}
