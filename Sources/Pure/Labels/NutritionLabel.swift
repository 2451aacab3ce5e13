public import MacrologNutrition

/// What the table of nutrients on a package says, and what of it is in doubt. Nothing here is recorded:
/// a person compares it with the package first.
public struct NutritionLabel: Hashable, Sendable {
    /// The numbers for one amount.
    public struct Column: Hashable, Sendable {
        /// The amount.
        public internal(set) var basis: FoodBasis
        /// What was read; a nutrient that is absent was not read.
        public internal(set) var nutrients = Nutrients()
        /// What the last printed digit of each number counts, for comparing columns.
        var steps: [Nutrient: Int64] = [:]
    }

    /// From left to right, each with another basis.
    public internal(set) var columns: [Column]
    /// One serving, where the label says its mass or volume.
    public internal(set) var serving: Amount?
    /// Whether carbohydrate includes fibre: on labels of the USA it does.
    public internal(set) var carbBasis: CarbBasis
    /// What a person should look at before it is kept; empty where everything fits together.
    public internal(set) var doubts: [LabelDoubt]

    /// The numbers of kilojoules, one for each column.
    var kilojoules: [PrintedNumber] = []

    /// Whether a table of nutrients was found at all: three of its rows.
    public var isFound: Bool { columns.contains { $0.nutrients.entries.count >= 3 } }

    /// The column that a food is made of: per 100 g or 100 ml where the label has it.
    public var main: Column? {
        columns.first { $0.basis != .perServing } ?? columns.first
    }
}

/// A word as a reader of text has read it.
public struct PrintedWord: Hashable, Sendable {
    /// As read.
    public let text: String
    /// How certain the reader is, 0 to 100.
    public let certainty: Int

    /// Pairs a word and its certainty.
    public init(_ text: String, certainty: Int = 100) {
        self.text = text
        self.certainty = certainty
    }
}

/// Why a number of a label may have been read wrongly.
public enum LabelDoubt: Hashable, Sendable {
    /// The reader is not certain of the number.
    case unclear(Nutrient)
    /// The number touches a letter, which may have been its first digit.
    case touched(Nutrient)
    /// The number has no unit, so its last digit may be a `g`.
    case withoutUnit(Nutrient)
    /// No two looks at the picture read the same number.
    case unsteady(Nutrient)
    /// The columns do not fit each other.
    case columnsDiffer(Nutrient)
    /// A row has another number of numbers than the table has columns.
    case uneven(Nutrient)
    /// The label names it, or must name it by law, and no number was read.
    case missing(Nutrient)
    /// Kilojoules, kilocalories and the masses do not fit each other.
    case energy
    /// A part is more than its whole, or the whole more than the amount can hold.
    case tooMuch(Nutrient)
    /// It was not read for what amount the numbers are.
    case basis
    /// A line with a number that no name was found for.
    case unknownLine(String)

    /// What to compare with the package.
    public var words: String {
        switch self {
        case .unclear(let nutrient): "\(nutrient.formatted): the number is hard to read"
        case .touched(let nutrient):
            "\(nutrient.formatted): a digit may be missing before the number"
        case .withoutUnit(let nutrient):
            "\(nutrient.formatted): no unit was read, and a g may have become a digit"
        case .unsteady(let nutrient): "\(nutrient.formatted): another look read it differently"
        case .columnsDiffer(let nutrient):
            "\(nutrient.formatted): the columns do not fit each other"
        case .uneven(let nutrient): "\(nutrient.formatted): a column has no number, or one too many"
        case .missing(let nutrient): "\(nutrient.formatted) was not read"
        case .energy: "energy does not fit kilojoules, protein, carbohydrate and fat"
        case .tooMuch(let nutrient): "\(nutrient.formatted) is more than there can be"
        case .basis: "the amount that the numbers are for was not read"
        case .unknownLine(let line): "a line was not understood: \(line)"
        }
    }

    /// The nutrient it is about; `nil` for the whole label.
    public var nutrient: Nutrient? {
        switch self {
        case .unclear(let nutrient), .touched(let nutrient), .withoutUnit(let nutrient),
            .unsteady(let nutrient),
            .columnsDiffer(let nutrient), .uneven(let nutrient), .missing(let nutrient),
            .tooMuch(let nutrient):
            nutrient
        case .energy: .energy
        case .basis, .unknownLine: nil
        }
    }
}
