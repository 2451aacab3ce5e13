import MacrologEvents
import MacrologNutrition

/// The layout of the CSV files that this program writes: the names of the columns, and the syntax
/// of cells with more than a number or a word.
enum OwnLayout {
    /// Columns of meals. One column for each nutrient that a person defined follows.
    static let meals =
        ["local_date", "time", "at", "tz"] + mealWords + Nutrient.known.map(header)
        + ["share_pct", "consumed", "estimated", "source", "tags", "note", "meal_id", "item_id"]

    /// Columns of meals in version 0.1.0.
    static let mealsBefore =
        ["local_date", "time", "tz"] + mealWords + Nutrient.known.map(header)
        + ["share_pct", "consumed", "estimated", "source", "note", "meal_id", "item_id"]

    static let weights = [
        "date", "time", "at", "tz", "kg", "bodyfat_pct", "note", "source", "id",
    ]

    /// Columns of weigh-ins in version 0.1.0.
    static let weightsBefore = ["date", "time", "kg", "bodyfat_pct", "note", "id"]

    static let water = ["date", "time", "at", "tz", "ml", "container", "id"]

    private static let mealWords = [
        "meal_type", "dish", "item", "brand", "amount", "unit", "grams",
    ]

    /// `kcal`, `protein_g`, `sodium_mg`.
    static func header(_ nutrient: Nutrient) -> String {
        switch nutrient.unit {
        case .millikilocalories: "kcal"
        case .milligrams: nutrient.key.string + "_g"
        default: nutrient.key.string + "_mg"
        }
    }
}

// MARK: Nutrients that a person defined

extension OwnLayout {
    /// A column's name: `x:betaine Betaine [mg, min]`; only the key if the nutrient is not defined.
    static func header(_ nutrient: Nutrient, _ definition: CustomNutrient?) -> String {
        guard let definition else { return nutrient.key.string }
        let words = [definition.unit?.name.string ?? "", definition.direction?.name.string]
        let unit = words.compactMap(\.self).joined(separator: ", ")
        return "\(nutrient.key.string) \(definition.name) [\(unit)]"
    }

    /// The nutrient of a column's name, and its definition; `nil` for any other name.
    static func custom(_ header: String) -> (nutrient: Nutrient, definition: CustomNutrient?)? {
        let bytes = Array(header.utf8)
        guard bytes.starts(with: "x:".utf8) else { return nil }
        let key = bytes.prefix { $0 != UInt8(ascii: " ") }
        guard let nutrient = Nutrient(key: UTF8Text(String(decoding: key, as: UTF8.self))) else {
            return nil
        }
        guard let bracket = bytes.lastIndex(of: UInt8(ascii: "[")), bytes.last == 0x5D,
            bracket > key.count + 2
        else { return (nutrient, nil) }
        let name = String(decoding: bytes[(key.count + 1)..<(bracket - 1)], as: UTF8.self)
        let words = String(decoding: bytes[(bracket + 1)..<(bytes.count - 1)], as: UTF8.self)
            .split(separator: ",", omittingEmptySubsequences: false)
            .map { UTF8Text(Cell.trimmed(String($0))) }
        var definition = CustomNutrient(nutrient, name: name)
        definition.unit = CustomUnit(name: words[0])
        if words.count == 2 { definition.direction = GoalDirection(name: words[1]) }
        return (nutrient, definition)
    }
}

// MARK: Tags

extension OwnLayout {
    /// `vegan; "quick"`: a `;` or `\` inside a tag is escaped with `\`.
    static func text(tags: [String]) -> String? {
        guard !tags.isEmpty else { return nil }
        return tags.map { tag in
            let bytes = tag.utf8.flatMap { byte -> [UInt8] in
                byte == UInt8(ascii: ";") || byte == UInt8(ascii: "\\")
                    ? [UInt8(ascii: "\\"), byte] : [byte]
            }
            return String(decoding: bytes, as: UTF8.self)
        }.joined(separator: "; ")
    }

    static func tags(_ text: String) -> [String] {
        var tags: [[UInt8]] = [[]]
        var isEscaped = false
        var isFirst = false
        for byte in text.utf8 {
            defer { isFirst = byte == UInt8(ascii: ";") && !isEscaped && tags.last == [] }
            if isEscaped {
                tags[tags.count - 1].append(byte)
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: ";") {
                tags.append([])
            } else if byte != 0x20 || !isFirst {
                tags[tags.count - 1].append(byte)
            }
        }
        return tags.filter { !$0.isEmpty }.map { String(decoding: $0, as: UTF8.self) }
    }
}
