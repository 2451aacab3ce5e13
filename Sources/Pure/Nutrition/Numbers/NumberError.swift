public import MacrologEvents

/// Why a typed number was refused, and what to type instead.
public enum NumberError: ExplainedError, Hashable, Sendable {
    /// One separator and three digits: both readings, the one with the separator as decimal mark
    /// written with one more zero, which is read without doubt.
    case ambiguous(decimal: UTF8Text, grouped: UTF8Text)
    /// Not a number and a unit.
    case malformed
    /// Separators that do not stand before every third digit.
    case misgrouped
    /// More than 18 digits, an exponent beyond ±12, or a result beyond 64 bits.
    case tooLarge
    /// Not a finite number.
    case notFinite
    /// Below zero, where that makes no sense.
    case negative
    /// A fraction over zero.
    case dividedByZero
    /// Pounds of 14 and more beside stones, inches of 12 and more beside feet, or minutes of 60 and more beside
    /// hours.
    case overfull(unit: UTF8Text, limit: Int)
    /// A unit that cannot become the one wanted.
    case unconvertible(UTF8Text, to: UTF8Text)
    /// A number without a unit, where none is understood.
    case missingUnit(example: UTF8Text)
    /// A unit, where none belongs.
    case unexpectedUnit(UTF8Text)

    /// What is wrong, and what to type instead.
    public var text: ErrorText {
        let (explanation, hint) = sentences
        return ErrorText(cannot: "read the number", explanation, hint: hint)
    }

    private var sentences: (String, hint: String) {
        switch self {
        case .ambiguous(let decimal, let grouped):
            (
                "the number could be \(decimal.string) or \(grouped.string)",
                "type \(grouped.string) or \(decimal.string), or choose a decimal mark"
            )
        case .malformed:
            (
                "this is not a number with a unit",
                "type one such as 150 g, 80.2kg, 1/2 cup, 11st4 or 6ft1"
            )
        case .misgrouped:
            ("the separators are not every third digit", "type the digits without separators")
        case .tooLarge: ("the number is too large or too long", "type at most 18 digits")
        case .notFinite: ("the number is not finite", "type digits, or n/a when it is unknown")
        case .negative: ("the number is below zero", "type it without the minus sign")
        case .dividedByZero: ("the fraction is over zero", "type one such as 1/2")
        case .overfull(let unit, let limit):
            (
                "\(unit.string) must be below \(limit) here",
                "carry the rest over, or type one unit only"
            )
        case .unconvertible(let from, let to):
            (
                "\(from.string) cannot be converted to \(to.string)",
                "type the number in \(to.string)"
            )
        case .missingUnit(let example):
            ("the unit is missing", "type it after the number, such as \(example.string)")
        case .unexpectedUnit(let unit):
            ("\(unit.string) does not belong here", "type the number alone")
        }
    }
}
