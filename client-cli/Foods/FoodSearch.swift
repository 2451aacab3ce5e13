import MacrologArgumentParsing
import MacrologTerminal
import MacrologJSON
import Macrolog
import MacrologFaces

/// `food search`, `food recent`: lists foods.
enum FoodSearch {
    static let terms = Parameter.arguments(
        "words", .text,
        "Words, or beginnings of words, of the name and brand; or a barcode. Otherwise all foods.")
    static let limit = Parameter.option(
        "limit", .integer("N", in: 1...10_000), otherwise: "20", "How many to list at most.")

    static let command = Verb(
        "food search", "Search foods by name or barcode.",
        example: "food search oats", "food search --limit 100",
        explanation: """
            The best match comes first, then foods that were logged often and recently; favourites go
            before others, and archived foods last, marked so. If nothing matches, foods with a similar
            spelling are listed.
            """, run: run
    ) {
        terms
        limit
    }

    static func run(words: ParsedArguments, home: inout Home) throws {
        let foods = try home.replica.read {
            try $0.foods(
                matching: words[terms].joined(separator: " "), limit: Int(words[limit]))
        }
        try tell(foods, otherwise: "No matching food.", &home)
    }

    static let recent = Verb(
        "food recent", "List recently eaten foods.",
        example: "food recent", "food recent --slot breakfast",
        explanation: """
            Foods of the latest day come first, then those eaten more often. Without --slot, foods of
            all meal slots.
            """,
        run: { words, home in
            let slot = try Slots.typed(words, &home)
            try tell(
                try home.replica.read { try $0.recentFoods(in: slot, limit: Int(words[limit])) },
                otherwise: "None of your foods was eaten in this period.", &home)
        }
    ) {
        Slots.slot
        limit
    }

    private static func tell(
        _ foods: [Food], otherwise: String, _ home: inout Home
    ) throws {
        let last = try home.replica.read { diary in
            try foods.map { try diary.lastPortion(of: $0.id) }
        }
        try home.show(.array(zip(foods, last).map { $0.json(last: $1) })) { home in
            guard !foods.isEmpty else { return home.say(otherwise) }
            let table = try table(foods, last, &home)
            home.say(table.lines(style: home.style, width: home.terminalWidth))
        }
    }

    private static func table(
        _ foods: [Food], _ last: [Amount?], _ home: inout Home
    ) throws -> Table {
        let shown = Shown(preferences: try home.preferences)
        let ids = try home.replica.read { try $0.shortIDs(of: .food, for: foods.map(\.id)) }
        // The amount eaten last is proposed, if there is one.
        let hasLast = last.contains { $0 != nil }
        var table = Table(
            columns: [
                Table.Column("id"), Table.Column("food"), Table.Column("per"),
                Table.Column(shown.energySymbol, .right), Table.Column("protein", .decimal),
                Table.Column("carbs", .decimal), Table.Column("fat", .decimal),
                Table.Column("fibre", .decimal),
            ] + (hasLast ? [Table.Column("last")] : []))
        for (food, last) in zip(foods, last) {
            var name = food.fullName
            if food.isFavourite == true { name = "* " + name }
            if food.isArchived == true { name += " (archived)" }
            let per = (food.basis ?? .per100Grams).formatted.dropFirst(4)
            table.add(
                [
                    Table.Cell(ids[food.id] ?? "", .dim), Table.Cell(name), Table.Cell(String(per)),
                ] + Nutrient.main.map { Table.Cell(shown.amount(food[$0], of: $0)) }
                    + (hasLast ? [Table.Cell(last.map { shown.amount($0) } ?? "")] : []))
        }
        return table
    }
}
