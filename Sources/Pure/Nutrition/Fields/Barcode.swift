public import MacrologEvents

/// The number under the bars of a product, in its canonical form: fourteen digits.
///
/// GTIN-8, -12, -13 and -14 name one product with and without leading zeros; UPC-E is a shortened
/// GTIN-12. Compare canonical forms only.
///
/// Source: GS1 General Specifications, sections 5.2 (UPC-E) and 7.9 (check digit).
public struct Barcode: Hashable, Sendable {
    /// Fourteen digits; the last is the check digit.
    public let gtin: UTF8Text

    /// Reads scanned or typed digits; spaces and hyphens do not matter.
    ///
    /// Eight digits are a GTIN-8 when its check digit holds, else a UPC-E.
    ///
    /// - Returns: `nil` for other lengths, other characters, and a check digit that does not hold.
    public init?(_ scanned: String) {
        var digits: [UInt8] = []
        for byte in scanned.utf8 {
            if byte == UInt8(ascii: " ") || byte == UInt8(ascii: "-") { continue }
            guard ASCII.isDigit(byte), digits.count < 14 else { return nil }
            digits.append(byte - UInt8(ascii: "0"))
        }
        switch digits.count {
        case 8:
            if !Barcode.checks(digits) {
                guard let expanded = Barcode.expanded(digits) else { return nil }
                digits = expanded
            }
        case 12, 13, 14: break
        default: return nil
        }
        guard Barcode.checks(digits) else { return nil }
        self.init(checked: digits)
    }

    /// Every product that the digits may mean, the likelier first: eight digits can check both as a
    /// GTIN-8 and as a UPC-E, and only the bars told them apart. Empty where nothing checks.
    package static func readings(_ scanned: String) -> [Barcode] {
        guard let first = Barcode(scanned) else { return [] }
        let digits = scanned.utf8.filter(ASCII.isDigit).map { $0 - UInt8(ascii: "0") }
        guard digits.count == 8, checks(digits), let long = expanded(digits), checks(long) else {
            return [first]
        }
        return [first, Barcode(checked: long)]
    }

    private init(checked digits: [UInt8]) {
        let padded = [UInt8](repeating: 0, count: 14 - digits.count) + digits
        gtin = UTF8Text(String(decoding: padded.map { $0 + UInt8(ascii: "0") }, as: UTF8.self))
    }

    /// Whether the text is the canonical form: fourteen digits with a valid check digit.
    static func isCanonical(_ text: UTF8Text) -> Bool {
        guard text.byteCount == 14, text.string.utf8.allSatisfy(ASCII.isDigit) else { return false }
        return checks(text.string.utf8.map { $0 - UInt8(ascii: "0") })
    }

    /// Whether the last digit completes the weighted sum (3, 1, 3, 1 … from the right) to tens.
    private static func checks(_ digits: [UInt8]) -> Bool {
        var sum = 0
        for (index, digit) in digits.reversed().enumerated() {
            sum += Int(digit) * (index % 2 == 0 ? 1 : 3)
        }
        return sum % 10 == 0
    }

    /// The GTIN-12 that a UPC-E of number system 0 or 1 represents.
    private static func expanded(_ d: [UInt8]) -> [UInt8]? {
        guard d[0] <= 1 else { return nil }
        switch d[6] {
        case 0...2: return [d[0], d[1], d[2], d[6], 0, 0, 0, 0, d[3], d[4], d[5], d[7]]
        case 3: return [d[0], d[1], d[2], d[3], 0, 0, 0, 0, 0, d[4], d[5], d[7]]
        case 4: return [d[0], d[1], d[2], d[3], d[4], 0, 0, 0, 0, 0, d[5], d[7]]
        default: return [d[0], d[1], d[2], d[3], d[4], d[5], 0, 0, 0, 0, d[6], d[7]]
        }
    }
}
