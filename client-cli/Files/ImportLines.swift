import MacrologArgumentParsing
import MacrologTerminal
import MacrologFormats
import Macrolog
import MacrologFaces

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
        if noun == nil, !isDry, summary.group != nil { lines.append(Self.farewell) }
        return lines
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
            problems: problems.map(\.description), warnings: warnings)
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
        return "lines " + shown + (parts.count > 40 ? " and \(parts.count - 40) more spans" : "")
    }
}
