import MacrologNutrition

/// What the title of a column says: `Vitamin D (IU)` is "vitamin d" in international units, `fett_g` is "fett"
/// in grams, `Gewicht in kg` is "gewicht" in kilograms.
struct ColumnTitle: Hashable {
    /// The unit of the numbers below a title.
    enum Unit: Hashable {
        case measure(Measure)
        /// How much that is depends on the vitamin.
        case internationalUnits
        /// One that is not converted, such as `mmol`.
        case other(String)
    }

    /// In lower case, with one space between words, without the unit; empty for a title that is a unit alone.
    let words: String
    /// In brackets, or the last word; `nil` where the title names none.
    let unit: Unit?
    /// Whether the numbers are those of 100 g or 100 ml, whatever was eaten.
    let isPer100: Bool

    init(_ title: String) {
        var text = Self.separated(title).lowercased()[...]
        isPer100 = ["100g", "100 g", "100ml", "100 ml"].contains { text.contains($0) }
        var unit: Unit?
        if let close = text.lastIndex(where: { ")]".contains($0) }),
            let open = text[..<close].lastIndex(where: { "([".contains($0) }),
            let found = Self.unit(String(text[text.index(after: open)..<close]))
        {
            unit = found
            text = text[..<open] + text[text.index(after: close)...]
        }
        var words = text.split { " \t_-,;:.#()[]".contains($0) }.map(String.init)
        if unit == nil, let last = words.last, Self.lastWords.contains(last) {
            unit = Self.unit(last)
            words.removeLast()
            if words.last == "in" { words.removeLast() }
        }
        self.words = words.joined(separator: " ")
        self.unit = unit
    }

    /// `WeightKg` as `Weight Kg`, and `kJ` as it is.
    private static func separated(_ title: String) -> String {
        var text = ""
        var small = 0
        for character in title {
            if character.isUppercase, small > 1 { text.append(" ") }
            small = character.isLowercase ? small + 1 : 0
            text.append(character)
        }
        return text
    }

    /// Reads what stands in brackets; `nil` for what is no unit.
    private static func unit(_ text: String) -> Unit? {
        let words = text.split(separator: " ").map(String.init)
        guard let first = words.first else { return nil }
        if ["iu", "ie"].contains(first) { return .internationalUnits }
        if first.hasPrefix("mmol") { return .other(text) }
        if text.contains("%") || words.contains(where: { ["dv", "rdi", "nrv"].contains($0) }) {
            return .measure(.percent)
        }
        // Equivalents of a vitamin's forms, such as µg RAE, are what is counted.
        let isAlone = words.count == 1 || equivalents.contains(words[1])
        return isAlone ? Measure.named(first).map(Unit.measure) : nil
    }

    private static let equivalents: Set<String> = ["rae", "re", "dfe", "ne", "te"]

    /// The units that are also recognised without brackets. Others are words as well: `in`, `stone`.
    private static let lastWords: Set<String> = [
        "kcal", "calories", "calorie", "cals", "kj", "kilojoules", "kg", "lb", "lbs", "pounds", "g",
        "mg", "mcg", "µg", "μg", "ug", "iu", "ie", "%",
    ]
}
