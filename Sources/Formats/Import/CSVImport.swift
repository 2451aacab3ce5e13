public import MacrologEvents
import MacrologWire
public import Macrolog
public import MacrologNutrition

/// Brings the rows of a CSV file into a replica as meals or weigh-ins, one entry for each row; of a
/// file that ``CSVExport`` wrote, as what it was written from.
///
///     let file = try CSVImport(bytes)
///     let forecast = try file.plan(in: replica)            // writes nothing
///     let result = try file.run(in: replica)               // one group: undone as one
///
/// Every row that is not blank ends as exactly one of new, same, changed, deleted, rejected and
/// excluded (by the filter, or because the file marks it as deleted); blank rows are skipped, and
/// no row is invented. Ids that ``CSVExport`` wrote are taken; others are computed from when, what
/// and whose (``Identities/imported(_:contentHash:ordinal:)``), so importing a file again changes
/// nothing, on this device or another, and importing a corrected file corrects: the file has the
/// last word. A map that takes date, time, name or person from other columns makes other ids. A cell
/// that says nothing (blank, `-`, `n/a`) stays unknown and never takes away what is there. Without a
/// map, titles such as `Food` and `Energy (kJ)` say what columns mean. Numbers become exact whole
/// numbers, rounded once, half to even.
public struct CSVImport: Sendable {
    /// What the rows become: meals or weigh-ins.
    public var kind: Kind { own?.kind ?? columns.kind }
    /// What the columns mean.
    public let mapping: ImportMapping
    /// What the file is, where it was recognised by its header and not mapped.
    public let knownFile: KnownFile?

    private let options: ImportOptions
    /// Whether the titles of the columns say what they mean, and no map.
    private let isTitled: Bool
    /// Whether the day's column has midnight in all rows.
    private let hasDaysAlone: Bool
    /// The file's encoding, where that is guessed.
    private let guessedEncoding: String?
    /// The SHA-256 of the bytes of the file and of the text of ``mapping``. The options are not part
    /// of it.
    private let hash: [UInt8]
    /// How it is read, where this program wrote it.
    private let own: OwnImport?
    private let columns: ImportColumns
    /// The decimal mark that its numbers show, where none was chosen.
    private let shownMark: DecimalMark?
    private let rows: ArraySlice<CSVRow>

    /// Rows of one transaction.
    private static let batchRowsMax = 1_000

    /// Reads a whole file.
    ///
    /// - Parameters:
    ///   - bytes: The file: UTF-8, with or without a byte order mark, or UTF-16 with one. Other bytes
    ///     are read as Windows-1252.
    ///   - mapping: What its columns mean; not needed for a ``KnownFile``, and where the titles say it.
    /// - Throws: ``ImportError`` for what is not CSV or does not have the columns of the map.
    public init(
        _ bytes: some Sequence<UInt8>, mapping: ImportMapping? = nil,
        options: ImportOptions = ImportOptions()
    ) throws(ImportError) {
        let bytes = Array(bytes)
        let text = TextEncoding.utf8(bytes)
        guessedEncoding = text.guessed
        let all = try Self.rows(text.bytes, delimiter: options.delimiter).filter { row in
            row.fields.contains { !Cell.trimmed($0).isEmpty }
        }
        let place = options.hasHeader ? Self.placeOfTitles(all, mapping) : 0
        guard let first = all.dropFirst(place).first else {
            throw ImportError(
                line: 1, "the file is empty", hint: "choose a file with rows to import")
        }
        let header = options.hasHeader ? first : nil
        let known = mapping == nil && header != nil ? KnownFile(header: first.fields) : nil
        let rows = options.hasHeader ? all.dropFirst(place + 1) : all[...]
        let skipped = try ImportColumns.indexes(of: options.skippedColumns, header, first)
        if known?.own != nil, !skipped.isEmpty {
            throw ImportError(
                line: first.line, "a file that was exported here is read whole",
                hint: "import it with all its columns; a blank cell changes nothing")
        }
        let titles = first.fields.enumerated().map { skipped.contains($0) ? "" : $1 }
        let titled =
            mapping == nil && known == nil && header != nil
            ? TitledColumns.mapping(header: titles, rows: rows) : nil
        guard var mapping = mapping ?? known?.mapping ?? titled else {
            throw ImportError(
                line: first.line, "the meaning of the columns is unknown",
                hint: "map them, such as date=COLUMN,name=COLUMN,energy=COLUMN or "
                    + "date=COLUMN,weight=COLUMN; the columns are "
                    + first.fields.map(Cell.trimmed).joined(separator: ", "))
        }
        for (field, column) in mapping.columns where !skipped.isEmpty {
            let index = try ImportColumns.indexes(of: [column], header, first)
            if skipped.contains(index[0]) { mapping[field] = nil }
        }
        self.mapping = mapping
        self.rows = rows
        isTitled = titled != nil
        knownFile = known
        hash = SHA256.hash(bytes + Array(mapping.text.utf8))
        columns = try ImportColumns(
            mapping, header: header, width: first.fields.count, filter: options.filter)
        var options = options
        let dateIndex = columns.indexByField[.date]
        if options.dateFormat == nil, let dateIndex {
            options.dateFormat = try DateFormat.of(
                rows.lazy.filter { dateIndex < $0.fields.count }.map {
                    (line: $0.line, text: Cell.trimmed($0.fields[dateIndex]))
                })
        }
        self.options = options
        let format = options.days
        let times = dateIndex.map { index in
            rows.lazy.filter { index < $0.fields.count }
                .compactMap { DayCell(Cell.trimmed($0.fields[index]), format)?.seconds }
        }
        hasDaysAlone = times.map { times in times.allSatisfy { $0 == 0 } } ?? false
        shownMark =
            options.decimalMark == .auto ? DecimalMark.shown(by: columns.numbers(in: rows)) : nil
        own = known?.own.map { OwnImport($0, header: first.fields, options) }
        if options.hasHeader, let dateIndex,
            DateFormat.allCases.contains(where: {
                DayCell(Cell.trimmed(first.fields[dateIndex]), $0) != nil
            })
        {
            throw ImportError(
                line: first.line, "the first row is not a header: it holds a date",
                hint: "state that the file has no header, so that the row is imported")
        }
    }

    /// What an import would do. Nothing is written.
    ///
    /// - Parameters:
    ///   - each: Told what becomes of every row, in the order of the file.
    ///   - progress: Told how many rows are done, of how many.
    @discardableResult
    public func plan(
        in replica: Replica, each: (ImportRow) throws -> Void = { _ in },
        progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) throws -> ImportSummary {
        try go(through: replica, group: .none(replica), progress: progress, each: each)
    }

    /// Imports: what is new is added, what changed is edited field by field, both under one group.
    ///
    /// Up to 1,000 rows are one durable transaction. When a later one fails, the earlier ones stay;
    /// running the import again completes it, as a part of the same action.
    ///
    /// - Parameters:
    ///   - group: The action that all of it belongs to; where not given, that of an import of the
    ///     same file that was interrupted, else a new one.
    ///   - each: Told what became of every row, in the order of the file, after its transaction.
    ///   - progress: Told how many rows are done, of how many, after each transaction.
    @discardableResult
    public func run(
        in replica: Replica, group: Identifier? = nil,
        each: (ImportRow) throws -> Void = { _ in },
        progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) throws -> ImportSummary {
        let group =
            try group.map { ImportGroup(replica, $0) }
            ?? ImportGroup(replica, importing: "csv", hash: hash)
        return try go(through: replica, group: group, progress: progress, each: each)
    }

    private func go(
        through replica: Replica, group: ImportGroup, progress: (Int, Int) -> Void,
        each: (ImportRow) throws -> Void
    ) throws -> ImportSummary {
        if let own { return try go(own, through: replica, group, progress, each) }
        var group = group
        let today = try replica.today()
        let reader = RowReader(
            columns: columns, options: options, preferences: try replica.preferences(),
            hasDaysAlone: hasDaysAlone, shownMark: shownMark)
        let judge = RowJudge(today: today, column: columns.name(ofField:))
        var summary = ImportSummary(kind: kind)
        var names = RowNames()
        var first = rows.startIndex
        while first < rows.endIndex {
            let end = min(first + Self.batchRowsMax, rows.endIndex)
            let wanted = rows[first..<end].filter(isWanted)
            summary.excluded += end - first - wanted.count
            let batch = wanted.map { row in
                let read = reader.read(row)
                return (read: read, id: read.identity.map { names.id($0, kind) })
            }
            let verdicts =
                kind == .weighIn
                ? try judge.verdicts(WeighIn.self, batch, in: replica) { .weighIn($0) }
                : try judge.verdicts(Meal.self, batch, in: replica) { .meal($0) }
            for verdict in verdicts { summary.count(verdict.row.outcome) }
            let isRecorded = try group.record(
                verdicts.compactMap(\.draft), of: verdicts.map(\.row),
                isLast: end == rows.endIndex, today: today)
            if isRecorded { summary.group = group.id }
            for verdict in verdicts { try each(verdict.row) }
            first = end
            progress(first - rows.startIndex, rows.count)
        }
        summary.notices = notices + group.notices
        if let unit = reader.assumedWeightUnit {
            let symbol = unit == .kilograms ? "kg" : "lb"
            summary.notices.append("weights without a unit are read in \(symbol)")
        }
        return summary
    }

    private func isWanted(_ row: CSVRow) -> Bool {
        if let deleted = columns.indexByField[.deleted], deleted < row.fields.count,
            Cell.truth(Cell.trimmed(row.fields[deleted])) == true
        {
            return false
        }
        guard let filter = columns.filter, filter.index < row.fields.count else { return true }
        return Cell.trimmed(row.fields[filter.index]).utf8.elementsEqual(filter.value.utf8)
    }

    private var notices: [String] {
        var notices: [String] = []
        if isTitled, !columns.unreadNames.isEmpty {
            notices.append(
                "columns that are not read: \(columns.unreadNames.joined(separator: ", "))")
        }
        if let guessedEncoding {
            notices.append("the file is not UTF-8, and is read as \(guessedEncoding)")
        }
        if let shownMark,
            let number = columns.numbers(in: rows).first(where: { shownMark.grouped($0) != nil }),
            let quantity = shownMark.grouped(number)
        {
            notices.append(
                "other numbers have a decimal \(shownMark == .comma ? "comma" : "point"), so "
                    + "\(number) is read as \(Decimal.text(quantity.milli, places: 3))")
        }
        if columns.filter != nil, !rows.contains(where: isWanted) {
            notices.append("no row passes the filter")
        }
        if columns.filter == nil, let person = columns.indexByField[.person] {
            let people = Set(
                rows.lazy.filter { person < $0.fields.count }.map { UTF8Text($0.fields[person]) })
            if people.count > 1 {
                notices.append(
                    "the file holds rows of \(people.count) people: filter by "
                        + "\(columns.name(person)) for one, or all of them go into this diary")
            }
        }
        return notices
    }

    /// Where the titles are: some programs write lines above them.
    private static func placeOfTitles(_ rows: [CSVRow], _ mapping: ImportMapping?) -> Int {
        rows.prefix(5).firstIndex { row in
            guard let mapping else {
                return KnownFile(header: row.fields) != nil
                    || TitledColumns.mapping(header: row.fields, rows: []) != nil
            }
            let titles = row.fields.map(Cell.trimmed)
            return mapping.columns.allSatisfy { column in
                titles.contains { Cell.isAlike($0, column.column) }
            }
        } ?? 0
    }

    /// The rows of a file, with a delimiter or with that of its first line that has one. Spreadsheets also write
    /// it as `sep=;`.
    private static func rows(
        _ bytes: [UInt8], delimiter: UInt8?
    ) throws(ImportError) -> [CSVRow] {
        if let delimiter { return try parse(bytes, delimiter: delimiter) }
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = bytes.starts(with: mark) ? bytes[3...] : bytes[...]
        let isLineEnd = { (byte: UInt8) in byte == 0x0A || byte == 0x0D }
        if text.starts(with: "sep=".utf8), let said = text.dropFirst(4).first,
            ",;\t|".utf8.contains(said)
        {
            return try parse(text.drop { !isLineEnd($0) }, delimiter: said)
        }
        var counts: [UInt8: Int] = [:]
        var isQuoted = false
        for byte in text {
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            // A line above the titles may have no delimiter.
            if !isQuoted, isLineEnd(byte), !counts.isEmpty { break }
            if !isQuoted, ",;\t".utf8.contains(byte) { counts[byte, default: 0] += 1 }
        }
        var found = UInt8(ascii: ",")
        for other in [UInt8(ascii: ";"), UInt8(ascii: "\t")]
        where counts[other, default: 0] > counts[found, default: 0] {
            found = other
        }
        return try parse(bytes, delimiter: found)
    }

    private static func parse(
        _ bytes: some Sequence<UInt8>, delimiter: UInt8
    ) throws(ImportError) -> [CSVRow] {
        do throws(CSVError) {
            var reader = CSVReader(delimiter: delimiter)
            var rows = try reader.rows(from: bytes)
            if let last = try reader.finish() { rows.append(last) }
            return rows
        } catch {
            throw ImportError(
                line: error.line, error.problem,
                hint: "correct the line, save the file as CSV in UTF-8, and import it again")
        }
    }
}

// MARK: Files that this program wrote

extension CSVImport {
    private func go(
        _ own: OwnImport, through replica: Replica, _ group: ImportGroup,
        _ progress: (Int, Int) -> Void, _ each: (ImportRow) throws -> Void
    ) throws -> ImportSummary {
        var group = group
        let judge = OwnJudge(replica: replica, today: try replica.today())
        let wanted = rows.filter(isWanted)[...]
        var summary = ImportSummary(kind: kind)
        summary.excluded = rows.count - wanted.count
        var told = Told(count: wanted.count)
        var names = RowNames()
        var drafts = try own.definitions(judge)
        let groups = own.groups(wanted)
        var pending: [ImportRow] = []
        for (place, entry) in groups.enumerated() {
            let verdict = try own.verdict(entry.rows.map { wanted[$0] }, entry.id, judge, &names)
            for (index, row) in zip(entry.rows, verdict.rows) { told.rows[index] = row }
            for row in verdict.rows { summary.count(row.outcome) }
            drafts += verdict.drafts
            pending += verdict.rows
            let isLast = place == groups.count - 1
            guard isLast || pending.count >= Self.batchRowsMax else { continue }
            if try group.record(drafts, of: pending, isLast: isLast, today: judge.today) {
                summary.group = group.id
            }
            (drafts, pending) = ([], [])
            try told.tell(each)
            progress(summary.total - summary.excluded, wanted.count)
        }
        summary.notices = notices + group.notices
        return summary
    }

    /// What became of rows, told in the order of the file.
    private struct Told {
        var rows: [ImportRow?]
        private var next = 0

        init(count: Int) { rows = Array(repeating: nil, count: count) }

        mutating func tell(_ each: (ImportRow) throws -> Void) throws {
            while next < rows.count, let row = rows[next] {
                try each(row)
                next += 1
            }
        }
    }
}
