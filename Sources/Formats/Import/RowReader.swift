import MacrologEvents
import Macrolog
import MacrologNutrition

/// The contents of one row, before it is known whether its entry exists already.
struct ReadRow {
    let line: Int
    /// The row's identity, from which its id is computed; `nil` if it cannot be read.
    var identity: RowIdentity?
    /// The fields that the row states: they are compared with the stored ones.
    var stated = ValueMap()
    /// The other fields of a new entity: they never change a stored one.
    var defaults = ValueMap()
    var warnings: [String] = []
    var problems: [RowFinding] = []
}

/// Reads the cells of a row as fields. An empty cell states nothing.
struct RowReader: Sendable {
    let columns: ImportColumns
    let options: ImportOptions
    /// The person's meal slots.
    let slots: [MealSlot]

    func read(_ row: CSVRow) -> ReadRow {
        var read = ReadRow(line: row.line)
        if let problem = widthProblem(row) {
            read.problems = [problem]
            return read
        }
        var cells = Cells(row: row, columns: columns, numbers: numberReader)
        let day = cells.parse(.date, "type a day as \(options.dateFormat.pattern)") {
            Cell.day($0, options.dateFormat)
        }
        if day == nil, cells.problems.isEmpty {
            cells.refuse(.date, "is blank", "type a day as \(options.dateFormat.pattern)")
        }
        let seconds = cells.parse(.time, "type a time such as 18:00 or 6:00 PM") {
            Cell.seconds($0)
        }
        let name = columns.kind == .meal ? cells.text(.name) : nil
        if let day, cells.problems.isEmpty {
            read.identity = RowIdentity(
                day: day, seconds: seconds, name: name,
                person: cells.text(columns.indexByField[.person] ?? columns.filter?.index))
            read.stated["local_date"] = localDate(day, seconds, &read.warnings).value
        }
        switch columns.kind {
        case .weighIn: weighIn(&cells, &read)
        default: meal(&cells, name, seconds, &read)
        }
        read.problems = cells.problems
        return read
    }

    private var numberReader: NumberReader { NumberReader(decimalMark: options.decimalMark) }

    /// Blank cells beyond the header are ignored; any other means that the row is misaligned.
    private func widthProblem(_ row: CSVRow) -> RowFinding? {
        let extra = row.fields.dropFirst(columns.width)
        guard row.fields.count < columns.width || extra.contains(where: { !$0.isEmpty }) else {
            return nil
        }
        return RowFinding(
            line: row.line, column: nil,
            problem: "the row has \(row.fields.count) cells where \(columns.width) are expected",
            hint: "put quotes around cells that hold the delimiter, and fill up the row")
    }

    private func localDate(
        _ day: Day, _ seconds: Int64?, _ warnings: inout [String]
    ) -> LocalDate {
        guard let seconds else { return LocalDate(day: day) }
        let minute = seconds / 60
        guard let instant = options.zone.instant(day, minute) else {
            warnings.append("the clocks skipped this time of this day: only the day is kept")
            return LocalDate(day: day)
        }
        return LocalDate(
            day: day, occurredAt: instant + seconds % 60 * 1_000, zone: options.zone.name,
            offsetMinutes: day.number * 1_440 + minute - instant / 60_000)
    }

    private func weighIn(_ cells: inout Cells, _ read: inout ReadRow) {
        read.defaults["source"] = .text(WeighSource.importer.name)
        let unit: Measure = options.weightUnit == .kilograms ? .kilogram : .pound
        if let grams = cells.whole(.weight, .gram, unitless: unit) {
            read.stated["weight_g"] = .int(grams)
        } else if !cells.hasProblem(.weight) {
            cells.refuse(.weight, "says nothing", "type the weight, or take the row out")
        }
        read.stated["body_fat_bp"] =
            cells.whole(.bodyFat, .basisPoint, unitless: .percent).map(Value.int)
        read.stated["note"] = cells.text(.note).map { .text(UTF8Text($0)) }
    }

    private func meal(
        _ cells: inout Cells, _ name: String?, _ seconds: Int64?, _ read: inout ReadRow
    ) {
        read.defaults["source"] = .text(MealSource.importer.name)
        read.defaults["consumed"] = true
        if let seconds {
            read.defaults["meal_type"] = .text(MealSlot.key(at: seconds / 60, among: slots))
        }
        read.stated["dish_name"] = name.map { .text(UTF8Text($0)) }
        read.stated["meal_type"] = cells.parse(.slot, Self.slotHint, slot).map(Value.text)
        read.stated["consumed"] = cells.parse(.consumed, Self.truthHint, Cell.truth)
            .map(Value.bool)
        read.stated["estimated"] = cells.parse(.estimated, Self.truthHint, Cell.truth)
            .map(Value.bool)
        read.stated["consumed_share_bp"] =
            cells.whole(.share, .basisPoint, unitless: .percent).map(Value.int)
        let note = [cells.amount(), cells.text(.note)].compactMap { $0 }.joined(separator: "\n")
        read.stated["note"] = note.isEmpty ? nil : .text(UTF8Text(note))
        var knowsNutrients = false
        for case .nutrient(let nutrient) in columns.indexByField.keys {
            let amount = nutrientAmount(nutrient, &cells)
            read.stated[nutrient.key] = amount.map(Value.int)
            knowsNutrients = knowsNutrients || amount != nil
        }
        if name == nil, note.isEmpty, !knowsNutrients, read.stated["meal_type"] == nil,
            cells.problems.isEmpty
        {
            cells.refuse(
                nil, "the row has neither a name nor a nutrient",
                "fill in a name or a number, or take the row out")
        }
    }

    private func nutrientAmount(_ nutrient: Nutrient, _ cells: inout Cells) -> Int64? {
        let field = ImportField.nutrient(nutrient)
        switch nutrient.unit {
        case .millikilocalories:
            let unit: Measure =
                options.energyUnit == .kilocalories ? .kilocalorie : .kilojoule
            return cells.whole(field, .millikilocalorie, unitless: unit)
        case .milligrams: return cells.whole(field, .milligram, unitless: .gram)
        case .nanograms: return cells.whole(field, .nanogram, unitless: .milligram)
        default: return cells.thousandths(field)
        }
    }

    /// A person's own slot by key or name, else any word that is a valid slot.
    private func slot(_ text: String) -> UTF8Text? {
        let own = slots.first {
            Cell.isAlike($0.key.string, text) || Cell.isAlike($0.name.string, text)
        }
        if let own { return own.key }
        let word = UTF8Text(Cell.lowered(text))
        let findings = Kind.validate(
            kind: Kind.meal.name, field: "meal_type", value: .text(word))
        return findings.isEmpty ? word : nil
    }

    private static let slotHint = "type breakfast, lunch, dinner, snack, or a slot of your own"
    private static let truthHint = "type true or false"
}
