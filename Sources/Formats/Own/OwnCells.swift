import MacrologEvents
import MacrologNutrition

/// The cells of a row in this program's own layout, with the problems found while reading them.
///
/// A blank cell states nothing; any other is read literally, byte for byte.
struct OwnCells {
    let row: CSVRow
    let indexByName: [String: Int]
    private(set) var problems: [RowFinding] = []

    init(_ row: CSVRow, _ indexByName: [String: Int]) {
        self.row = row
        self.indexByName = indexByName
    }

    /// The text of a column; `nil` if it is blank or missing.
    func text(_ name: String) -> String? {
        guard let index = indexByName[name], index < row.fields.count else { return nil }
        let text = CSVGuard.removed(from: row.fields[index])
        return text.isEmpty ? nil : text
    }

    mutating func refuse(_ name: String?, _ problem: String, _ hint: String) {
        problems.append(
            RowFinding(line: row.line, column: name, problem: problem, hint: hint))
    }

    /// The value of a cell; an invalid cell is rejected.
    mutating func parse<T>(
        _ name: String, _ hint: @autoclosure () -> String, _ read: (String) -> T?
    ) -> T? {
        guard let text = text(name).map(Cell.trimmed), !text.isEmpty else { return nil }
        if let value = read(text) { return value }
        refuse(name, "cannot be read", hint())
        return nil
    }

    mutating func truth(_ name: String) -> Bool? {
        parse(name, "type true or false", Cell.truth)
    }

    /// A whole number of a unit.
    mutating func whole(_ name: String, _ unit: Measure, unitless: Measure) -> Int64? {
        number(name) { quantity throws(NumberError) in
            try quantity.whole(unit, unitless: unitless)
        }
    }

    /// Thousandths of a number without a unit.
    mutating func thousandths(_ name: String) -> Int64? {
        number(name) { quantity throws(NumberError) in try quantity.unitless() }
    }

    /// Numbers written by this program have no thousands separators, so the only mark in one is its
    /// decimal mark: even after a spreadsheet has changed it, it is unambiguous.
    private mutating func number(
        _ name: String, _ convert: (Quantity) throws(NumberError) -> Int64
    ) -> Int64? {
        guard let text = text(name).map(Cell.trimmed), !text.isEmpty else { return nil }
        let marks = text.utf8.filter { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ".") }
        guard marks.count <= 1 else {
            refuse(name, "has marks between thousands", "type the number as 1234.5")
            return nil
        }
        let point = text.utf8.map { $0 == UInt8(ascii: ",") ? UInt8(ascii: ".") : $0 }
        do throws(NumberError) {
            return try NumberReader(decimalMark: .point)
                .read(String(decoding: point, as: UTF8.self)).map(convert)
        } catch {
            refuse(name, error.description, "type a number such as 8.775")
            return nil
        }
    }

    mutating func nutrient(_ nutrient: Nutrient, in name: String) -> Int64? {
        switch nutrient.unit {
        case .millikilocalories: whole(name, .millikilocalorie, unitless: .kilocalorie)
        case .milligrams: whole(name, .milligram, unitless: .gram)
        case .nanograms: whole(name, .nanogram, unitless: .milligram)
        default: thousandths(name)
        }
    }
}
