import MacrologEvents
import MacrologNutrition

/// Where each field stands in a file: a map, resolved against the file's header.
struct ImportColumns: Sendable {
    /// The header's cells; empty without a header.
    let header: [String]
    /// How many cells a row has.
    let width: Int
    let indexByField: [ImportField: Int]
    /// The units of cells that name none, as the titles say.
    let unitByField: [ImportField: Measure]
    /// The column and the value of the rows that are wanted.
    let filter: (index: Int, value: String)?
    /// What the rows become.
    let kind: Kind

    init(
        _ mapping: ImportMapping, header: CSVRow?, width: Int, filter: RowFilter?
    ) throws(ImportError) {
        let names = (header?.fields ?? []).map(Cell.trimmed)
        self.header = names
        self.width = width
        var indexes: [ImportField: Int] = [:]
        for (field, column) in mapping.columns {
            indexes[field] = try Self.index(of: column, header, names, width)
        }
        indexByField = indexes
        var units: [ImportField: Measure] = [:]
        for (field, index) in indexes where index < names.count {
            units[field] = try Self.unit(of: field, title: names[index], line: header?.line)
        }
        unitByField = units
        kind = try Self.kind(of: mapping)
        if let filter {
            let index = try Self.index(of: filter.column, header, names, width)
            self.filter = (index, Cell.trimmed(filter.value))
        } else {
            self.filter = nil
        }
    }

    /// The places of columns that are named by their titles or numbers.
    static func indexes(
        of columns: [String], _ header: CSVRow?, _ first: CSVRow
    ) throws(ImportError) -> [Int] {
        let names = (header?.fields ?? []).map(Cell.trimmed)
        var indexes: [Int] = []
        for column in columns {
            indexes.append(try index(of: column, header, names, first.fields.count))
        }
        return indexes
    }

    /// The cells that hold numbers.
    func numbers(in rows: ArraySlice<CSVRow>) -> some Sequence<String> {
        let indexes = indexByField.filter { $0.key.isNumber }.map(\.value)
        return rows.lazy.flatMap { row in
            indexes.lazy.filter { $0 < row.fields.count }.map { Cell.trimmed(row.fields[$0]) }
        }
    }

    /// How a column is named to people.
    func name(_ index: Int) -> String {
        index < header.count && !header[index].isEmpty ? header[index] : "column \(index + 1)"
    }

    /// The column that says whose a row is: the one that is mapped so, else that of the filter if it means nothing
    /// else. A filter by the day or the meal of the day says nothing about the person.
    var personIndex: Int? { indexByField[.person] ?? filteredPersonIndex }

    /// The filter's column, if nothing but the filter says that it holds people.
    var filteredPersonIndex: Int? {
        guard indexByField[.person] == nil, let index = filter?.index,
            !indexByField.values.contains(index)
        else { return nil }
        return index
    }

    /// The titles of the columns that mean nothing.
    var unreadNames: [String] {
        let read = Set(indexByField.values)
        return header.indices.filter { !read.contains($0) && !header[$0].isEmpty }.map(name)
    }

    /// The unit that a title names; `nil` where it names none, or the field has none.
    private static func unit(
        of field: ImportField, title: String, line: Int?
    ) throws(ImportError) -> Measure? {
        let known = ColumnTitle(title)
        guard let wanted = field.dimension else { return nil }
        if known.isPer100, case .nutrient = field {
            throw ImportError(
                line: line, "the column \"\(title)\" is what 100 g or 100 ml have",
                hint: "map a column of what was eaten to \(field.word), or leave it out")
        }
        guard let unit = known.unit else { return nil }
        switch unit {
        case .measure(let measure) where measure.dimension == wanted: return measure
        case .internationalUnits where field == .nutrient(.vitaminD): return .vitaminDUnit
        case .measure, .other:
            throw ImportError(
                line: line, "the column \"\(title)\" is in another unit than \(field.word)",
                hint: "map another column to \(field.word), or leave \(field.word) out")
        case .internationalUnits:
            throw ImportError(
                line: line, "the column \"\(title)\" is in international units",
                hint: "they say an amount of vitamin D alone: map another column to "
                    + "\(field.word), or leave it out")
        }
    }

    /// The column that a field was read from, as it is named to people.
    func name(ofField field: UTF8Text) -> String? {
        let mapped: ImportField? =
            switch field {
            case "local_date": .date
            case "dish_name": .name
            case "meal_type": .slot
            case "note": indexByField[.note] == nil ? .amount : .note
            case "weight_g": .weight
            case "body_fat_bp": .bodyFat
            case "consumed_share_bp": .share
            default: Nutrient(key: field).map { .nutrient($0) }
            }
        return mapped.flatMap { indexByField[$0] }.map(name)
    }

    private static func index(
        of column: String, _ row: CSVRow?, _ header: [String], _ width: Int
    ) throws(ImportError) -> Int {
        let found = header.indices.filter { Cell.isAlike(header[$0], column) }
        if let first = found.first {
            guard found.count == 1 else {
                throw ImportError(
                    line: row?.line, "there are \(found.count) columns \"\(column)\"",
                    hint: "name the one you mean by its number, such as \(first + 1)")
            }
            return first
        }
        if let number = Int(column), (1...width).contains(number) { return number - 1 }
        guard row != nil else {
            throw ImportError(
                "there is no column \"\(column)\" in a file without a header",
                hint: "name columns by number, from 1 to \(width)")
        }
        if header.count == 1, let other = [";", "\t"].first(where: header[0].contains) {
            throw ImportError(
                line: row?.line, "there is no column \"\(column)\" but only one column",
                hint: "the file seems to be separated by "
                    + (other == "\t" ? "tabs" : "semicolons") + ": choose that delimiter")
        }
        throw ImportError(
            line: row?.line, "there is no column \"\(column)\"",
            hint: "the columns are \(header.joined(separator: ", "))")
    }

    private static func kind(of mapping: ImportMapping) throws(ImportError) -> Kind {
        guard mapping[.date] != nil else {
            throw ImportError(
                "the map has no column for the date", hint: "add date=COLUMN")
        }
        let fields = mapping.columns.map(\.field)
        let kinds = Set(fields.compactMap(\.kind))
        guard let kind = kinds.first, kinds.count == 1 else {
            throw kinds.isEmpty
                ? ImportError(
                    "the map has only dates and times",
                    hint: "add weight=COLUMN, or name=COLUMN and energy=COLUMN")
                : ImportError(
                    "the map mixes meals and weigh-ins",
                    hint: "import the file twice, once with each map")
        }
        if kind == .weighIn, mapping[.weight] == nil {
            throw ImportError(
                "the map has body fat without a weight", hint: "add weight=COLUMN")
        }
        let saysWhat = fields.contains { field in
            if case .nutrient = field { return true }
            return field == .name
        }
        if kind == .meal, !saysWhat {
            throw ImportError(
                "the map has neither a name nor energy",
                hint: "add name=COLUMN or energy=COLUMN")
        }
        return kind
    }
}
