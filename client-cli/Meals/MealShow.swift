import MacrologArgumentParsing
import MacrologTerminal
import Macrolog
import MacrologFaces

/// `meal show`: one meal with its items.
enum MealShow {
    static let id = Parameter.argument("meal", .id, "The meal, by the last digits of its id.")

    static let command = Verb(
        "meal show", "Show a meal with its items.", example: "meal show 3f2a", run: run
    ) { id }

    static func run(arguments: ParsedArguments, home: inout Home) throws {
        let meal = try home.find(Meal.self, arguments[id], id, arguments)
        guard let detail = try home.replica.read({ try $0.meal(meal) }) else {
            throw EntryError(.notFound(.meal))
        }
        let (net, scored) = try home.replica.read { diary in
            (try diary.netCarbs(of: detail), try diary.dietScore(ofMeal: meal))
        }
        try home.show(detail.json(netCarbs: net, score: scored?.score)) { home in
            try tell(detail, &home)
        }
    }

    static func tell(_ detail: MealDetail, _ home: inout Home) throws {
        let shown = try home.shown
        let meal = detail.meal
        let short = try home.shortID(.meal, meal.id)
        let line = detail.line(shown, today: try home.formattedToday, style: home.style)
        home.say("\(line)  \(home.style.paint(short, .dim))")
        for (name, text) in remarks(detail) {
            let lines = text.split(separator: "\n").flatMap {
                wrapped(printable(String($0)), to: max(40, home.width - 9))
            }
            for (index, line) in lines.enumerated() {
                home.say(padded(index == 0 ? name : "", to: 9) + line)
            }
        }
        for photo in meal.photoHashes.isEmpty ? [] : try home.replica.photos(of: meal.id) {
            home.say(
                "\(padded("Photo", to: 9))\(photo.text)  \(home.style.paint(photo.digits, .dim))")
        }
        home.say("")
        home.say(
            try table(detail, shown, &home).lines(style: home.style, width: home.terminalWidth))
        let others = detail.totals.known.filter { !Nutrient.main.contains($0) }
        let net = try home.replica.read { try $0.netCarbs(of: detail) }
        // Where fibre is not known it would be the carbohydrate once more.
        let hasNet =
            net.milligrams != nil
            && (net.milligrams != detail.totals[.carbs] || !net.isUpperBound)
        guard !others.isEmpty || hasNet else { return }
        home.say("")
        if hasNet { home.say("\(padded("Net carbs", to: 20))\(shown.netCarbs(net))") }
        for nutrient in others {
            guard let sum = detail.totals[nutrient] else { continue }
            let name = padded(shown.name(of: nutrient).capitalised, to: 20)
            let amount = shown.amountWithUnit(sum, of: nutrient)
            let coverage = detail.totals.coverage(of: nutrient)
            home.say("\(name)\(amount)\(coverage.isComplete ? "" : " from \(coverage) items")")
        }
    }

    private static func remarks(_ detail: MealDetail) -> [(String, String)] {
        let meal = detail.meal
        var rows: [(String, String)] = []
        if meal.consumedShareBasisPoints != 10_000 {
            rows.append(
                ("Share", NumberFormat.grouped.text(meal.consumedShareBasisPoints, scale: 2) + " %")
            )
        }
        if meal.isEstimated == true { rows.append(("Marks", "estimated")) }
        if detail.hasConflict {
            rows.append(("Marks", "conflict: macrolog conflicts list"))
        }
        if detail.isEditedByNewerVersion { rows.append(("Marks", NewerVersion.sentence)) }
        if let note = meal.note { rows.append(("Note", note)) }
        if !meal.tags.isEmpty {
            rows.append(("Tags", meal.tags.joined(separator: ", ")))
        }
        return rows
    }

    private static func table(
        _ detail: MealDetail, _ shown: Shown, _ home: inout Home
    ) throws -> Table {
        let ids = try home.replica.read {
            try $0.shortIDs(of: .mealItem, for: detail.items.map(\.id))
        }
        var table = Table(
            Table.Column("item"), Table.Column("name"), Table.Column("amount", .right),
            Table.Column(shown.energySymbol, .right), Table.Column("protein", .decimal),
            Table.Column("carbs", .decimal), Table.Column("fat", .decimal),
            Table.Column("fibre", .decimal))
        func cells(_ amount: (Nutrient) -> Int64?) -> [Table.Cell] {
            Nutrient.main.map { Table.Cell(shown.amount(amount($0), of: $0)) }
        }
        let own = detail.meal.nutrients
        if !own.isEmpty || detail.items.isEmpty {
            table.add(["–", "the meal itself", ""] + cells { own[$0] })
        }
        for item in detail.items {
            table.add(
                [
                    Table.Cell(ids[item.id] ?? "", .dim), Table.Cell(item.name ?? ""),
                    Table.Cell(item.amount.map(shown.amount) ?? ""),
                ] + cells { item[$0] })
        }
        table.totals = ["", "total", ""] + cells { detail.totals[$0] }
        return table
    }
}
