import Commands
import JSON
import Macrolog

/// `food search`: lists foods.
enum FoodSearch {
    static let terms = Parameter.arguments(
        "words", .text, "What the name and brand contain. Without words: all foods.")
    static let limit = Parameter.option(
        "limit", .integer("N", in: 1...10_000), otherwise: "20", "How many to list at most.")

    static let command = Verb(
        "food search", "List the foods whose name contains some words.",
        example: "food search oats", "food search --limit 100", run: run
    ) {
        terms
        limit
    }

    static func run(words: Words, home: inout Home) throws {
        let parts = words[terms].flatMap { $0.split(separator: " ").map(String.init) }
        let found = try home.replica.foods(matching: parts, limit: Int(words[limit]))
        let foods =
            found.filter { $0.isFavourite == true } + found.filter { $0.isFavourite != true }
        try home.show(.array(foods.map(\.json))) { home in
            guard !foods.isEmpty else { return home.say("No food like that.") }
            home.say(try table(foods, &home).lines(style: home.style, width: home.terminalWidth))
        }
    }

    private static func table(_ foods: [Food], _ home: inout Home) throws -> Table {
        let shown = Shown(preferences: try home.preferences)
        let ids = try home.replica.shortIDs(of: .food, for: foods.map(\.id))
        var table = Table(
            Table.Column("id"), Table.Column("food"), Table.Column("per"),
            Table.Column(shown.energySymbol, .right), Table.Column("protein", .decimal),
            Table.Column("carbs", .decimal), Table.Column("fat", .decimal),
            Table.Column("fibre", .decimal))
        for food in foods {
            var name = food.fullName
            if food.isFavourite == true { name = "* " + name }
            if food.isArchived == true { name += " (archived)" }
            let per = (food.basis ?? .per100Grams).spoken.dropFirst(4)
            table.add(
                [
                    Table.Cell(ids[food.id] ?? "", .dim), Table.Cell(name), Table.Cell(String(per)),
                ] + Nutrient.main.map { Table.Cell(shown.amount(food[$0], of: $0)) })
        }
        return table
    }
}
