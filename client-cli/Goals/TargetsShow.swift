import MacrologArgumentParsing
import MacrologTerminal
import MacrologJSON
import Macrolog
import MacrologFaces

/// `targets`: the targets of a day and how they were computed.
enum TargetsShow {
    static let day = Parameter.optionalArgument(
        "day", .day,
        "The day: today, yesterday, -3, friday (the next one) or 2026-11-20. "
            + "Otherwise --date.")
    static let explain = Parameter.flag("explain", "Show how every target is computed.")

    static let allowDefault = Parameter.flag(
        "allow-default", "Assume 1,800 kcal at rest if your body data are unknown.")

    static let command = Verb(
        "targets", "Show a day's targets and your energy expenditure.", example: "targets",
        "targets yesterday --explain",
        explanation: """
            Expenditure is estimated from the energy eaten and the change of weight in 28 days. An
            adaptive goal uses the estimate; without enough records it uses the equation with the activity
            level of your profile.
            """, run: run
    ) {
        day
        explain
        allowDefault
    }

    static func run(arguments: ParsedArguments, home: inout Home) throws {
        let day = try arguments[day].map { try home.typedDay($0, Self.day, arguments) } ?? home.day
        let found = try home.read {
            try $0.targets(on: day, allowsDefault: arguments[allowDefault])
        }
        let preferences = try home.preferences
        try home.show(GoalJSON.report(found, on: day, in: preferences)) { home in
            try GoalShow.tell(found, on: day, &home)
            let shown = Shown(preferences: preferences)
            if arguments[explain], let explanation = found.explanation {
                home.say("")
                home.say(explanation.steps.flatMap { hanging("\($0)", width: home.width) })
                let active = found.movement.activeMillikilocalories
                if active > 0 {
                    let source = found.movement.source.map { "counted by \($0)" }
                    home.say(
                        "  Active energy: \(shown.energyWithUnit(active)), "
                            + (source ?? "of workouts"))
                }
            }
            if let estimate = found.expenditure {
                let sum = estimate.explanation(in: shown.preferences)
                home.say(wrapped("Expenditure: \(sum)", to: home.width))
                home.say("  confidence: \(estimate.confidence.name)")
            } else if let missing = found.missing {
                home.say(wrapped("Expenditure: unknown, \(missing)", to: home.width))
            }
        }
    }
}
