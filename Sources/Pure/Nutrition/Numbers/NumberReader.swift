import MacrologEvents

/// Reads numbers as people type them: `80,2kg`, `11st4`, `6ft1`, `1 1/2 cup`, `1'234.5`.
///
/// - Spaces that do not break, thin spaces and apostrophes group digits.
/// - Of `.` and `,` in one number the last is the decimal mark; one that repeats groups.
/// - One separator before exactly three digits, as in `1,234`, is ambiguous: it is read by
///   its decimal mark or refused with both readings, never guessed. Otherwise it is the decimal mark;
///   so it is after `0` and after more than three digits, where it cannot group.
/// - `n/a`, `-` and nothing mean unknown.
///
/// An import hands in the mark that was chosen for the file, not the person's preference.
public struct NumberReader: Hashable, Sendable {
    /// How an ambiguous number is read.
    package var decimalMark: DecimalMark
    /// Whether numbers below zero are read.
    package var allowsNegative: Bool

    /// A reader; by default it refuses the ambiguous and the negative.
    public init(decimalMark: DecimalMark = .auto, allowsNegative: Bool = false) {
        self.decimalMark = decimalMark
        self.allowsNegative = allowsNegative
    }

    /// Reads a number and its unit, if there is one.
    ///
    /// - Returns: `nil` for what says that the number is unknown: `n/a`, `-`, nothing.
    /// - Throws: ``NumberError`` for anything else that is not a number.
    public func read(_ text: String) throws(NumberError) -> Quantity? {
        var scanner = NumberScanner(text, mark: decimalMark)
        if scanner.isUnknown { return nil }
        let isNegative = scanner.takeSign()
        if scanner.isNotFinite { throw .notFinite }
        let first = try scanner.takeNumber()
        let quantity = try unit(&scanner, first)
        guard quantity.numerator != 0, isNegative else { return quantity }
        guard allowsNegative else { throw .negative }
        guard
            let negated = Fraction(-Int128(quantity.numerator), over: Int128(quantity.denominator))
        else { throw .tooLarge }
        return Quantity(negated, measure: quantity.measure, word: quantity.unit)
    }

    private func unit(
        _ scanner: inout NumberScanner, _ first: Fraction
    ) throws(NumberError) -> Quantity {
        guard let word = try scanner.takeWord() else {
            return Quantity(first, measure: nil, word: nil)
        }
        let measure = Measure.named(word)
        guard !scanner.isAtEnd else {
            return Quantity(first, measure: measure, word: UTF8Text(word))
        }
        // Only stones, feet and hours are followed by a second number.
        switch measure {
        case .stone?: return try compound(&scanner, first, of: .pound, limit: 14)
        case .foot?: return try compound(&scanner, first, of: .inch, limit: 12)
        case .hour?: return try compound(&scanner, first, of: .minute, limit: 60)
        default: throw .malformed
        }
    }

    private func compound(
        _ scanner: inout NumberScanner, _ first: Fraction, of small: Measure, limit: Int64
    ) throws(NumberError) -> Quantity {
        let second = try scanner.takeNumber()
        if let word = try scanner.takeWord() {
            guard Measure.named(word) == small else { throw .malformed }
        }
        guard scanner.isAtEnd, first.denominator == 1 else { throw .malformed }
        let upper = Int128(limit) * Int128(second.denominator)
        guard Int128(second.numerator) < upper else {
            throw .overfull(unit: small.symbol, limit: Int(limit))
        }
        let sum = Int128(first.numerator) * upper + Int128(second.numerator)
        guard let total = Fraction(sum, over: Int128(second.denominator)) else { throw .tooLarge }
        return Quantity(total, measure: small, word: nil)
    }
}
