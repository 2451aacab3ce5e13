import MacrologArgumentParsing
import MacrologTerminal
import MacrologFormats
import Macrolog
import MacrologFaces

/// `import csv`: imports a diary, weigh-ins or water from a file.
enum ImportCSV {
    static let file = Parameter.argument("file", .file, "The file; - for standard input.")
    static let map = Parameter.option(
        "map", .text("FIELD=COLUMN,..."),
        "The meaning of the columns: date=Date,name=Food,energy=kcal.")
    static let skipped = Parameter.options(
        "skip-column", .text("COLUMN"), "Leave out a column, by its title or number.")
    static let dryRun = Parameter.flag(
        "dry-run", "Show the result without importing.")
    static let restoresDeleted = Parameter.flag(
        "restore-deleted", "Bring back rows of the file that you have deleted.")
    static let filter = Parameter.option(
        "filter", .rowFilter, "Only rows in which a column has this value.")
    static let dates = Parameter.option(
        "date-format",
        .choice(DateFormat.allCases.map { (word: $0.pattern, value: $0) }),
        "How the file writes days, where they show it in two ways.")
    static let delimiter = Parameter.option(
        "delimiter", CSVOptions.delimiters,
        "The delimiter between fields. Otherwise as the first line shows.")
    static let noHeader = Parameter.flag(
        "no-header", "The first row is data; columns are named by their numbers.")
    static let energyUnit = Parameter.option(
        "energy-unit", .word(EnergyUnit.self),
        "The unit of energy. Otherwise the title's, or yours.")
    static let weightUnit = Parameter.option(
        "weight-unit", .word(WeightUnit.self),
        "The unit of body mass. Otherwise the title's, or yours.")

    static let command = Verb(
        "import csv", "Bring in a diary or weigh-ins from a CSV file.",
        example: "import csv meals.csv --dry-run",
        "import csv diary.csv --map date=Date,time=Time,name=Food,energy=Calories",
        "import csv diary.csv --skip-column Time",
        explanation: """
            Every row becomes one meal or one weigh-in, or is refused with its line number. Titles such
            as "Food Name", "Energy (kJ)" or "Gewicht (kg)" say what a column means; --dry-run shows
            the day, the name and the values of the first rows as they would be stored, with --json
            those of all. --skip-column leaves out a column, and --map says what columns mean
            instead, with the fields date, time, name, slot, amount, unit, note, consumed, estimated,
            share, weight, bodyfat, person, deleted, and nutrients such as energy, protein and sodium.
            The day may have its time in the same column.

            Importing a file again changes nothing, importing a corrected file corrects the entries.
            The file has the last word: what you have changed since is as in the file again, which --dry-run
            shows and one `undo` reverses. What you have deleted stays deleted and is counted;
            --restore-deleted imports it again. A row of another day, time, meal of the day (where there is no
            time) or name is a new entry.

            A file that `export csv` wrote needs no --map and no --decimal: its ids identify each row.
            In the same log only the rows that were changed in the file change; a blank cell removes
            nothing.
            """, run: run
    ) {
        file
        map
        skipped
        dryRun
        restoresDeleted
        filter
        dates
        delimiter
        CSVOptions.decimal
        noHeader
        energyUnit
        weightUnit
    }

    /// How many rows of a dry run are shown as they would be stored.
    static let previewsMax = 10

    static func run(arguments: ParsedArguments, home: inout Home) throws {
        let bytes = try InputFile.read(arguments[file], arguments, bytesMax: CSVImport.bytesMax)
        var options = ImportOptions()
        options.delimiter = arguments[delimiter]
        options.hasHeader = !arguments[noHeader]
        if let mark = arguments[CSVOptions.decimal] { options.decimalMark = mark }
        if let format = arguments[dates] { options.dateFormat = format }
        if let unit = arguments[energyUnit] { options.energyUnit = unit }
        if let unit = arguments[weightUnit] { options.weightUnit = unit }
        options.skippedColumns = arguments[skipped]
        options.filter = arguments[filter]
        options.restoresDeleted = arguments[restoresDeleted]
        let mapping = try arguments[map].map { try Self.mapping($0, arguments) }
        let source = try CSVImport(bytes, mapping: mapping, options: options)

        let replica = try home.replica
        var report = ImportLines(
            previewsMax: arguments[dryRun] ? home.isJSON ? .max : previewsMax : 0)
        var line = ProgressLine(arguments[dryRun] ? "Reading" : "Importing", home)
        let show = { (done: Int, total: Int) in line.show(Int64(done), Int64(total)) }
        let summary =
            arguments[dryRun]
            ? try source.plan(in: replica, each: { report.add($0) }, progress: show)
            : try source.run(in: replica, each: { report.add($0) }, progress: show)
        line.end()
        try tell(
            source, summary, report, isDry: arguments[dryRun], isMapped: mapping != nil, &home)
        // A script must be able to see from the exit code that rows were rejected.
        if summary.rejected > 0 {
            throw CommandError(
                .dataErr,
                "\(arguments.command): \(summary.rejected) of \(summary.total) rows were refused"
                    + (arguments[dryRun] || summary.rejected == summary.total
                        ? "" : "; all others are imported"))
        }
    }

    private static func mapping(_ text: String, _ arguments: ParsedArguments) throws
        -> ImportMapping
    {
        do throws(ImportError) { return try ImportMapping(text) } catch {
            throw arguments.usageError(
                of: map, "is not understood: \(error.problem)",
                instead: "pairs such as date=Date,name=Food,energy=kcal"
                    + (error.hint.map { "; \($0)" } ?? ""))
        }
    }

    private static func tell(
        _ source: CSVImport, _ summary: ImportSummary, _ report: ImportLines, isDry: Bool,
        isMapped: Bool, _ home: inout Home
    ) throws {
        try home.show(report.face(summary, isDry: isDry).json) { home in
            if let known = source.knownFile {
                home.say("Recognised: \(known.name).")
            } else if !isMapped {
                home.say(printable("Columns: \(source.mapping.text)"))
            }
            home.say(report.lines(summary, isDry: isDry))
        }
        for notice in summary.notices { home.warn(notice) }
        if summary.deleted > 0 {
            home.warn(
                "\(counted(Int64(summary.deleted), "row")) deleted here and left so; "
                    + "--restore-deleted imports \(summary.deleted == 1 ? "it" : "them")")
        }
        if home.isJSON || home.isQuiet { return }
        for warning in report.warnings.prefix(20) { home.warn(warning) }
        if report.warnings.count > 20 { home.warn("and \(report.warnings.count - 20) more") }
        for problem in report.problems { Terminal.complain(printable(problem.description)) }
    }
}

extension Form where Value == RowFilter {
    static var rowFilter: Form {
        Form("COLUMN=VALUE") { word throws(BadValue) in
            guard let filter = RowFilter(word) else {
                throw BadValue("is not a column", instead: "COLUMN=VALUE, such as Id=1503960366")
            }
            return filter
        }
    }
}
