import MacrologArgumentParsing
import MacrologTerminal
import MacrologJSON
import Macrolog
import MacrologFaces

/// `goal show`: the targets of a day.
enum GoalShow {
    static let command = Verb(
        "goal show", "Show the targets of a day.", example: "goal show",
        "goal show --date tomorrow", run: run)

    static func run(arguments: ParsedArguments, home: inout Home) throws {
        try show(on: home.day, &home)
    }

    static func show(on day: Day, _ home: inout Home) throws {
        let found = try home.read { try $0.targets(on: day) }
        let preferences = try home.preferences
        try home.show(
            GoalJSON.targets(
                found.targets, of: found.plan, on: day, in: preferences)
        ) { home in
            try tell(found, on: day, &home)
        }
        if let start = found.plan?.startDate { try home.warnOfGoals(beginningOn: start) }
    }

    static func tell(_ found: TargetReport, on day: Day, _ home: inout Home) throws {
        guard let targets = found.targets, let plan = found.plan else {
            let date = try home.dateOption(day)
            return home.say("No goal on \(day). macrolog goal set --kcal 2100 --p 120\(date)")
        }
        let shown = Shown(preferences: try home.preferences)
        home.say(
            home.style.paint("Goal on \(day)", .bold)
                + " (\((plan.mode ?? .fixed).name), since \(plan.startDate))")
        for target in targets.all {
            let side =
                switch target.direction {
                case .max: "at most"
                case .min: "at least"
                case .range: "near"
                }
            home.say(
                "  \(padded(target.nutrient.formatted.capitalised, to: 10))\(padded(side, to: 9))"
                    + shown.amountWithUnit(target.amount, of: target.nutrient))
        }
        if let water = targets.waterMicroliters {
            home.say(
                "  \(padded("Water", to: 10))\(padded("at least", to: 9))\(shown.volume(water))")
        }
        if let burned = plan.burnedMillikilocalories {
            home.say(
                "  \(padded("Burned", to: 10))\(padded("at least", to: 9))"
                    + shown.energyWithUnit(burned))
        }
        if let steps = plan.steps {
            home.say(
                "  \(padded("Steps", to: 10))\(padded("at least", to: 9))"
                    + NumberFormat.grouped.text(steps))
        }
        if let weekdays = plan.weekdayGoals {
            home.say(
                wrapped("Otherwise on \(weekdays.formatted(shown))", to: home.width - 2).map {
                    "  \($0)"
                })
        }
        if let computed = targets.computed {
            home.say("  \(shown.explanation(of: computed)) (\(base(of: found)) + change)")
        }
        for warning in found.explanation?.warnings ?? [] { home.warn(warning) }
        if targets.computed?.isFeasible == false {
            home.warn("the targets above were reduced until they fit")
        }
        if let missing = targets.missing {
            let hasEnergy = targets[.energy] != nil
            let options = (hasEnergy ? "" : " --kcal 2000") + " --shares 30/40/30"
            home.warn(
                "\(hasEnergy ? "macros" : "energy and macros") have no target: \(missing)"
                    + (plan.mode == .percent ? ": macrolog goal set\(options)" : ""))
        }
        for assumption in targets.assumptions { home.warn(assumption.formatted(shown)) }
    }

    /// What a computed target starts from, in words.
    private static func base(of found: TargetReport) -> String {
        let level = found.activityLevel
        if found.plan?.mode == .adaptive {
            if found.expenditure != nil { return "estimated expenditure" }
            if level != .sedentary {
                let factor = NumberFormat.plain.text(level.multiplierThousandths, scale: 3)
                return "resting energy × \(factor) for \(level.name) activity"
            }
        }
        return "resting energy × 1.2 + active energy"
    }
}

extension RestingEnergy.Assumption {
    func formatted(_ shown: Shown) -> String {
        switch self {
        case .age: "your age is unknown; 30 years are assumed: macrolog init --birth 1990-05-17"
        case .sex: "your sex is unknown; female is assumed: macrolog init --sex male"
        case .height: "your height is unknown; it is assumed: macrolog init --height 178"
        case .everything:
            "your body data are unknown; \(shown.energyWithUnit(1_800_000)) are assumed"
        }
    }
}
