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
    /// The person's meal slots, and units.
    let preferences: Preferences
    /// Whether the day's column has midnight in all rows: then it means a day.
    let hasDaysAlone: Bool
    /// The decimal mark that numbers of the file show.
    let shownMark: DecimalMark?

    private var slots: [MealSlot] { preferences.mealSlots ?? MealSlot.standard }

    /// In which unit weights are read of which the file does not say it; `nil` where it does.
    var assumedWeightUnit: WeightUnit? {
        guard columns.kind == .weighIn, options.weightUnit == nil,
            columns.unitByField[.weight] == nil, columns.indexByField[.unit] == nil
        else { return nil }
        return preferences.weightUnit ?? .kilograms
    }

    func read(_ row: CSVRow) -> ReadRow {
        var read = ReadRow(line: row.line)
        if let problem = widthProblem(row) {
            read.problems = [problem]
            return read
        }
        var cells = Cells(
            row: row, columns: columns, numbers: numberReader, shownMark: shownMark)
        let format = options.days
        let written = cells.text(.date)
        let date = cells.parse(.date, format.hint(insteadOf: written)) {
            hasDaysAlone ? DayCell($0, format)?.withoutTime : DayCell($0, format)
        }
        if date == nil, cells.problems.isEmpty {
            cells.refuse(.date, "is blank", format.hint(insteadOf: nil))
        }
        let typed = cells.parse(.time, "type a time such as 18:00 or 6:00 PM") { Cell.seconds($0) }
        let moment = date.map { self.moment($0, typed, &read.warnings) }
        let seconds = moment?.seconds
        let name = columns.kind == .meal ? cells.text(.name) : nil
        if let date, let moment, cells.problems.isEmpty {
            // What the file says, so that it is the same in another zone.
            read.identity = RowIdentity(
                day: date.day, seconds: typed ?? date.seconds, name: name,
                person: cells.text(columns.personIndex),
                slot: cells.text(.slot))
            read.stated["local_date"] = moment.date.value
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

    /// When a row was: a time of its own column goes before that beside the day.
    private func moment(
        _ cell: DayCell, _ typed: Int64?, _ warnings: inout [String]
    ) -> (date: LocalDate, seconds: Int64?) {
        guard typed == nil, let instant = cell.instant, let seconds = cell.seconds else {
            let seconds = typed ?? cell.seconds
            return (localDate(cell.day, seconds, &warnings), seconds)
        }
        let shown =
            cell.clock == .utc
            ? options.zone.local(instant - seconds % 60 * 1_000) : (cell.day, seconds / 60)
        if let shown, let minute = options.zone.instant(shown.day, shown.minute),
            minute + seconds % 60 * 1_000 == instant
        {
            let local = shown.minute * 60 + seconds % 60
            return (localDate(shown.day, local, &warnings), local)
        }
        let ahead = if case .ahead(let minutes) = cell.clock { minutes } else { 0 as Int64 }
        return (
            LocalDate(day: cell.day, occurredAt: instant, zone: nil, offsetMinutes: ahead), seconds
        )
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
        let typed = cells.parse(.unit, "type kg, lb or st") { text in
            Measure.named(text).flatMap { $0.dimension == .mass ? $0 : nil }
        }
        let unit =
            typed ?? options.weightUnit.map(Self.measure) ?? columns.unitByField[.weight]
            ?? preferences.weightUnit.map(Self.measure) ?? .kilogram
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
        for field in [ImportField.name, .slot] where cells.text(field).map(Self.isSum) == true {
            cells.refuse(
                field, "is a sum of other rows", "take the row out, or write what was eaten")
        }
        read.stated["dish_name"] = name.map { .text(UTF8Text($0)) }
        let typedSlot = cells.text(.slot).flatMap {
            SlotWord.none.contains($0.lowercased()) ? nil : $0
        }
        let slot = typedSlot.map { (word: $0, key: self.slot($0)) }
        read.stated["meal_type"] = slot?.key.map(Value.text)
        if let slot, slot.key == nil {
            read.warnings.append("the slot \"\(slot.word)\" cannot be stored: it is in the note")
        }
        read.stated["consumed"] = cells.parse(.consumed, Self.truthHint, Cell.truth)
            .map(Value.bool)
        read.stated["estimated"] = cells.parse(.estimated, Self.truthHint, Cell.truth)
            .map(Value.bool)
        read.stated["consumed_share_bp"] =
            cells.whole(.share, .basisPoint, unitless: .percent).map(Value.int)
        let other = slot?.key == nil ? slot?.word : nil
        let said = cells.text(.note)?.replacing("\r\n", with: "\n")
        let note = [other, cells.amount(), said].compactMap { $0 }
            .joined(separator: "\n")
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
        let titled = columns.unitByField[field]
        switch nutrient.unit {
        case .millikilocalories:
            let unit =
                options.energyUnit.map(Self.measure) ?? titled
                ?? preferences.energyUnit.map(Self.measure) ?? .kilocalorie
            return cells.whole(field, .millikilocalorie, unitless: unit)
        case .milligrams: return cells.whole(field, .milligram, unitless: titled ?? .gram)
        case .nanograms: return cells.whole(field, .nanogram, unitless: titled ?? .milligram)
        default: return cells.thousandths(field)
        }
    }

    /// A person's own slot by key or name, else any word that can be a slot.
    private func slot(_ text: String) -> UTF8Text? {
        let own = slots.first {
            Cell.isAlike($0.key.string, text) || Cell.isAlike($0.name.string, text)
        }
        return own?.key ?? SlotWord.key(text)
    }

    private static func isSum(_ text: String) -> Bool {
        let text = text.lowercased()
        return sums.contains(text) || text.hasSuffix(" total") || text.hasSuffix(" totals")
    }

    private static let sums: Set<String> = [
        "total", "totals", "subtotal", "total calories", "average", "goal", "remaining", "summe",
        "tagessumme", "gesamt", "durchschnitt", "totaux", "totale",
    ]

    private static func measure(_ unit: EnergyUnit) -> Measure {
        switch unit {
        case .kilocalories: .kilocalorie
        case .kilojoules: .kilojoule
        }
    }

    /// Numbers without a unit in a file of stones are pounds.
    private static func measure(_ unit: WeightUnit) -> Measure {
        switch unit {
        case .kilograms: .kilogram
        case .pounds, .stones: .pound
        }
    }

    private static let truthHint = "type true or false"
}
