/// How a decimal number typed by a person is read into a scaled whole number, without guessing.
public enum DecimalWord: Equatable, Sendable {
    /// The number times ten to the power of the places.
    case value(Int64)
    case notANumber
    /// More decimals than places.
    case tooFine
    case tooLarge
    /// `1,234`: a thousand and more, or one and a bit. Both ways of typing it clearly.
    case ambiguous(String, String)
}

/// Reads `80`, `-3`, `80.25`, `80,25`, `.5`. Never reads a group mark.
///
/// A point is always the decimal mark. A comma is, unless exactly three digits follow one to three
/// digits of which the first is not zero.
public func readDecimal(_ word: String, places: Int) -> DecimalWord {
    precondition((0...18).contains(places))
    var bytes = word.utf8[...]
    let isNegative = bytes.first == UInt8(ascii: "-")
    if isNegative || bytes.first == UInt8(ascii: "+") { bytes = bytes.dropFirst() }
    let parts = bytes.split(
        maxSplits: 1, omittingEmptySubsequences: false,
        whereSeparator: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ",") })
    let whole = parts[0]
    let fraction = parts.count == 2 ? parts[1] : "".utf8[...]
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    guard !(whole.isEmpty && fraction.isEmpty), !(parts.count == 2 && fraction.isEmpty),
        whole.allSatisfy(digits.contains), fraction.allSatisfy(digits.contains)
    else { return .notANumber }
    if word.utf8.contains(UInt8(ascii: ",")), fraction.count == 3, (1...3).contains(whole.count),
        whole.first != UInt8(ascii: "0")
    {
        let sign = isNegative ? "-" : ""
        return .ambiguous(
            "\(sign)\(Substring(whole))\(Substring(fraction))",
            "\(sign)\(Substring(whole)).\(Substring(fraction))")
    }
    guard fraction.count <= places else { return .tooFine }
    var value: Int64 = 0
    let padding = [UInt8](repeating: UInt8(ascii: "0"), count: places - fraction.count)
    for digit in Array(whole) + Array(fraction) + padding {
        let (ten, overflowed) = value.multipliedReportingOverflow(by: 10)
        let (sum, overflowedToo) = ten.subtractingReportingOverflow(
            Int64(digit - digits.lowerBound))
        if overflowed || overflowedToo { return .tooLarge }
        value = sum  // Kept negative, because the negative side reaches one further.
    }
    if isNegative { return .value(value) }
    return value == .min ? .tooLarge : .value(-value)
}
