import Commands
import JSON
import Macrolog

/// `targets`: the targets of a day and the arithmetic behind them.
enum TargetsShow {
    static let day = Parameter.optionalArgument(
        "day", .day, "The day: today, yesterday, -3, friday or 2026-11-20. Otherwise --date.")
    static let explain = Parameter.flag("explain", "Show how every target is computed.")

    static let command = Verb(
        "targets", "Show a day's targets and what your body uses.", example: "targets",
        "targets yesterday --explain",
        explanation: """
            What the body uses in a day is estimated from what was eaten and what the weight did in
            28 days. An adaptive goal rests on it; without enough records it rests on the equation.
            """, run: run
    ) {
        day
        explain
    }

    static func run(words: Words, home: inout Home) throws {
        let day = try words[day].map { try home.typedDay($0, Self.day, words) } ?? home.day
        let today = try home.today
        let found = try home.replica.withStore { try $0.targets(on: day, today: today) }
        try home.show(json(found, day)) { home in
            let shown = Shown(preferences: try home.preferences)
            if let goals = found.goals, let plan = found.plan {
                GoalShow.tell(goals, of: plan, on: day, shown, &home)
            } else {
                home.say("No goal on \(day). macrolog goal set --kcal 2100 --p 120")
            }
            if words[explain], let explanation = found.explanation {
                home.say("")
                home.say(explanation.steps.map { "  \($0)" })
            }
            if let estimate = found.expenditure {
                home.say("Expenditure: \(estimate.explanation)")
                home.say("  confidence: \(estimate.confidence.word)")
            } else if let missing = found.missing {
                home.say("Expenditure: not known, \(missing)")
            }
        }
    }

    private static func json(_ found: TargetReading, _ day: Day) -> JSON {
        func sentences(_ lines: [String]?) -> JSON { .array((lines ?? []).map { .string($0) }) }
        let explanation = found.explanation
        let estimate = found.expenditure.map { estimate in
            JSON.object([
                JSON.Member("energy_kcal", .amount(estimate.millikilocalories, of: .energy)),
                JSON.Member("plus_minus_kcal", .amount(estimate.plusMinus, of: .energy)),
                JSON.Member("confidence", .string(estimate.confidence.word)),
                JSON.Member("explanation", .string(estimate.explanation)),
            ])
        }
        return .object([
            JSON.Member("day", .day(day)),
            JSON.Member("goal", GoalShow.json(day, found.goals, found.plan)),
            JSON.Member("steps", sentences(explanation?.steps.map { "\($0)" })),
            JSON.Member("assumptions", sentences(explanation?.assumptions)),
            JSON.Member("warnings", sentences(explanation?.warnings)),
            JSON.Member("missing", .optional(explanation?.missing)),
            JSON.Member("expenditure", estimate ?? .null),
            JSON.Member("expenditure_missing", .optional(found.missing)),
        ])
    }
}

extension Expenditure.Confidence {
    var word: String {
        switch self {
        case .low: "low"
        case .medium: "medium"
        case .high: "high"
        }
    }
}
