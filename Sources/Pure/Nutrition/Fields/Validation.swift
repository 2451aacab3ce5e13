package import MacrologEvents

extension Kind {
    /// Validates one value of one field, or one element of a set.
    ///
    /// The answer depends on nothing else, so that every replica quarantines the same events. A kind
    /// or field that this version does not know has no findings: it merges as it is. Null, which
    /// unsets a field, is refused only where an entity cannot do without the field.
    ///
    /// - Parameters:
    ///   - kind: The kind of entity, as in events.
    ///   - field: The field, as in events.
    ///   - value: The value to set, or the element to add.
    /// - Returns: Findings, hard before soft; empty when all is well.
    package static func validate(kind: UTF8Text, field: UTF8Text, value: Value) -> [Finding] {
        guard let spec = Kind.named(kind)?.field(field) else {
            return []
        }
        return spec.findings(value, kind: kind)
    }

    /// What breaks a hard bound among an entity's fields, where a set is the array of its
    /// elements: at most one finding for each field, in the order of the fields.
    package func hardFindings(_ fields: ValueMap) -> [Finding] {
        var findings: [Finding] = []
        // By index, because copying an entry retains and releases its name and value.
        let entries = fields.entries
        for index in entries.indices { findHard(entries[index], &findings) }
        return findings
    }

    /// Adds the first hard finding about a field.
    func findHard(_ entry: borrowing ValueMap.Entry, _ findings: inout [Finding]) {
        if entry.value.isNull { return }
        let known = table.shared(entry.name)
        if known?.accepts(entry.value) == true { return }
        (known?.spec ?? field(entry.name))?.findHard(entry.value, self, &findings)
    }
}

extension FieldTable.Shared {
    /// Whether a value lies within the bounds, for shapes that can say so at once. Nearly every value does, and every
    /// fold asks: no list is made for those.
    fileprivate func accepts(_ value: Value) -> Bool {
        guard !spec.isSet else { return false }
        return switch (spec.shape, value) {
        case (.number(_, let bounds, _), .int(let number)): bounds.contains(number)
        case (.text(let bytes, let lines), .text(let text)):
            bytes.contains(text.byteCount) && !FieldShape.hasControls(text, allowingLines: lines)
        default: false
        }
    }
}

extension FieldSpec {
    /// Adds the first hard finding about a field as it is stored.
    fileprivate func findHard(_ value: Value, _ kind: Kind, _ findings: inout [Finding]) {
        guard isSet else {
            if let finding = firstHard(value, kind) { findings.append(finding) }
            return
        }
        for element in value.array ?? [] {
            guard let finding = firstHard(element, kind) else { continue }
            findings.append(finding)
            return
        }
    }

    private func firstHard(_ value: Value, _ kind: Kind) -> Finding? {
        for finding in findings(value, kind: kind.name) where finding.severity == .hard {
            return finding
        }
        return nil
    }

    func findings(_ value: Value, kind: UTF8Text) -> [Finding] {
        if value.isNull {
            guard isRequired else { return [] }
            return [hard(kind, "cannot be removed", wish)]
        }
        switch (shape, value) {
        case (.flag, .bool), (.day, .int), (.instant, .int), (.number, .int): break
        case (.flag, _), (.day, _), (.instant, _), (.number, _):
            return [hard(kind, "has the wrong type", wish)]
        default: break
        }
        switch shape {
        case .flag: return []
        case .number(let unit, let hardBounds, let softBounds):
            return number(value.int ?? 0, unit, hardBounds, softBounds, kind)
        case .text(let bytes, let lines): return text(value, bytes, lines, kind)
        case .choice(let names):
            return check(value.text.map(names.contains), "is not one of the words", kind)
        case .slot:
            return check(value.text.map(MealSlot.isKey), "is not a word for a meal", kind)
        case .word:
            return check(value.text.map(MealSlot.isKey), "is not a short word", kind)
        case .gtin:
            return check(value.text.map(Barcode.isCanonical), "is not a valid barcode", kind)
        case .zone:
            return check(
                value.text.map(LocalDate.isZoneName), "is not the name of a time zone", kind)
        case .day:
            return check(Day(number: value.int ?? .min) != nil, "is outside 1900 to 2200", kind)
        case .instant:
            return check(
                LocalDate.instants.contains(value.int ?? .min), "is outside 1900 to 2200", kind)
        case .reference: return check(value.bytes?.count == 16, "is not an id", kind)
        case .hash: return check(value.bytes?.count == 32, "is not a SHA-256", kind)
        case .localDate:
            return check(LocalDate(value) != nil, "is not a day with its clock", kind)
        case .amount: return check(Amount(value) != nil, "is not an amount", kind)
        case .shares: return check(MacroShares(value) != nil, "does not sum to 100 %", kind)
        case .slots:
            return check(MealSlot.list(value) != nil, "is not a list of meal slots", kind)
        case .weekdays:
            return check(WeekdayGoals(value) != nil, "is not a map of weekdays to goals", kind)
        case .totals: return check(FieldSpec.isTotals(value), "is not a map of nutrients", kind)
        case .nutrient:
            return check(
                value.text.map { Nutrient(key: $0) != nil }, "is not a nutrient", kind)
        case .items:
            return check(TemplateItem.list(value) != nil, "is not a list of items", kind)
        case .lines: return check(FieldSpec.isLines(value), "is not a list of lines", kind)
        }
    }

    private func number(
        _ number: Int64, _ unit: FieldUnit, _ hardBounds: ClosedRange<Int64>,
        _ softBounds: ClosedRange<Int64>?, _ kind: UTF8Text
    ) -> [Finding] {
        if number > hardBounds.upperBound {
            return [hard(kind, "is above \(unit.words(hardBounds.upperBound))", wish)]
        }
        if number < hardBounds.lowerBound {
            return [hard(kind, "is below \(unit.words(hardBounds.lowerBound))", wish)]
        }
        guard let softBounds, !softBounds.contains(number) else { return [] }
        let usual =
            number > softBounds.upperBound
            ? "is above \(unit.words(softBounds.upperBound)), which is unusual"
            : "is below \(unit.words(softBounds.lowerBound)), which is unusual"
        return [
            Finding(
                .soft, kind: kind, field: name, problem: usual,
                hint: "check the number and its unit; it is kept as it is")
        ]
    }

    private func text(
        _ value: Value, _ bytes: ClosedRange<Int>, _ lines: Bool, _ kind: UTF8Text
    ) -> [Finding] {
        guard let text = value.text else { return [hard(kind, "has the wrong type", wish)] }
        if text.byteCount < bytes.lowerBound { return [hard(kind, "is empty", wish)] }
        if text.byteCount > bytes.upperBound {
            return [hard(kind, "is longer than \(bytes.upperBound) bytes", wish)]
        }
        if FieldShape.hasControls(text, allowingLines: lines) {
            return [hard(kind, "has control characters", "remove them; \(wish)")]
        }
        return []
    }

    private func check(_ isGood: Bool?, _ problem: String, _ kind: UTF8Text) -> [Finding] {
        switch isGood {
        case true?: []
        case false?: [hard(kind, problem, wish)]
        case nil: [hard(kind, "has the wrong type", wish)]
        }
    }

    private func hard(_ kind: UTF8Text, _ problem: String, _ hint: String) -> Finding {
        Finding(.hard, kind: kind, field: name, problem: problem, hint: hint)
    }

    static func isTotals(_ value: Value) -> Bool {
        guard let map = value.map, map.entries.count <= 64 else { return false }
        return map.entries.allSatisfy { entry in
            guard let nutrient = Nutrient(key: entry.name), let number = entry.value.int else {
                return false
            }
            return nutrient.bounds.contains(number)
        }
    }

    private static func isLines(_ value: Value) -> Bool {
        guard let lines = value.array, lines.count <= 20 else { return false }
        return lines.allSatisfy {
            guard let line = $0.text else { return false }
            return (1...500).contains(line.byteCount) && !FieldShape.hasControls(line)
        }
    }

    /// What to type instead.
    private var wish: String {
        switch shape {
        case .flag: "type true or false"
        case .number(let unit, let hard, _):
            "type a number from \(unit.words(hard.lowerBound)) to \(unit.words(hard.upperBound))"
        case .text(let bytes, let lines):
            "type \(bytes.lowerBound) to \(bytes.upperBound) bytes of text"
                + (lines ? "" : " on one line")
        case .choice(let names): "type one of \(FieldSpec.list(names))"
        case .slot: "type breakfast, lunch, dinner, snack, or 1 to 24 of a-z, 0-9, _ and -"
        case .word: "type 1 to 24 of a-z, 0-9, _ and -"
        case .gtin: "type the 8, 12, 13 or 14 digits under the bars"
        case .zone: "type an IANA name such as Europe/Zurich"
        case .day: "type a date such as 2026-11-20, from 1900-01-01 to 2200-12-31"
        case .instant: "give milliseconds since 1970-01-01 UTC, from 1900 to 2200"
        case .reference: "give the 16 bytes of an id"
        case .hash: "give the 32 bytes of a SHA-256"
        case .localDate: "give [day, milliseconds or null, zone or null, offset minutes or null]"
        case .amount: "type a number and a unit, such as 150 g or 2 slices, up to 50 kg"
        case .shares: "type three percentages that sum to 100, such as 30/40/30"
        case .slots: "give up to 12 slots with different keys, names and minutes of the day"
        case .weekdays:
            "give goals for weekdays 1 (Monday) to 7, within the bounds of a plan's goals"
        case .totals: "give up to 64 nutrients and their numbers"
        case .nutrient: "type a nutrient such as protein, or x: and a name of your own"
        case .items: "give up to 100 items with a name, an amount and nutrients"
        case .lines: "give up to 20 lines of 1 to 500 bytes"
        }
    }

    private static func list(_ names: [UTF8Text]) -> String {
        var text = ""
        for (index, name) in names.enumerated() {
            if index > 0 { text += index == names.count - 1 ? " or " : ", " }
            text += name.string
        }
        return text
    }
}
