import MacrologNutrition

/// A CSV file as its titles and its rows: with which delimiter, from which line on, and what its columns mean.
struct CSVSheet {
    /// The row of titles; `nil` for a file without.
    let header: CSVRow?
    /// The row of titles, or the first row of a file without.
    let first: CSVRow
    /// The rows after the titles; blank ones are left out.
    let rows: ArraySlice<CSVRow>

    /// Reads the rows, and finds the titles.
    ///
    /// - Parameter mapping: The map that was given, whose columns are among the titles.
    /// - Throws: ``ImportError`` for what is not CSV, and for a file that is empty.
    init(
        _ bytes: [UInt8], _ mapping: ImportMapping?, _ options: ImportOptions
    ) throws(ImportError) {
        let all = try Self.rows(bytes, delimiter: options.delimiter).filter { row in
            row.fields.contains { !Cell.trimmed($0).isEmpty }
        }
        let place = options.hasHeader ? Self.placeOfTitles(all, mapping) : 0
        guard let first = all.dropFirst(place).first else {
            throw ImportError(
                line: 1, "the file is empty", hint: "choose a file with rows to import")
        }
        self.first = first
        header = options.hasHeader ? first : nil
        rows = options.hasHeader ? all.dropFirst(place + 1) : all[...]
    }

    /// The cells of a column, of the rows that are long enough to have it.
    func cells(_ index: Int) -> some Sequence<(line: Int, text: String)> {
        rows.lazy.filter { index < $0.fields.count }.map {
            (line: $0.line, text: Cell.trimmed($0.fields[index]))
        }
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

// MARK: What the columns mean

extension CSVSheet {
    /// The indexes of the columns that the options leave out.
    ///
    /// - Throws: ``ImportError`` for a column that is not there, and for a file that was exported here.
    func skippedColumns(
        _ options: ImportOptions, of known: KnownFile?
    ) throws(ImportError) -> [Int] {
        let skipped = try ImportColumns.indexes(of: options.skippedColumns, header, first)
        if known?.own != nil, !skipped.isEmpty {
            throw ImportError(
                line: first.line, "a file that was exported here is read whole",
                hint: "import it with all its columns; a blank cell changes nothing")
        }
        return skipped
    }

    /// What the titles of the other columns say; `nil` without titles, and where they say too little.
    func titledMapping(without skipped: [Int]) -> ImportMapping? {
        guard header != nil else { return nil }
        let titles = first.fields.enumerated().map { skipped.contains($0) ? "" : $1 }
        let mapping = TitledColumns.mapping(header: titles, rows: rows)
        // Energy alone beside steps and distances, and no word of what was eaten, was burned.
        if let mapping, mapping[.name] == nil, mapping[.nutrient(.energy)] != nil,
            mapping[.nutrient(.protein)] == nil, ActivityColumns.areAll(of: titles)
        {
            return nil
        }
        return mapping
    }

    /// Why a file without a map cannot be imported.
    var unknownColumns: ImportError {
        if header != nil, ActivityColumns.areAll(of: first.fields) {
            let titles = ActivityColumns.titles(in: first.fields)
            return ImportError(
                line: first.line,
                "this is a file of activity, not of meals: it has \(ActivityColumns.text(titles))",
                hint:
                    "its energy was burned, not eaten; record the steps of a day, and activities, by "
                    + "themselves")
        }
        return ImportError(
            line: first.line, "the meaning of the columns is unknown",
            hint: "map them, such as date=COLUMN,name=COLUMN,energy=COLUMN or "
                + "date=COLUMN,weight=COLUMN; the columns are "
                + first.fields.map(Cell.trimmed).joined(separator: ", "))
    }

    /// A map without the columns that are skipped.
    ///
    /// - Throws: ``ImportError`` for a column of the map that is not there, where some are skipped.
    func mapping(
        _ mapping: ImportMapping, without skipped: [Int]
    ) throws(ImportError) -> ImportMapping {
        var left = mapping
        for (field, column) in mapping.columns where !skipped.isEmpty {
            let index = try ImportColumns.indexes(of: [column], header, first)
            if skipped.contains(index[0]) { left[field] = nil }
        }
        return left
    }

    /// Whether all times of a column are midnight.
    func hasDaysAlone(_ index: Int, _ format: DateFormat) -> Bool {
        cells(index).allSatisfy { (DayCell($0.text, format)?.seconds ?? 0) == 0 }
    }

    /// Refuses a row of titles that holds a date, and so is none.
    func refuseDateInHeader(_ index: Int) throws(ImportError) {
        guard let header,
            DateFormat.allCases.contains(where: {
                DayCell(Cell.trimmed(header.fields[index]), $0) != nil
            })
        else { return }
        throw ImportError(
            line: header.line, "the first row is not a header: it holds a date",
            hint: "state that the file has no header, so that the row is imported")
    }
}
