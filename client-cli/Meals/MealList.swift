import MacrologArgumentParsing
import MacrologTerminal
import MacrologJSON
import Macrolog
import MacrologFaces

/// `meal list`: the meals of some days.
enum MealList {
    static let days = Parameter.option(
        "days", .integer("N", in: 1...3_660), "How many days, up to the day meant. Otherwise 1.")

    static let eaten = Parameter.flag("eaten", "Only what was eaten.")
    static let planned = Parameter.flag("planned", "Only what is planned and not eaten.")

    static let command = Verb(
        "meal list", "List the meals of a day or of some days.", example: "meal list",
        "meal list --days 7", "meal list --date yesterday", "meal list --eaten",
        explanation: """
            Marks: ~ estimated, ! in conflict, o planned and not eaten. With a diet (see: macrolog diet set)
            each meal that was eaten has its score.
            """, run: run
    ) {
        days
        eaten
        planned
    }

    static func run(arguments: ParsedArguments, home: inout Home) throws {
        let last = try home.day
        if arguments[eaten], arguments[planned] {
            throw arguments.usageError(combining: "--eaten", "--planned")
        }
        let span = last.lastDays(Int(arguments[days] ?? 1))
        let (all, scores) = try home.replica.read { diary in
            (try diary.meals(on: span), try diary.dietScores(on: span))
        }
        let meals = all.filter { detail in
            detail.meal.isConsumed ? !arguments[planned] : !arguments[eaten]
        }
        try home.show(.array(scores.shown(with: meals))) { home in
            guard !meals.isEmpty else { return home.say("No meals there.") }
            let table = try table(meals, scores, &home)
            home.say(table.lines(style: home.style, width: home.terminalWidth))
        }
    }

    private static func table(
        _ meals: [MealDetail], _ scores: [ScoredMeal], _ home: inout Home
    ) throws -> Table {
        let shown = Shown(preferences: try home.preferences)
        let ids = try home.replica.read { try $0.shortIDs(of: .meal, for: meals.map(\.meal.id)) }
        let points = scores.points
        var table = Table(
            columns: [
                Table.Column("id"), Table.Column("day"), Table.Column("time"), Table.Column("slot"),
                Table.Column("name"), Table.Column(shown.energySymbol, .right),
                Table.Column("protein", .decimal), Table.Column("carbs", .decimal),
                Table.Column("fat", .decimal),
            ] + (scores.isEmpty ? [] : [Table.Column("score", .right)]))
        for detail in meals {
            let meal = detail.meal
            var name = detail.title
            if meal.isEstimated == true { name += " ~" }
            if detail.hasConflict { name += " !" }
            if !meal.isConsumed { name += " o" }
            table.add(
                [
                    Table.Cell(ids[meal.id] ?? "", .dim), "\(meal.localDate.day)",
                    Table.Cell(meal.localDate.clock, .dim),
                    Table.Cell(meal.slot.map { $0.string } ?? "–"),
                    Table.Cell(name, detail.hasConflict ? .red : meal.isConsumed ? nil : .dim),
                    Table.Cell(shown.amount(detail.totals[.energy], of: .energy)),
                    Table.Cell(shown.amount(detail.totals[.protein], of: .protein)),
                    Table.Cell(shown.amount(detail.totals[.carbs], of: .carbs)),
                    Table.Cell(shown.amount(detail.totals[.fat], of: .fat)),
                ] + (scores.isEmpty ? [] : [points[meal.id].cell]))
        }
        return table
    }
}
