import MacrologEvents
import MacrologNutrition

/// The cells of one row by field, with the problems found while reading them.
struct Cells {
    let row: CSVRow
    let columns: ImportColumns
    let numbers: NumberReader
    /// The decimal mark that other numbers of the file show.
    let shownMark: DecimalMark?
    private(set) var problems: [RowFinding] = []
    private var fieldsWithProblems: Set<ImportField> = []

    init(
        row: CSVRow, columns: ImportColumns, numbers: NumberReader, shownMark: DecimalMark? = nil
    ) {
        self.row = row
        self.columns = columns
        self.numbers = numbers
        self.shownMark = shownMark
    }

    /// What a column says; `nil` where it says nothing.
    func text(_ index: Int?) -> String? {
        guard let index else { return nil }
        let trimmed = Cell.trimmed(CSVGuard.removed(from: row.fields[index]))
        return Cell.isUnknown(trimmed) ? nil : trimmed
    }

    func text(_ field: ImportField) -> String? { text(columns.indexByField[field]) }

    func hasProblem(_ field: ImportField) -> Bool { fieldsWithProblems.contains(field) }

    mutating func refuse(_ field: ImportField?, _ problem: String, _ hint: String) {
        if let field { fieldsWithProblems.insert(field) }
        problems.append(
            RowFinding(
                line: row.line,
                column: field.flatMap { columns.indexByField[$0] }.map(columns.name),
                problem: problem, hint: hint))
    }

    /// What a cell means; a cell that means nothing is refused.
    mutating func parse<T>(
        _ field: ImportField, _ hint: @autoclosure () -> String, _ read: (String) -> T?
    ) -> T? {
        guard let text = text(field) else { return nil }
        if let value = read(text) { return value }
        refuse(field, "cannot be read", hint())
        return nil
    }

    /// A whole number of a unit, rounded once, half to even: 52.59999847 kg are 52,600 g.
    mutating func whole(
        _ field: ImportField, _ unit: Measure, unitless: Measure
    ) -> Int64? {
        number(field) { quantity throws(NumberError) in
            try quantity.whole(unit, unitless: unitless)
        }
    }

    /// Thousandths of something without a unit.
    mutating func thousandths(_ field: ImportField) -> Int64? {
        number(field) { quantity throws(NumberError) in try quantity.unitless() }
    }

    private mutating func number(
        _ field: ImportField, _ convert: (Quantity) throws(NumberError) -> Int64
    ) -> Int64? {
        guard let text = text(field) else { return nil }
        do throws(NumberError) {
            return try quantity(text).map(convert)
        } catch {
            refuse(error, field)
            return nil
        }
    }

    /// Amount and unit for people to read, `20 fluid ounce` for `20.0`; words are kept as they are.
    mutating func amount() -> String? {
        let unit = text(.unit)
        guard let text = text(.amount) else { return unit }
        var number = text
        do throws(NumberError) {
            if let quantity = try quantity(text), quantity.unit == nil,
                1_000 % quantity.denominator == 0
            {
                number = Decimal.text(quantity.milli, places: 3)
            }
        } catch {
            if case .ambiguous = error {
                refuse(error, .amount)
                return nil
            }
        }
        return unit.map { "\(number) \($0)" } ?? number
    }

    private func quantity(_ text: String) throws(NumberError) -> Quantity? {
        if let grouped = shownMark?.grouped(text) { return grouped }
        return try numbers.read(text)
    }

    private mutating func refuse(_ error: NumberError, _ field: ImportField) {
        if case .negative = error {
            return refuse(
                field, "the number is below zero",
                "take the row out if nothing was eaten, or type it without the minus sign")
        }
        let sentence = error.description
        guard let colon = sentence.firstRange(of: ": ") else {
            return refuse(field, sentence, "correct the cell")
        }
        refuse(
            field, String(sentence[..<colon.lowerBound]), String(sentence[colon.upperBound...]))
    }
}
