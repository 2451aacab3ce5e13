import MacrologNutrition

/// What the numbers of a file show of its decimal mark.
///
///     12,5 and 1.234,5 show a comma: 2.100 is 2100
///     12,5 beside 7.5 shows nothing, and 2.100 is refused
///
/// A number with the mark itself before three digits, such as `1,234`, is refused all the same: files also group
/// with it where their decimals come from elsewhere.
extension DecimalMark {
    /// The mark that all numbers which can be read in one way only show; `nil` where they show none, or both.
    static func shown(by numbers: some Sequence<String>) -> DecimalMark? {
        var found: DecimalMark?
        for case let mark? in numbers.lazy.map(shown(by:)) {
            if let found, found != mark { return nil }
            found = mark
        }
        return found
    }

    private static func shown(by number: String) -> DecimalMark? {
        guard (try? NumberReader(allowsNegative: true).read(number)) != nil else { return nil }
        let bytes = Array(number.utf8)
        // The point of `12 g.` is no mark of a number.
        let signs = bytes.indices.dropLast().filter {
            isSign(bytes[$0]) && (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[$0 + 1])
        }.map { bytes[$0] }
        guard let last = signs.last else { return nil }
        // One that repeats groups, and then the other is the decimal mark.
        let isRepeated = signs.filter { $0 == last }.count > 1
        return (last == UInt8(ascii: ",")) == isRepeated ? .point : .comma
    }

    /// A number that could be read in two ways, and whose only sign is not this mark: then that sign groups digits.
    /// `nil` for any other number.
    func grouped(_ number: String) -> Quantity? {
        do throws(NumberError) { _ = try NumberReader().read(number) } catch {
            guard case .ambiguous = error,
                !number.utf8.contains(UInt8(ascii: self == .comma ? "," : "."))
            else { return nil }
            return try? NumberReader(decimalMark: self).read(number)
        }
        return nil
    }

    private static func isSign(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ",") || byte == UInt8(ascii: ".")
    }
}
