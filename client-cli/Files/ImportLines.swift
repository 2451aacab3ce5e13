import MacrologArgumentParsing
import MacrologTerminal
import MacrologFormats
import Macrolog
import MacrologFaces
import MacrologJSON

/// The results of a file's rows, by line number.
struct ImportLines {
    private var new: [Int] = []
    private var same: [Int] = []
    private var deleted: [Int] = []
    private var changed: [(line: Int, edits: [ImportEdit])] = []
    /// Why rows were rejected.
    private(set) var problems: [RowFinding] = []
    private var rejected: [Int] = []
    /// Warnings about rows that were imported.
    private(set) var warnings: [String] = []
    /// The first rows that would be stored, of a dry run.
    private var previews: [ImportRow] = []
    private let previewsMax: Int

    /// - Parameter previewsMax: How many rows are shown as they would be stored.
    init(previewsMax: Int = 0) { self.previewsMax = previewsMax }

    /// The number of rows per result.
    var taken: Int { new.count + changed.count }

    mutating func add(_ row: ImportRow) {
        switch row.outcome {
        case .new: new.append(row.line)
        case .same: same.append(row.line)
        case .changed(let edits): changed.append((row.line, edits))
        case .deleted: deleted.append(row.line)
        case .rejected(let found):
            rejected.append(row.line)
            problems += found
        }
        warnings += row.warnings.map { "line \(row.line): \($0)" }
        if previews.count < previewsMax, row.isStored, row.content != nil { previews.append(row) }
    }

    /// The report as text: counts, and in a dry run the line numbers.
    ///
    /// - Parameter noun: The kind of the rows, if a file has several kinds.
    func lines(_ summary: ImportSummary, isDry: Bool, noun: String? = nil) -> [String] {
        var counts = [
            (summary.new, "new"), (summary.changed, "changed"), (summary.same, "the same"),
            (summary.rejected, "refused"),
        ]
        if summary.deleted > 0 {
            counts.append((summary.deleted, "deleted here, and left deleted"))
        }
        if summary.excluded > 0 { counts.append((summary.excluded, "left out by the filter")) }
        let parts = counts.map { "\(NumberFormat.grouped.text(Int64($0))) \($1)" }
        let verb = isDry ? "Would import" : "Imported"
        let subject = noun.map { "\(verb) \($0)" } ?? verb
        var lines = ["\(subject): \(parts.joined(separator: ", "))."]
        if isDry {
            for (name, found) in [
                ("new", new), ("same", same), ("deleted", deleted), ("refused", rejected),
            ] where !found.isEmpty {
                lines.append("  \(padded(name, to: 8)) \(Self.ranges(found))")
            }
        }
        for change in changed {
            let edits = change.edits.map(\.description).joined(separator: ", ")
            lines.append("  changed  line \(change.line): \(printable(edits))")
        }
        lines += previewLines
        if noun == nil, !isDry, summary.group != nil { lines.append(Self.farewell) }
        return lines
    }

    /// `  line 2: 2026-11-01 08:00, Oats, breakfast: energy 380 kcal, protein 13.5 g`
    private var previewLines: [String] {
        let lines = previews.compactMap { row in
            row.content?.stored.map { "  line \(row.line): \(printable($0))" }
        }
        guard !lines.isEmpty else { return [] }
        let rest = Int64(taken - lines.count)
        let more = rest == 0 ? [] : ["  and \(counted(rest, "more row"))"]
        return ["Would store:"] + lines + more
    }

    static let farewell = "To undo the import: macrolog undo"

    func face(_ summary: ImportSummary, isDry: Bool) -> ImportFace {
        ImportFace(
            of: summary.kind.name, isDry: isDry,
            rows: (
                new: summary.new, changed: summary.changed, same: summary.same,
                deleted: summary.deleted, rejected: summary.rejected, excluded: summary.excluded
            ),
            lines: (
                new: new, same: same, changed: changed.map(\.line), deleted: deleted,
                rejected: rejected
            ), group: summary.group, notices: summary.notices,
            problems: problems.map(\.description), warnings: warnings,
            entries: previews.compactMap { row in
                row.content?.json.map {
                    (line: row.line, outcome: row.isNew ? "new" : "changed", entry: $0)
                }
            })
    }

    /// `2 to 40, 43, 50 to 61`
    private static func ranges(_ lines: [Int]) -> String {
        var parts: [String] = []
        var first = 0
        while first < lines.count {
            var last = first
            while last + 1 < lines.count, lines[last + 1] == lines[last] + 1 { last += 1 }
            parts.append(first == last ? "\(lines[first])" : "\(lines[first]) to \(lines[last])")
            first = last + 1
        }
        let shown = parts.prefix(40).joined(separator: ", ")
        return (lines.count == 1 ? "line " : "lines ") + shown
            + (parts.count > 40 ? " and \(parts.count - 40) more spans" : "")
    }
}

// MARK: Files that have several kinds of rows

extension ImportLines {
    /// Shows what became of a file's rows, or would in a dry run.
    ///
    /// - Parameter ifEmpty: What to say when the file has none.
    static func tell(
        _ result: (parts: [ImportPart], group: Identifier?), isDry: Bool, ifEmpty: String,
        _ home: inout Home
    ) throws {
        let parts = result.parts.map { part in
            var lines = ImportLines(
                previewsMax: isDry ? home.isJSON ? .max : ImportCSV.previewsMax : 0)
            for row in part.rows { lines.add(row) }
            return (part, lines)
        }
        try home.show(
            ImportFace.json(of: parts.map { $1.face($0.summary, isDry: isDry) }, result.group)
        ) { home in
            if parts.isEmpty { home.say(ifEmpty) }
            for (part, lines) in parts {
                home.say(lines.lines(part.summary, isDry: isDry, noun: part.noun))
            }
            if result.group != nil { home.say(farewell) }
        }
        for notice in parts.flatMap(\.0.summary.notices) { home.warn(notice) }
        if home.isJSON || home.isQuiet { return }
        for warning in parts.flatMap(\.1.warnings).prefix(20) { home.warn(warning) }
        for problem in parts.flatMap(\.1.problems) {
            Terminal.complain(printable(problem.description))
        }
    }

    /// Ends with an error where rows were refused: a script must be able to see it.
    static func refuse(
        _ parts: [ImportPart], _ arguments: ParsedArguments, isDry: Bool
    ) throws {
        let rejected = parts.reduce(0) { $0 + $1.summary.rejected }
        guard rejected > 0 else { return }
        throw CommandError(
            .dataErr,
            "\(arguments.command): \(rejected) of "
                + "\(parts.reduce(0) { $0 + $1.summary.total }) rows were refused"
                + (isDry ? "" : "; all others are imported"))
    }
}

extension ImportRow {
    fileprivate var isNew: Bool { if case .new = outcome { true } else { false } }

    /// Whether something is recorded of it.
    fileprivate var isStored: Bool {
        switch outcome {
        case .new, .changed: true
        case .same, .deleted, .rejected: false
        }
    }
}

extension ImportRow.Content {
    /// A meal, a weigh-in or a drink; `nil` for other kinds.
    fileprivate var json: JSON? {
        switch self {
        case .meal(let meal): FieldJSON.object(meal.fields, in: Meal.kind.name)
        case .weighIn(let weighIn): FieldJSON.object(weighIn.fields, in: WeighIn.kind.name)
        case .water(let water): FieldJSON.object(water.fields, in: Water.kind.name)
        case .food, .portion, .recipe, .ingredient: nil
        }
    }
}
