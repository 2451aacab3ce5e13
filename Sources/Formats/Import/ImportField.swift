import MacrologEvents
public import MacrologNutrition

/// What a column of a file can mean. The words on the left of `--map energy=Calories`.
public enum ImportField: Hashable, Sendable {
    /// The day, in the file's date format.
    case date
    /// The local time, such as `18:00`, `18:00:30` or `6:00 PM`.
    case time
    /// What was eaten.
    case name
    /// The meal of the day: `dinner`, or the key or name of a person's own slot.
    case slot
    /// How much, for people to read; goes into the note together with ``unit``.
    case amount
    /// The unit of ``amount``, or of ``weight``.
    case unit
    /// A note.
    case note
    /// Whether it was eaten: `true`, `yes` or `1`; `false`, `no` or `0`.
    case consumed
    /// Whether the numbers are a guess, in the same words.
    case estimated
    /// The share of it that was eaten, in percent.
    case share
    /// Energy in the unit of the options; grams of what people count in grams, and milligrams of
    /// minerals, vitamins, cholesterol and caffeine, unless a cell names its unit.
    case nutrient(Nutrient)
    /// A body mass in the unit of the options, unless a cell names its unit.
    case weight
    /// Body fat, in percent.
    case bodyFat
    /// Whether the other program has deleted the row, in the same words: it is left out.
    case deleted
    /// Whose row it is, in a file of several people. It tells rows apart and is not stored.
    case person

    /// The words that people type, in the order of the help.
    static let words: [(word: String, field: ImportField)] =
        [
            ("date", .date), ("time", .time), ("name", .name), ("slot", .slot),
            ("amount", .amount), ("unit", .unit), ("note", .note), ("consumed", .consumed),
            ("estimated", .estimated), ("share", .share), ("weight", .weight),
            ("bodyfat", .bodyFat), ("person", .person), ("deleted", .deleted),
        ] + Nutrient.known.map { ($0.key.string, .nutrient($0)) }

    /// The field of a word, in any ASCII letter case; `nil` for a word that is none.
    public init?(word: String) {
        guard let found = Self.words.first(where: { Cell.isAlike($0.word, word) }) else {
            guard let own = Nutrient(key: UTF8Text(Cell.lowered(word))) else { return nil }
            self = .nutrient(own)
            return
        }
        self = found.field
    }

    /// The word that people type.
    public var word: String {
        if case .nutrient(let nutrient) = self { return nutrient.key.string }
        return Self.words.first { $0.field == self }?.word ?? ""
    }

    /// The kind of entity that the field is for; `nil` where it is for both.
    var kind: Kind? {
        switch self {
        case .date, .time, .note, .unit, .person, .deleted: nil
        case .weight, .bodyFat: .weighIn
        default: .meal
        }
    }

    /// Whether its cells are numbers.
    var isNumber: Bool {
        switch self {
        case .weight, .bodyFat, .share, .amount, .nutrient: true
        default: false
        }
    }

    /// What the unit of its numbers measures; `nil` for a field without units.
    var dimension: Measure.Dimension? {
        switch self {
        case .weight: .mass
        case .bodyFat, .share: .share
        case .nutrient(let nutrient):
            switch nutrient.unit {
            case .millikilocalories: .energy
            case .milligrams, .nanograms: .mass
            default: nil
            }
        default: nil
        }
    }
}
