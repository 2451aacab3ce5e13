/// Input: a file of rows, as a person may choose one to import.
import MacrologEvents
import MacrologFormats
import MacrologLog
import Macrolog
import MacrologNutrition
import MacrologPlatform
import MacrologTestSupport
import Synchronization

extension FuzzTarget {
    /// The first byte is how the file is said to be written, the rest is the file.
    static let importing = FuzzTarget("import", inputBytesMax: 1_024) { input in
        guard let first = input.first else { return }
        var options = ImportOptions()
        options.zone = .fixed(offsetMinutes: 60, name: "Europe/Zurich")
        let delimiter: UInt8 = [0x2C, 0x3B, 0x09, 0x2C][Int(first & 3)]
        options.delimiter = delimiter
        options.hasHeader = first & 4 == 0
        options.dateFormat = DateFormat.allCases[Int(first >> 3 & 3) % DateFormat.allCases.count]
        options.decimalMark = [.auto, .point, .comma, .auto][Int(first >> 5 & 3)]
        let map = options.hasHeader ? Self.byName : Self.byNumber
        let mapping = first & 0x80 == 0 ? try? ImportMapping(map) : nil
        let bytes = input.dropFirst()
        guard let file = try? CSVImport(bytes, mapping: mapping, options: options) else { return }
        var reader = CSVReader(delimiter: delimiter)
        // What is not UTF-8 is read as another encoding.
        guard let parsed = try? reader.rows(from: bytes) + [reader.finish()].compactMap(\.self)
        else {
            return
        }
        let full = parsed.filter { row in
            row.fields.contains { $0.contains { $0 != " " && $0 != "\t" } }
        }
        var rows: [ImportRow] = []
        let summary = try Diary.shared.plan(file) { rows.append($0) }
        // The titles may stand below other lines.
        let lines = full.suffix(summary.total).map(\.line)
        let above = full.count - lines.count
        try promise(options.hasHeader ? 1...5 ~= above : above == 0, "titles are one of five lines")
        try promise(
            rows.map(\.line) == lines.filter { line in rows.contains { $0.line == line } },
            "every row of the file is reported once, in order")
        try promise(
            summary.total == rows.count + summary.excluded, "no row is lost and none invented")
        try promise(summary.group == nil, "a forecast records nothing")
        for row in rows {
            if case .rejected(let problems) = row.outcome {
                try promise(!problems.isEmpty, "each rejection has a reason")
                try promise(row.content == nil, "nothing becomes of a rejected row")
            } else {
                try promise(row.content != nil, "something becomes of every other row")
            }
        }
        var again: [ImportRow] = []
        _ = try Diary.shared.plan(file) { again.append($0) }
        try promise(rows == again, "a forecast is the same twice")
    }

    private static let byName =
        "date=date,time=time,name=food,energy=kcal,protein=p,sodium=na,amount=amount,unit=unit"
    private static let byNumber = "date=1,time=2,name=3,energy=4,protein=5,sodium=6"
}

/// An empty diary that a forecast looks into.
final class Diary: Sendable {
    static let shared = Diary()
    let replica: Replica

    private init() {
        let noon = ClockSample(
            wall: 1_795_176_000_000, monotonic: 1, boot: Identifier(high: 1, low: 1))
        let folder = ScratchFolder()
        guard
            let replica = try? Replica.open(
                at: folder.path + "/log.db", clock: DeviceClock { noon })
        else { preconditionFailure("no diary in \(folder.path)") }
        self.replica = replica
        folder.remove()
    }

    func plan(_ file: CSVImport, each: (ImportRow) -> Void) throws -> ImportSummary {
        try file.plan(in: replica) { each($0) }
    }
}
