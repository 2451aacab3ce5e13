import MacrologArgumentParsing
import MacrologTerminal
import MacrologJSON
import Macrolog
import MacrologFaces

/// `weight list`: weigh-ins with the trend beside them.
enum WeightList {
    static let days = Parameter.option(
        "days", .integer("N", in: 1...36_600), otherwise: "30",
        "How many days, ending with --date or today.")

    static let command = Verb(
        "weight list", "List weigh-ins.", example: "weight list", "weight list --days 365",
        run: run
    ) { days }

    static func run(arguments: ParsedArguments, home: inout Home) throws {
        let last = try home.day
        let weighIns = try home.replica.read {
            try $0.weighIns(on: last.lastDays(Int(arguments[days])))
        }
        try home.show(.array(weighIns.map(\.json))) { home in
            guard !weighIns.isEmpty else { return home.say("No weigh-ins in this period.") }
            let shown = Shown(preferences: try home.preferences)
            let ids = try home.replica.read {
                try $0.shortIDs(of: .weighIn, for: weighIns.map(\.id))
            }
            var table = Table(
                Table.Column("id"), Table.Column("day"), Table.Column("time"),
                Table.Column("weight", .decimal), Table.Column("fat", .decimal),
                Table.Column("note"))
            for weighIn in weighIns {
                let fat = weighIn.bodyFatBasisPoints.map {
                    NumberFormat.grouped.text($0, scale: 2, decimals: 1) + " %"
                }
                table.add(
                    Table.Cell(ids[weighIn.id] ?? "", .dim), "\(weighIn.localDate.day)",
                    Table.Cell(weighIn.localDate.clock, .dim),
                    Table.Cell(shown.weight(weighIn.grams)), Table.Cell(fat ?? ""),
                    Table.Cell(weighIn.note ?? ""))
            }
            home.say(table.lines(style: home.style, width: home.terminalWidth))
        }
    }
}
