import Macrolog
import MacrologArgumentParsing
import MacrologDrawing
import MacrologFaces
import MacrologFormats

/// `export pdf`: days as pages to print.
enum ExportPDF {
    private static let from = Parameter.option(
        "from", .day, "The first day. Otherwise 30 days are written, up to the last one.")
    private static let to = Parameter.option(
        "to", .day, "The last day. Otherwise --date, or today.")

    static let command = Verb(
        "export pdf", "Print days on pages of A4, as PDF.",
        example: "export pdf diary.pdf", "export pdf month.pdf --from -30 --to yesterday",
        explanation: """
            Of each day the energy, protein, carbs and fat, whether the goal was met, the weight, and the meals
            with their time, name and energy. Days without meals and weigh-ins are left out. ≥ is before a sum of which
            parts are unknown. Notes, tags and photos are never part of it. A long name ends with an ellipsis.
            """, run: run
    ) {
        ExportOptions.file
        ExportOptions.force
        from
        to
    }

    private static func run(_ arguments: ParsedArguments, _ home: inout Home) throws {
        let last = try arguments[to].map { try home.typedDay($0, to, arguments) } ?? home.day
        let first =
            try arguments[from].map { try home.typedDay($0, from, arguments) }
            ?? last.lastDays(30).lowerBound
        guard first <= last else {
            throw arguments.usageError(
                of: from, "\(first) is after the last day, \(last)", instead: "an earlier day")
        }
        try home.requireLog()
        if ExportOptions.path(arguments) == nil, home.terminalWidth != nil {
            throw arguments.usageError(
                of: ExportOptions.file, "is missing, and a terminal shows no PDF",
                instead: "the name of a file, such as diary.pdf")
        }
        let (replica, preferences) = (try home.replica, try home.preferences)
        let person = try replica.read { try $0.profile() }.displayName
        var (line, letters) = (ProgressLine("Exporting", home), 0)
        try ExportOptions.write(arguments, &home) { sink in
            let written = try write(
                first...last, DayPages(first...last, of: person, in: preferences), of: replica,
                arguments, &line, sink)
            line.end()
            letters = written.letters
            return (
                "\(counted(written.days, "day")) on \(counted(written.pages, "page"))",
                [.days(written.days), .pages(written.pages)]
            )
        }
        home.warn(ofLettersWithoutFont: letters)
    }

    private static func write(
        _ days: ClosedRange<Day>, _ empty: DayPages, of replica: Replica,
        _ arguments: ParsedArguments, _ line: inout ProgressLine, _ sink: ([UInt8]) throws -> Void
    ) throws -> (days: Int64, pages: Int64, letters: Int) {
        var (pages, count) = (empty, Int64(0))
        do {
            var pdf = try PagedPDF(pagesLike: empty.blank)
            try days.forEachSpan(ofDays: 31) { span in
                for entries in try entries(of: span, in: replica) {
                    for page in pages.add(
                        entries.summary, meals: entries.meals, weighIns: entries.weighIns)
                    {
                        try sink(try pdf.add(page))
                    }
                    count += 1
                    line.show(count, nil)
                }
            }
            guard let last = pages.last() else {
                throw CommandError(
                    .noInput,
                    "\(arguments.command): no meal and no weight is recorded from "
                        + "\(days.lowerBound) to \(days.upperBound)")
            }
            try sink(try pdf.add(last))
            let letters = pdf.lettersWithoutFont
            try sink(try pdf.end())
            return (count, pages.count, letters)
        } catch let error as DrawingError {
            throw CommandError(error, .pdf, arguments, instead: "type export csv")
        }
    }

    /// The days that have something, in order, from one state of the log.
    private static func entries(
        of days: ClosedRange<Day>, in replica: Replica
    ) throws -> [(summary: DaySummary, meals: [MealDetail], weighIns: [WeighIn])] {
        try replica.read { diary in
            let meals = Dictionary(grouping: try diary.meals(on: days)) { $0.meal.localDate.day }
            let weighIns = Dictionary(grouping: try diary.weighIns(on: days)) { $0.localDate.day }
            return try Set(meals.keys).union(weighIns.keys).sorted().map { day in
                (try diary.summary(of: day), meals[day] ?? [], weighIns[day] ?? [])
            }
        }
    }
}
