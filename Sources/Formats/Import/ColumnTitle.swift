import MacrologNutrition

/// What the title of a column says: `Vitamin D (IU)` is "vitamin d" in international units, `fett_g` is "fett"
/// in grams.
struct ColumnTitle: Hashable {
    /// The unit of the numbers below a title.
    enum Unit: Hashable {
        case measure(Measure)
        /// How much that is depends on the vitamin.
        case internationalUnits
    }

    /// In lower case, with one space between words, without the unit; empty for a title that is a unit alone.
    let words: String
    /// In brackets, or the last word; `nil` where the title names none.
    let unit: Unit?

    init(_ title: String) {
        var words: [String] = []
        var unit: Unit?
        var word = ""
        func end(inBrackets: Bool = false) {
            defer { word = "" }
            guard !word.isEmpty else { return }
            if inBrackets, let found = Self.unit(word) { unit = found } else { words.append(word) }
        }
        for character in title.lowercased() {
            switch character {
            case " ", "\t", "_", "-", ",", ";", ":", ".", "(", "[": end()
            case ")", "]": end(inBrackets: true)
            default: word.append(character)
            }
        }
        end()
        if unit == nil, let last = words.last, Self.lastWords.contains(last) {
            unit = Self.unit(last)
            words.removeLast()
        }
        self.words = words.joined(separator: " ")
        self.unit = unit
    }

    private static func unit(_ word: String) -> Unit? {
        if word == "iu" || word == "ie" { return .internationalUnits }
        return Measure.named(word).map(Unit.measure)
    }

    /// The units that are also recognised without brackets. Others are words as well: `in`, `stone`.
    private static let lastWords: Set<String> = [
        "kcal", "kj", "kg", "lb", "lbs", "g", "mg", "mcg", "µg", "μg", "ug", "iu", "ie", "%",
    ]
}
