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
/// last word, but what a person has deleted stays deleted unless the options say otherwise. A row of
/// another program's file with the same date, time, name and person counts as corrected, too. What a
/// person typed has an id of its own, which no other program's file has. A map that takes date, time,
/// name or person from other columns makes other ids. A cell that says nothing (blank, `-`, `n/a`)
/// stays unknown and never takes away what is there. Without a map, titles such as `Food` and
/// `Energy (kJ)` say what columns mean. Numbers become exact whole numbers, rounded once, half to even.
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
    /// The greatest size of a file, in bytes: some hundred thousand rows.
    public static let bytesMax = 64 << 20

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
        let sheet = try CSVSheet(text.bytes, mapping, options)
        let known = mapping == nil ? sheet.header.flatMap { KnownFile(header: $0.fields) } : nil
        let skipped = try sheet.skippedColumns(options, of: known)
        let titled = mapping == nil && known == nil ? sheet.titledMapping(without: skipped) : nil
        guard let found = mapping ?? known?.mapping ?? titled else { throw sheet.unknownColumns }
        let mapping = try sheet.mapping(found, without: skipped)
        self.mapping = mapping
        rows = sheet.rows
        isTitled = titled != nil
        knownFile = known
        hash = SHA256.hash(bytes + Array(mapping.text.utf8))
        let columns = try ImportColumns(
            mapping, header: sheet.header, width: sheet.first.fields.count, filter: options.filter)
        self.columns = columns
        let dateIndex = columns.indexByField[.date]
        var options = options
        if options.dateFormat == nil, let dateIndex {
            options.dateFormat = try DateFormat.of(sheet.cells(dateIndex))
        }
        self.options = options
        hasDaysAlone = dateIndex.map { sheet.hasDaysAlone($0, options.days) } ?? false
        shownMark =
            options.decimalMark == .auto
            ? DecimalMark.shown(by: columns.numbers(in: sheet.rows)) : nil
        own = known?.own.map { OwnImport($0, header: sheet.first.fields, options) }
        if let dateIndex { try sheet.refuseDateInHeader(dateIndex) }
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
        let judge = RowJudge(
            today: today, column: columns.name(ofField:), keepsDeleted: !options.restoresDeleted)
        var summary = ImportSummary(kind: kind)
        var names = RowNames()
        var unknown = 0
        var first = rows.startIndex
        while first < rows.endIndex {
            let end = min(first + Self.batchRowsMax, rows.endIndex)
            var batch: [(read: ReadRow, id: Identifier?)] = []
            for row in rows[first..<end] where !isMarkedDeleted(row) {
                let read = reader.read(row)
                // Also of a row that the filter leaves out, so that equal rows are counted as without a filter.
                let id = read.identity.map { names.id($0, kind) }
                if passesFilter(row) { batch.append((read, id)) }
            }
            summary.excluded += end - first - batch.count
            let verdicts =
                kind == .weighIn
                ? try judge.verdicts(WeighIn.self, batch, in: replica) { .weighIn($0) }
                : try judge.verdicts(Meal.self, batch, in: replica) { .meal($0) }
            for verdict in verdicts {
                summary.count(verdict.row.outcome)
                if verdict.row.isOfUnknownContent { unknown += 1 }
            }
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
        if unknown > 0 {
            summary.notices.append(
                "\(unknown) \(unknown == 1 ? "row says" : "rows say") nothing about energy or "
                    + "nutrients, which stay unknown")
        }
        return summary
    }

    private func isWanted(_ row: CSVRow) -> Bool { !isMarkedDeleted(row) && passesFilter(row) }

    private func isMarkedDeleted(_ row: CSVRow) -> Bool {
        guard let deleted = columns.indexByField[.deleted], deleted < row.fields.count else {
            return false
        }
        return Cell.truth(Cell.trimmed(row.fields[deleted])) == true
    }

    private func passesFilter(_ row: CSVRow) -> Bool {
        guard let filter = columns.filter, filter.index < row.fields.count else { return true }
        return Cell.trimmed(row.fields[filter.index]).utf8.elementsEqual(filter.value.utf8)
    }

    private var notices: [String] {
        var notices: [String] = []
        if isTitled, !columns.unreadNames.isEmpty {
            notices.append(
                "columns that are not read: \(columns.unreadNames.joined(separator: ", "))")
        }
        let ofActivity = ActivityColumns.titles(in: columns.unreadNames)
        if own == nil, let energy = columns.indexByField[.nutrient(.energy)], !ofActivity.isEmpty {
            notices.append(
                "the file also has \(ActivityColumns.text(ofActivity)): make sure that "
                    + "\(columns.name(energy)) was eaten, not burned")
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
        } else if own == nil, let person = columns.filteredPersonIndex {
            notices.append(
                "\(columns.name(person)) is taken as whose rows these are: rows that were imported without this "
                    + "filter come in once more")
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
}

// MARK: Files that this program wrote

extension CSVImport {
    private func go(
        _ own: OwnImport, through replica: Replica, _ group: ImportGroup,
        _ progress: (Int, Int) -> Void, _ each: (ImportRow) throws -> Void
    ) throws -> ImportSummary {
        var group = group
        let judge = OwnJudge(
            replica: replica, today: try replica.today(), restoresDeleted: options.restoresDeleted)
        let wanted = rows.filter(isWanted)[...]
        var summary = ImportSummary(kind: kind)
        summary.excluded = rows.count - wanted.count
        var told = Told(count: wanted.count)
        var names = RowNames()
        names.stated = own.stated(wanted)
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
