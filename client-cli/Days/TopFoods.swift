import MacrologArgumentParsing
import MacrologTerminal
import MacrologJSON
import Macrolog
import MacrologFaces

/// `top foods`: the foods eaten most often, or the main sources of a nutrient.
enum TopFoods {
    static let period = Parameter.optionalArgument(
        "period", .period, "How many days, up to the day meant: 7d, 30d. Otherwise 30d.")
    static let by = Parameter.option(
        "by", .nutrientName,
        "Order by this nutrient: kcal, protein, sodium. Otherwise by how often.")
    static let limit = Parameter.option(
        "limit", .integer("N", in: 1...1_000), otherwise: "10", "How many foods to list.")

    static let command = Verb(
        "top foods", "List the foods that you eat most.", example: "top foods",
        "top foods 90d --by protein --limit 5",
        explanation: """
            Items of meals are counted: items of one stored food together, others by their name. A
            share is of the known total of the nutrient; if too little is known, none is shown.
            """, run: run
    ) {
        period
        by
        limit
    }

    static func run(arguments: ParsedArguments, home: inout Home) throws {
        let span = try home.day.lastDays(Int(arguments[period] ?? 30))
        var found = try home.replica.read { try $0.foodTallies(on: span) }
        let nutrient = arguments[by]
        var sum: Int64 = 0
        var all = NutrientTotals()
        for tally in found { all.add(tally.totals) }
        let coverage = nutrient.map { all.coverage(of: $0) }
        if let nutrient {
            found.removeAll { $0.totals[nutrient] == nil }
            for tally in found { sum += tally.totals[nutrient] ?? 0 }
        }
        found.sort {
            let (left, right) = (rank($0, nutrient), rank($1, nutrient))
            return left == right ? UTF8Text($0.name) < UTF8Text($1.name) : left > right
        }
        found = Array(found.prefix(Int(arguments[limit])))
        try home.show(.array(found.map(\.json))) { home in
            guard !found.isEmpty else { return home.say("Nothing was eaten in this period.") }
            let shown = try home.shown
            let other = nutrient == .energy ? nil : nutrient
            var columns = [
                Table.Column("food"), Table.Column("times", .right), Table.Column("days", .right),
                Table.Column(shown.energySymbol, .right),
            ]
            if let other { columns.append(Table.Column(printable(shown.name(of: other)), .right)) }
            if nutrient != nil { columns.append(Table.Column("share", .right)) }
            var table = Table(columns: columns)
            for tally in found {
                var cells = [
                    Table.Cell(printable(tally.name)), Table.Cell("\(tally.times)"),
                    Table.Cell("\(tally.days)"),
                    Table.Cell(shown.amount(tally.totals[.energy], of: .energy)),
                ]
                if let other {
                    cells.append(
                        Table.Cell(shown.amountWithUnit(tally.totals[other], of: other)))
                }
                if let nutrient {
                    let share = percentage(tally.totals[nutrient] ?? 0, of: sum)
                    cells.append(
                        Table.Cell(coverage?.isEnough == true ? "\(share) %" : "unknown"))
                }
                table.add(cells)
            }
            home.say(table.lines(style: home.style, width: home.terminalWidth))
            if let nutrient, let coverage, !coverage.isComplete {
                let name = printable(shown.name(of: nutrient)).capitalised
                home.say(home.style.paint("\(name) is known for \(coverage) entries.", .dim))
            }
        }
    }

    /// Sorts by count, then energy; or by the nutrient.
    private static func rank(_ tally: FoodTally, _ nutrient: Nutrient?) -> (Int64, Int64) {
        guard let nutrient else { return (Int64(tally.times), tally.totals[.energy] ?? 0) }
        return (tally.totals[nutrient] ?? 0, Int64(tally.times))
    }
}

extension Form where Value == Nutrient {
    /// `kcal`, `protein`, `sodium`, `x:omega_3`
    static var nutrientName: Form {
        Form("NUTRIENT", completion: .words(["kcal"] + Nutrient.known.map(\.key.string))) {
            word throws(BadValue) in
            if word == "kcal" { return .energy }
            guard let nutrient = Nutrient(key: UTF8Text(word)) else {
                throw BadValue(
                    "is not a nutrient", instead: "one such as kcal, protein, sodium or x:omega_3")
            }
            return nutrient
        }
    }
}
