import MacrologArgumentParsing
import MacrologTerminal
import MacrologJSON
import Macrolog
import MacrologFaces

/// `goal history`: the plans, by their first day.
enum GoalHistory {
    static let command = Verb(
        "goal history", "List goals by their first day.",
        example: "goal history", run: run)

    static func run(arguments: ParsedArguments, home: inout Home) throws {
        let plans = try home.replica.read { try $0.goalPlans() }
        try home.show(.array(plans.map(\.json))) { home in
            guard !plans.isEmpty else { return home.say("No goals yet.") }
            let shown = Shown(preferences: try home.preferences)
            let ids = try home.replica.read { try $0.shortIDs(of: .goalPlan, for: plans.map(\.id)) }
            var table = Table(
                Table.Column("id"), Table.Column("from"), Table.Column("mode"),
                Table.Column(shown.energySymbol, .right), Table.Column("protein", .decimal),
                Table.Column("carbs", .decimal), Table.Column("fat", .decimal),
                Table.Column("fibre", .decimal), Table.Column("change", .right))
            for plan in plans {
                let amounts: [(Nutrient, Int64?)] = [
                    (.energy, plan.energyMillikilocalories), (.protein, plan.proteinMilligrams),
                    (.carbs, plan.carbsMilligrams), (.fat, plan.fatMilligrams),
                    (.fiber, plan.fiberMilligrams),
                ]
                table.add(
                    [
                        Table.Cell(ids[plan.id] ?? "", .dim), "\(plan.startDate)",
                        Table.Cell((plan.mode ?? .fixed).name.string),
                    ] + amounts.map { Table.Cell(shown.amount($0.1, of: $0.0)) } + [
                        Table.Cell(change(plan, shown))
                    ])
            }
            home.say(table.lines(style: home.style, width: home.terminalWidth))
            for plan in plans {
                let others = others(plan, shown)
                let weekdays = plan.weekdayGoals.map { "otherwise on \($0.formatted(shown))" }
                for text in [others.isEmpty ? nil : "also \(others)", weekdays].compactMap(\.self) {
                    home.say(wrapped("From \(plan.startDate) \(text)", to: home.width))
                }
            }
        }
        try home.warnOfGoals()
    }

    /// The goals without a column: `water 3.00 l, steps 10,000`.
    private static func others(_ plan: GoalPlan, _ shown: Shown) -> String {
        [
            plan.sodiumMilligrams.map { "sodium \(NumberFormat.grouped.text($0)) mg" },
            plan.waterMicroliters.map { "water \(shown.volume($0))" },
            plan.burnedMillikilocalories.map { "burned \(shown.energyWithUnit($0))" },
            plan.steps.map { "steps \(NumberFormat.grouped.text($0))" },
        ].compactMap(\.self).joined(separator: ", ")
    }

    /// `-400`, `-15 %` or both.
    private static func change(_ plan: GoalPlan, _ shown: Shown) -> String {
        let share = plan.energyAdjustBasisPoints.map {
            NumberFormat.plain.text($0, scale: 2) + " %"
        }
        return [plan.energyAdjustMillikilocalories.map(shown.energy), share].compactMap(\.self)
            .joined(separator: " ")
    }
}
