/// A decimal number as programs write it, exact: `80.25`, `2.21e-05`, `0.00393700787401575`.
///
/// The mark is a point, digits are not grouped, and no unit follows. `NumberReader` reads numbers
/// that people type.
package struct ExactDecimal: Equatable {
    /// The significant digits, each 0 to 9; none for zero.
    private let digits: [UInt8]
    /// The power of ten of the last digit.
    private let exponent: Int

    /// The longest text, in bytes.
    private static let bytesMax = 64

    /// Reads a non-negative number; `nil` for anything else.
    package init?(_ text: String) {
        var rest = Array(text.utf8)[...]
        guard rest.count <= Self.bytesMax else { return nil }
        var digits: [UInt8] = []
        var places = 0
        var isFraction = false
        var hasDigits = false
        while let byte = rest.first {
            if byte == UInt8(ascii: "."), !isFraction {
                isFraction = true
            } else if (48...57).contains(byte) {
                hasDigits = true
                if byte != 48 || !digits.isEmpty { digits.append(byte - 48) }
                if isFraction { places += 1 }
            } else {
                break
            }
            rest.removeFirst()
        }
        guard hasDigits else { return nil }
        var power = 0
        if let mark = rest.first, mark | 0x20 == UInt8(ascii: "e") {
            let text = String(decoding: rest.dropFirst(), as: UTF8.self)
            guard let typed = Int(text), abs(typed) <= 400 else { return nil }
            power = typed
            rest = []
        }
        guard rest.isEmpty else { return nil }
        self.digits = digits
        exponent = power - places
    }

    /// The number × 10^places, rounded once, half to even; `nil` beyond 64 bits.
    package func whole(places: Int) -> Int64? {
        let shift = exponent + places
        guard shift < 0 else { return Self.number(digits[...], zeros: digits.isEmpty ? 0 : shift) }
        let kept = digits.count + shift
        guard kept >= 0 else { return 0 }
        guard let whole = Self.number(digits[..<kept], zeros: 0) else { return nil }
        guard let next = digits[kept...].first else { return whole }
        let isMore = digits[(kept + 1)...].contains { $0 != 0 }
        let goesUp = next > 5 || next == 5 && (isMore || !whole.isMultiple(of: 2))
        return goesUp ? (whole < .max ? whole + 1 : nil) : whole
    }

    private static func number(_ digits: ArraySlice<UInt8>, zeros: Int) -> Int64? {
        guard digits.count + zeros <= 19 else { return nil }
        var number: Int64 = 0
        for digit in digits + [UInt8](repeating: 0, count: zeros) {
            let (tens, isTooMany) = number.multipliedReportingOverflow(by: 10)
            let (sum, isTooLarge) = tens.addingReportingOverflow(Int64(digit))
            guard !isTooMany, !isTooLarge else { return nil }
            number = sum
        }
        return number
    }
}
