import MacrologArgumentParsing
import MacrologFormats
import Macrolog
import MacrologFaces

/// `export csv`: meals, weigh-ins or water for a spreadsheet.
enum ExportCSV {
    static let what = Parameter.option(
        "what",
        .choice([
            (word: "meals", value: CSVExport.What.meals), (word: "weights", value: .weights),
            (word: "water", value: .water),
        ]), otherwise: "meals", "The entries to write.")
    static let from = Parameter.option(
        "from", .day, "The first day. Otherwise the first day of the log.")
    static let to = Parameter.option("to", .day, "The last day. Otherwise the last day of the log.")

    static let command = Verb(
        "export csv", "Export meals, weigh-ins or water as CSV.",
        example: "export csv meals.csv --from 2026-10-01",
        "export csv weights.csv --what weights --delimiter semicolon --decimal comma",
        explanation: """
            One row for each item of a meal, each weigh-in or each drink. Numbers are exact; unknown
            is blank. `import csv` reads the file again: existing entries stay as they are, rows that
            were changed in the file change them, and an empty log gets all of them back.
            """, run: run
    ) {
        ExportOptions.file
        ExportOptions.force
        what
        from
        to
        CSVOptions.delimiter
        CSVOptions.decimal
    }

    static func run(arguments: ParsedArguments, home: inout Home) throws {
        let first = try arguments[from].map { try home.typedDay($0, from, arguments) } ?? .earliest
        let last = try arguments[to].map { try home.typedDay($0, to, arguments) } ?? .latest
        guard first <= last else {
            throw arguments.usageError(
                of: from, "\(first) is after the last day, \(last)", instead: "an earlier day")
        }
        try home.requireLog()
        var export = CSVExport()
        export.delimiter = arguments[CSVOptions.delimiter]
        if let mark = arguments[CSVOptions.decimal] { export.decimalMark = mark }
        let replica = try home.replica
        var line = ProgressLine("Exporting", home)
        try ExportOptions.write(arguments, &home) { sink in
            let rows = try export.write(
                arguments[what], of: replica, on: first...last,
                progress: { line.show(Int64($0), nil) }, to: { try sink(Array($0.utf8)) })
            line.end()
            return (counted(Int64(rows), "row"), [.rows(Int64(rows))])
        }
    }
}

/// The options of CSV files.
enum CSVOptions {
    static let delimiters = Form.choice([
        (word: "comma", value: UInt8(ascii: ",")),
        (word: "semicolon", value: UInt8(ascii: ";")),
        (word: "tab", value: UInt8(ascii: "\t")),
    ])
    static let delimiter = Parameter.option(
        "delimiter", delimiters, otherwise: "comma", "The delimiter between fields.")
    static let decimal = Parameter.option(
        "decimal", .word(DecimalMark.self), "The decimal mark of the file.")
}
