import MacrologEvents
import MacrologNutrition

/// The meals of a day in the words of other programs.
enum SlotWord {
    /// The key of a slot: that of a word in English, German, Dutch, French, Spanish or Italian, else the word
    /// itself as a key, `morning_tea` for `Morning tea`; `nil` for what cannot be one.
    static func key(_ word: String) -> UTF8Text? {
        let lowered = word.lowercased()
        if let known = keys.first(where: { $0.words.contains(lowered) }) { return known.key }
        if lowered.hasSuffix(" snack") || lowered.hasSuffix(" snacks") { return "snack" }
        let key = UTF8Text(String(lowered.map { $0 == " " || $0 == "-" ? "_" : $0 }))
        let findings = Kind.validate(kind: Kind.meal.name, field: "meal_type", value: .text(key))
        return findings.isEmpty ? key : nil
    }

    /// Whether a cell names a meal of the day, or is blank.
    static func isKnown(_ fields: [String], _ index: Int) -> Bool {
        guard index < fields.count else { return true }
        let word = Cell.trimmed(fields[index]).lowercased()
        return Cell.isUnknown(word) || none.contains(word)
            || keys.contains { $0.words.contains(word) }
    }

    /// Words for none of the meals.
    static let none: Set<String> = [
        "uncategorized", "uncategorised", "other", "anytime", "sonstiges",
    ]

    private static let keys: [(key: UTF8Text, words: Set<String>)] = [
        (
            "breakfast",
            [
                "breakfast", "frühstück", "ontbijt", "petit déjeuner", "petit-déjeuner", "desayuno",
                "colazione",
            ]
        ),
        (
            "lunch",
            [
                "lunch", "mittagessen", "mittag", "déjeuner", "almuerzo", "comida", "pranzo",
                "middageten",
            ]
        ),
        ("dinner", ["dinner", "supper", "abendessen", "abendbrot", "dîner", "cena"]),
        (
            "snack",
            [
                "snack", "snacks", "zwischenmahlzeit", "zwischenmahlzeiten", "znüni", "zvieri",
                "collation", "goûter", "merienda", "spuntino", "merenda",
            ]
        ),
    ]
}
