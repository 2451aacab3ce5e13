import MacrologEvents

/// Takes signs, numbers and words off the front of a typed text.
struct NumberScanner {
    private var rest: ArraySlice<Unicode.Scalar>
    private let mark: DecimalMark

    init(_ text: String, mark: DecimalMark) {
        var scalars = Array(text.unicodeScalars)[...]
        while let first = scalars.first, NumberScanner.isSpace(first) { scalars.removeFirst() }
        while let last = scalars.last, NumberScanner.isSpace(last) { scalars.removeLast() }
        rest = scalars
        self.mark = mark
    }

    var isAtEnd: Bool { rest.isEmpty }

    var isUnknown: Bool { isAtEnd || isWord("-") || isWord("n/a") }

    var isNotFinite: Bool {
        isWord("nan") || isWord("inf") || isWord("infinity") || isWord("\u{221E}")
    }

    private func isWord(_ word: String) -> Bool {
        rest.count == word.unicodeScalars.count
            && zip(rest, word.unicodeScalars).allSatisfy { NumberScanner.lowered($0) == $1 }
    }

    /// Takes a sign; true for a minus.
    mutating func takeSign() -> Bool {
        guard let first = rest.first else { return false }
        let isMinus = first == "-" || first == "\u{2212}"
        if isMinus || first == "+" { rest.removeFirst() }
        skipSpaces()
        return isMinus
    }

    /// Takes `1 1/2`, `½`, `1,5e3` or `1'234.5`.
    mutating func takeNumber() throws(NumberError) -> Fraction {
        skipSpaces()
        if let fraction = takeVulgar() { return fraction }
        let number = try takeDecimal()
        guard number.isWhole else { return number.fraction }
        let whole = Int128(number.fraction.numerator)
        let mixed = rest
        if takeScalar("/") || takeScalar("\u{2044}") {
            return try fraction(whole, over: try takeDigits())
        }
        skipSpaces()
        let part: Fraction
        if let vulgar = takeVulgar() {
            part = vulgar
        } else if let top = try? takeDigits(), takeScalar("/") || takeScalar("\u{2044}") {
            part = try fraction(top, over: try takeDigits())
        } else {
            rest = mixed
            return number.fraction
        }
        let bottom = Int128(part.denominator)
        guard part.numerator < part.denominator,
            let sum = Fraction(whole * bottom + Int128(part.numerator), over: bottom)
        else { throw .malformed }
        return sum
    }

    /// Takes the word of a unit, in lower case and without inner spaces; `nil` at the end.
    mutating func takeWord() throws(NumberError) -> String? {
        skipSpaces()
        guard !isAtEnd else { return nil }
        var word = String.UnicodeScalarView()
        while let next = rest.first, !NumberScanner.isDigit(next) {
            guard NumberScanner.canName(next) else { throw .malformed }
            if !NumberScanner.isSpace(next) { word.append(NumberScanner.lowered(next)) }
            rest.removeFirst()
        }
        if word.last == "." { word.removeLast() }
        let text = String(word)
        let starts = word.first.map { $0 != "." && $0 != "-" && $0 != "_" } == true
        guard starts, !word.contains("."), text.utf8.count <= Amount.unitBytesMax else {
            throw .malformed
        }
        return text
    }

    // MARK: Parts of a number

    private mutating func takeDecimal() throws(NumberError) -> (fraction: Fraction, isWhole: Bool) {
        var groups: [[UInt8]] = [takeGroup()]
        var marks: [Unicode.Scalar] = []
        while let mark = takeSeparator(after: groups) {
            marks.append(mark)
            groups.append(takeGroup())
        }
        guard groups.count > 1 || !groups[0].isEmpty else { throw .malformed }
        let hasDecimals = try decides(groups, marks)
        let digits = groups.flatMap { $0 }
        guard digits.count <= 18 else { throw .tooLarge }
        let number = digits.reduce(Int128(0)) { $0 * 10 + Int128($1) }
        var scale = hasDecimals ? groups[groups.count - 1].count : 0
        let exponent = try takeExponent()
        scale -= exponent ?? 0
        let value =
            scale >= 0
            ? Fraction(number, over: NumberScanner.power(scale))
            : Fraction(number * NumberScanner.power(-scale))
        guard let value else { throw .tooLarge }
        return (value, !hasDecimals && exponent == nil)
    }

    /// Whether the last group holds decimals.
    private func decides(
        _ groups: [[UInt8]], _ marks: [Unicode.Scalar]
    ) throws(NumberError) -> Bool {
        let signs = marks.filter { $0 == "." || $0 == "," }
        guard let last = signs.last else {
            try checkGroups(groups, marks)
            return false
        }
        let grouping = marks.dropLast()
        if signs.count == 1 || signs.contains(where: { $0 != last }) {
            guard marks.last == last, !grouping.contains(last) else { throw .misgrouped }
            let before = Array(groups.dropLast())
            if !grouping.isEmpty {
                try checkGroups(before, Array(grouping))
                return true
            }
            guard groups[1].count == 3, (1...3).contains(before[0].count), before[0][0] != 0
            else { return true }
            switch mark {
            case .point: return last == "."
            case .comma: return last == ","
            case .auto:
                let whole = NumberScanner.text(before[0])
                let rest = NumberScanner.text(groups[1])
                throw .ambiguous(
                    decimal: UTF8Text("\(whole).\(rest)0"), grouped: UTF8Text(whole + rest))
            }
        }
        try checkGroups(groups, marks)
        return false
    }

    private func checkGroups(
        _ groups: [[UInt8]], _ marks: [Unicode.Scalar]
    ) throws(NumberError) {
        guard let first = marks.first else { return }
        guard marks.allSatisfy({ $0 == first }), (1...3).contains(groups[0].count),
            groups.dropFirst().allSatisfy({ $0.count == 3 })
        else { throw .misgrouped }
    }

    /// Takes a separator that digits follow; other grouping marks only before exactly three digits.
    private mutating func takeSeparator(after groups: [[UInt8]]) -> Unicode.Scalar? {
        guard let mark = rest.first else { return nil }
        let digits = rest.dropFirst().prefix { NumberScanner.isDigit($0) }
        guard !digits.isEmpty else { return nil }
        if mark == "." || mark == "," {
            rest.removeFirst()
            return mark
        }
        guard NumberScanner.groups(mark), digits.count == 3, groups.last?.isEmpty == false,
            digits.endIndex == rest.endIndex || rest[digits.endIndex] != "/"
        else { return nil }
        rest.removeFirst()
        return NumberScanner.isSpace(mark) ? " " : "'"
    }

    private mutating func takeGroup() -> [UInt8] {
        var group: [UInt8] = []
        while let next = rest.first, NumberScanner.isDigit(next) {
            group.append(UInt8(next.value - 48))
            rest.removeFirst()
        }
        return group
    }

    private mutating func takeDigits() throws(NumberError) -> Int128 {
        let group = takeGroup()
        guard !group.isEmpty else { throw .malformed }
        guard group.count <= 9 else { throw .tooLarge }
        return group.reduce(0) { $0 * 10 + Int128($1) }
    }

    private mutating func takeExponent() throws(NumberError) -> Int? {
        let start = rest
        guard takeScalar("e") || takeScalar("E") else { return nil }
        let isNegative = takeScalar("-")
        if !isNegative { _ = takeScalar("+") }
        let group = takeGroup()
        guard !group.isEmpty else {
            rest = start
            return nil
        }
        let size = group.prefix(6).reduce(0) { $0 * 10 + Int($1) }
        guard group.count <= 6, size <= 12 else { throw .tooLarge }
        return isNegative ? -size : size
    }

    private mutating func takeVulgar() -> Fraction? {
        guard let first = rest.first else { return nil }
        for (scalar, top, bottom) in NumberScanner.vulgar where scalar == first {
            rest.removeFirst()
            return Fraction(top, over: bottom)
        }
        return nil
    }

    private mutating func takeScalar(_ scalar: Unicode.Scalar) -> Bool {
        guard rest.first == scalar else { return false }
        rest.removeFirst()
        return true
    }

    private mutating func skipSpaces() {
        while let first = rest.first, NumberScanner.isSpace(first) { rest.removeFirst() }
    }

    private func fraction(_ top: Int128, over bottom: Int128) throws(NumberError) -> Fraction {
        guard bottom != 0 else { throw .dividedByZero }
        guard let fraction = Fraction(top, over: bottom) else { throw .tooLarge }
        return fraction
    }

    private static let vulgar: [(Unicode.Scalar, Int128, Int128)] = [
        ("\u{BD}", 1, 2), ("\u{BC}", 1, 4), ("\u{BE}", 3, 4), ("\u{2153}", 1, 3),
        ("\u{2154}", 2, 3), ("\u{215B}", 1, 8), ("\u{215C}", 3, 8), ("\u{215D}", 5, 8),
        ("\u{215E}", 7, 8),
    ]

    private static func power(_ exponent: Int) -> Int128 {
        (0..<exponent).reduce(1) { product, _ in product * 10 }
    }

    private static func text(_ digits: [UInt8]) -> String {
        String(decoding: digits.map { $0 + UInt8(ascii: "0") }, as: UTF8.self)
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool {
        scalar >= "0" && scalar <= "9"
    }

    /// ASCII spaces, and those that do not break or are thin.
    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x20, 0x09...0x0D, 0xA0, 0x2007, 0x2009, 0x202F: true
        default: false
        }
    }

    /// Whether the mark groups digits: an apostrophe, or a space that is no ordinary one.
    private static func groups(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "'" || scalar == "\u{2019}" || (isSpace(scalar) && scalar.value >= 0xA0)
    }

    private static func canName(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.value >= 0xA0 || isSpace(scalar) { return true }
        if scalar.value < 0x80, ASCII.isLetter(UInt8(scalar.value)) { return true }
        return scalar == "_" || scalar == "-" || scalar == "%" || scalar == "\"" || scalar == "'"
            || scalar == "."
    }

    private static func lowered(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        guard scalar >= "A", scalar <= "Z" else { return scalar }
        return Unicode.Scalar(UInt8(scalar.value) | 0x20)
    }
}
