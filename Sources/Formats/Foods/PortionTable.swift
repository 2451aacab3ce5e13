import MacrologEvents
import MacrologNutrition

/// USDA's household measures: the food, the amount and name of the measure, and its mass.
///
/// A measure is stored with the mass of one. If a food's table states a measure several times (½
/// cup 124 g, 1 cup 246 g), the row for one is the measure, and the others keep the amount in their
/// names. A name longer than 60 bytes loses the text in parentheses.
struct PortionTable {
    private struct Row {
        let line: Int
        let reference: String
        let amount: String
        let measure: String
        let grams: String
    }

    /// What the person should know about the file as a whole.
    private(set) var notices: [String] = []

    private var csv = CSVReader()
    private var columns: [Int]?
    private var rows: [Row] = []
    private var broken: [ReadRow] = []
    private var bytes = 0

    private static let names = ["ndb_no", "amount", "measure", "grams"]
    /// The maximum size of a file in bytes: the measures of a food need not be adjacent.
    private static let bytesMax = 64 << 20
    private static let labelBytesMax = 60

    mutating func take(_ piece: [UInt8]) throws(ImportError) {
        bytes += piece.count
        guard bytes <= Self.bytesMax else {
            throw ImportError(
                "the file has more than \(Self.bytesMax) bytes",
                hint: "choose the USDA table of portions")
        }
        let found: [CSVRow]
        do throws(CSVError) { found = try csv.rows(from: piece) } catch {
            throw ImportError(csv: error)
        }
        try take(found)
    }

    private mutating func take(_ found: [CSVRow]) throws(ImportError) {
        for row in found {
            guard let columns else {
                let header = row.fields.map { Cell.lowered(Cell.trimmed($0)) }
                let indexes = Self.names.compactMap { header.firstIndex(of: $0) }
                guard indexes.count == Self.names.count else {
                    throw ImportError(
                        line: row.line, "this is not the USDA table of portions",
                        hint: "its columns are \(Self.names.joined(separator: ", "))")
                }
                columns = indexes
                continue
            }
            let cells = columns.map { $0 < row.fields.count ? Cell.trimmed(row.fields[$0]) : "" }
            if cells.contains("") {
                var read = ReadRow(line: row.line)
                read.refuse(
                    Self.names[cells.firstIndex(of: "") ?? 0], "says nothing",
                    "fill it in, or take the row out")
                broken.append(read)
                continue
            }
            rows.append(
                Row(
                    line: row.line, reference: cells[0], amount: cells[1], measure: cells[2],
                    grams: cells[3]))
        }
    }

    /// All measures, in the order of the file.
    ///
    /// - Parameter foods: The foods that exist.
    mutating func rows(
        ofFoods foods: [Identifier: Int]
    ) throws(ImportError) -> [(read: ReadRow, id: Identifier?)] {
        let last: CSVRow?
        do throws(CSVError) { last = try csv.finish() } catch { throw ImportError(csv: error) }
        if let last { try take([last]) }
        let labels = self.labels()
        var read = broken.map { (read: $0, id: Identifier?.none) }
        for (row, label) in zip(rows, labels) { read.append(portion(row, label, foods)) }
        return read.sorted { $0.read.line < $1.read.line }
    }

    private struct Label {
        let text: String
        /// Whether it is for one of the measure; otherwise for the row's whole amount.
        let isOfOne: Bool
    }

    private mutating func labels() -> [Label] {
        // The row for the measure itself: of one, else the first.
        var chosen: [[String]: Int] = [:]
        for (index, row) in rows.enumerated() {
            let key = [row.reference, row.measure]
            if let first = chosen[key] {
                if !Self.isOne(rows[first].amount), Self.isOne(row.amount) { chosen[key] = index }
            } else {
                chosen[key] = index
            }
        }
        var taken: Set<[String]> = []
        var shortened = 0
        let labels = rows.enumerated().map { index, row in
            let isOfOne = chosen[[row.reference, row.measure]] == index
            let isPlain = isOfOne || Self.isOne(row.amount)
            let full = isPlain ? row.measure : "\(row.amount) \(row.measure)"
            var label = Self.short(full)
            if label != full { shortened += 1 }
            var count = 1
            while !taken.insert([row.reference, label]).inserted {
                count += 1
                label = "\(Self.short(full, bytes: Self.labelBytesMax - 5)) (\(count))"
            }
            return Label(text: label, isOfOne: isOfOne)
        }
        if shortened > 0 {
            notices.append("\(shortened) measures have long names, which are shortened")
        }
        return labels
    }

    private static func isOne(_ amount: String) -> Bool {
        ExactDecimal(amount)?.whole(places: 3) == 1_000
    }

    /// The name without the text in parentheses, and then without its last words, until it fits.
    private static func short(_ label: String, bytes: Int = labelBytesMax) -> String {
        guard label.utf8.count > bytes else { return label }
        var kept = label
        if let open = label.firstIndex(of: "(") {
            let head = Cell.trimmed(String(label[..<open]))
            if !head.isEmpty { kept = head }
        }
        while kept.utf8.count > bytes {
            guard let space = kept.lastIndex(of: " ") else {
                return String(kept.unicodeScalars.prefix(bytes / 4).map(Character.init))
            }
            kept = String(kept[..<space])
        }
        return kept
    }

    private func portion(
        _ row: Row, _ label: Label, _ foods: [Identifier: Int]
    ) -> (read: ReadRow, id: Identifier?) {
        var read = ReadRow(line: row.line)
        let food = Identities.food(.usda, reference: row.reference)
        if foods[food] == nil {
            read.refuse(
                "ndb_no", "the table of foods has no \(row.reference)",
                "give the table of foods that it belongs to")
        }
        // ⅓ is .33, .333 or .3333 here.
        guard let amount = ExactDecimal(row.amount)?.whole(places: 4), amount > 0 else {
            read.refuse("amount", "\"\(row.amount)\" is not an amount", "type a number above 0")
            return (read, nil)
        }
        guard let mass = ExactDecimal(row.grams)?.whole(places: 3), mass > 0 else {
            read.refuse("grams", "\"\(row.grams)\" is not a mass", "type a number above 0")
            return (read, nil)
        }
        let one = label.isOfOne ? Rounding.scaled(mass, by: 10_000, over: amount) : mass
        let portion = FoodPortion(of: food, label: label.text, milligrams: one)
        for entry in portion.fields.entries { read.stated[entry.name] = entry.value }
        return (read, portion.id)
    }
}
