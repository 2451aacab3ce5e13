import MacrologNutrition

/// A number of a row, with its unit.
struct PrintedNumber: Hashable {
    /// Digits, and a point before the decimals.
    let digits: String
    let decimals: Int
    /// `g`, `mg`, `µg`, `kj`, `kcal`, `ml`, `%`; empty where none was read.
    let unit: String
    /// Of its worst part, 0 to 100.
    let certainty: Int
    /// Whether a letter stands right before it.
    var isTouched = false

    /// The number with the unit that its row or column names, where it has none of its own.
    func with(unit fallback: String) -> PrintedNumber {
        unit.isEmpty
            ? PrintedNumber(
                digits: digits, decimals: decimals, unit: fallback, certainty: certainty,
                isTouched: isTouched) : self
    }

    /// The number in a unit; `nil` where the units are of different kinds.
    ///
    /// - Parameter fallback: The unit of a number without one.
    func whole(_ target: Measure, unitless fallback: String) -> Int64? {
        let text = digits + (unit.isEmpty ? fallback : unit)
        return try? NumberReader(decimalMark: .point).read(text)?.whole(target)
    }

    /// What its last digit counts, in a unit; 0 where the units are of different kinds.
    func step(_ target: Measure, unitless fallback: String) -> Int64 {
        let one = PrintedNumber(digits: "1", decimals: 0, unit: unit, certainty: 100)
        var step = one.whole(target, unitless: fallback) ?? 0
        for _ in 0..<decimals { step /= 10 }
        return step
    }
}

/// The letters of a line, one after the other, each as certain as its word.
struct PrintedLine {
    private var letters: [(scalar: Unicode.Scalar, certainty: Int)] = []
    private var place = 0

    init(_ words: [PrintedWord]) {
        for word in words {
            for scalar in word.text.unicodeScalars {
                letters.append((Self.plain(scalar), word.certainty))
            }
            letters.append((" ", 100))
        }
    }

    /// The line as people read it.
    var text: String {
        var text = String.UnicodeScalarView()
        for letter in letters.dropLast() { text.append(letter.scalar) }
        return String(text)
    }

    /// The words before the first number: small letters, one space between words.
    mutating func takeName() -> [UInt8] {
        var name: [UInt8] = []
        while place < letters.count, !isNumber(at: place) {
            let value = letters[place].scalar.value
            place += 1
            if (0x61...0x7A).contains(value) {
                name.append(UInt8(value))
            } else if let last = name.last, last != 0x20 {
                name.append(0x20)
            }
        }
        while name.last == 0x20 { name.removeLast() }
        return name
    }

    /// The next number; `nil` at the end.
    mutating func takeNumber() -> PrintedNumber? {
        while place < letters.count, !isNumber(at: place) { place += 1 }
        guard place < letters.count else { return nil }
        // What touches the first digit may have been one: `a2g` was `12g`.
        let isTouched = place > 0 && !Self.isBefore(letters[place - 1].scalar)
        var (digits, certainty, decimals): (String, Int, Int?) = ("", 100, nil)
        while place < letters.count {
            let letter = letters[place]
            if let digit = Self.digit(letter.scalar) {
                digits.append(digit)
                decimals? += 1
            } else if Self.isMark(letter.scalar), decimals == nil, follows(place + 1) {
                digits += "."
                decimals = 0
            } else {
                break
            }
            certainty = min(certainty, letter.certainty)
            place += 1
        }
        let (unit, worst) = takeUnit()
        // `1,046 kJ` is grouped; masses have at most two decimals where they have grams.
        if decimals == 3, ["kj", "kcal", "mg"].contains(unit) {
            digits.removeAll { $0 == "." }
            decimals = 0
        }
        return PrintedNumber(
            digits: digits, decimals: decimals ?? 0, unit: unit, certainty: min(certainty, worst),
            isTouched: isTouched)
    }

    private mutating func takeUnit() -> (String, Int) {
        var end = place
        while end < letters.count, letters[end].scalar == " " { end += 1 }
        var (word, certainty) = ("", 100)
        while end < letters.count, Self.isUnit(letters[end].scalar) {
            word.unicodeScalars.append(letters[end].scalar)
            certainty = min(certainty, letters[end].certainty)
            end += 1
        }
        guard let unit = Self.units.first(where: { $0.words.contains(word) }) else {
            return ("", 100)
        }
        place = end
        return (unit.name, certainty)
    }

    /// Whether a number begins here: a digit, or `O` for zero or `l` or `I` for one before a mark or a unit.
    private func isNumber(at index: Int) -> Bool {
        let scalar = letters[index].scalar
        if (0x30...0x39).contains(scalar.value) {
            // Vitamin B12 is a name.
            return index == 0 || letters[index - 1].scalar != "b"
        }
        guard Self.digit(scalar) != nil, index == 0 || letters[index - 1].scalar == " " else {
            return false
        }
        var end = index
        while end < letters.count,
            Self.digit(letters[end].scalar) != nil || Self.isMark(letters[end].scalar)
        {
            end += 1
        }
        let unit = letters[end...].prefix { Self.isUnit($0.scalar) }.map(\.scalar)
        return unit == ["g"] || unit == ["m", "g"]
            || letters[index..<end].contains { (0x30...0x39).contains($0.scalar.value) }
    }

    private func follows(_ index: Int) -> Bool {
        index < letters.count && Self.digit(letters[index].scalar) != nil
    }

    /// Whether a letter may stand before a number without a space.
    private static func isBefore(_ scalar: Unicode.Scalar) -> Bool {
        " (/<:".unicodeScalars.contains(scalar)
    }

    private static func digit(_ scalar: Unicode.Scalar) -> Character? {
        scalar == "o"
            ? "0"
            : scalar == "l" || scalar == "i" || scalar == "|"
                ? "1" : (0x30...0x39).contains(scalar.value) ? Character(scalar) : nil
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        ".,:".unicodeScalars.contains(scalar)
    }

    private static func isUnit(_ scalar: Unicode.Scalar) -> Bool {
        (0x61...0x7A).contains(scalar.value) || "%\u{B5}!|".unicodeScalars.contains(scalar)
    }

    /// Each unit, and what readers make of it.
    private static let units: [(name: String, words: [String])] = [
        ("g", ["g", "q"]), ("mg", ["mg", "mq"]), ("\u{B5}g", ["\u{B5}g", "ug", "mcg", "pg"]),
        ("kj", ["kj", "k", "ki", "kjs"]), ("kcal", ["kcal", "cal", "kca", "calories"]),
        ("ml", ["ml", "m!", "m|", "mi"]), ("%", ["%"]),
    ]

    /// Small letters, and one form of what has several.
    private static func plain(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        switch scalar.value {
        case 0x41...0x5A: Unicode.Scalar(scalar.value + 0x20) ?? scalar
        case 0x3BC: "\u{B5}"
        case 0xA0: " "
        default: scalar
        }
    }
}
