import MacrologEvents
import MacrologNutrition

/// An instant as databases and JSON write it.
enum LegacyInstant {
    /// `2026-11-20 07:40:00.123+01`, `2026-11-20T07:40:00Z`; `nil` for anything else.
    static func milliseconds(_ text: String) -> Int64? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 16, bytes[10] == UInt8(ascii: "T") || bytes[10] == UInt8(ascii: " "),
            let day = Day(String(decoding: bytes[..<10], as: UTF8.self))
        else { return nil }
        var clock = bytes[11...]
        var offset: Int64 = 0
        if clock.last == UInt8(ascii: "Z") || clock.last == UInt8(ascii: "z") {
            clock.removeLast()
        } else if let sign = clock.lastIndex(where: {
            $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-")
        }) {
            let digits = clock[(sign + 1)...].filter { $0 != UInt8(ascii: ":") }
            guard digits.count == 2 || digits.count == 4, let number = number(digits[...]) else {
                return nil
            }
            let minutes = digits.count == 2 ? number * 60 : number / 100 * 60 + number % 100
            guard minutes <= 14 * 60 else { return nil }
            offset = clock[sign] == UInt8(ascii: "-") ? -minutes : minutes
            clock = clock[..<sign]
        }
        let parts = clock.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count),
            let seconds = Cell.seconds(String(decoding: parts[0], as: UTF8.self))
        else { return nil }
        var thousandths: Int64 = 0
        if parts.count == 2 {
            guard let fraction = number(parts[1].prefix(3)) else { return nil }
            thousandths = fraction * [1, 100, 10, 1][min(3, parts[1].count)]
        }
        return (day.number * 86_400 + seconds - offset * 60) * 1_000 + thousandths
    }

    /// A number: seconds since 2001, as Swift's `JSONEncoder` writes a date; from 1,000,000,000 on seconds since 1970,
    /// and from 100,000,000,000 on milliseconds. `nil` outside of 1900 to 2200, and for a date in digits, such as
    /// 20261120.
    static func milliseconds(ofNumber text: String) -> Int64? {
        let isNegative = text.utf8.first == UInt8(ascii: "-")
        guard
            let magnitude = ExactDecimal(isNegative ? String(text.dropFirst()) : text)?
                .whole(places: 3), magnitude < 10_000_000_000_000_000,
            isNegative || !(19_000_101_000...22_001_231_000).contains(magnitude)
        else { return nil }
        let instant: Int64
        switch isNegative ? -magnitude : magnitude {
        case let milliseconds where milliseconds < 1_000_000_000_000:
            instant = milliseconds + 978_307_200_000
        case let milliseconds where milliseconds < 100_000_000_000_000:
            instant = milliseconds
        case let thousandths:
            instant = thousandths / 1_000
        }
        return (-2_208_988_800_000..<7_258_118_400_000).contains(instant) ? instant : nil
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        guard (1...9).contains(digits.count), digits.allSatisfy({ (48...57).contains($0) }) else {
            return nil
        }
        return digits.reduce(0) { $0 * 10 + Int64($1 - 48) }
    }
}

/// An array as PostgreSQL writes one into a text.
enum LegacyArray {
    /// The elements of `{soup,"lentil, red",NULL}`; a text without braces is one element.
    static func elements(_ text: String) -> [String] {
        let bytes = Array(text.utf8)
        guard bytes.first == UInt8(ascii: "{"), bytes.last == UInt8(ascii: "}") else {
            return bytes.isEmpty ? [] : [text]
        }
        var elements: [String] = []
        var (element, isQuoted, wasQuoted) = ([UInt8](), false, false)
        func end(_ element: [UInt8], _ wasQuoted: Bool) {
            let text = String(decoding: element, as: UTF8.self)
            if wasQuoted || !(text.isEmpty || Cell.isAlike(text, "null")) { elements.append(text) }
        }
        var rest = bytes.dropFirst().dropLast()
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\\"): if let letter = rest.popFirst() { element.append(letter) }
            case UInt8(ascii: "\""): (isQuoted, wasQuoted) = (!isQuoted, true)
            case UInt8(ascii: ",") where !isQuoted:
                end(element, wasQuoted)
                (element, wasQuoted) = ([], false)
            default: element.append(byte)
            }
        }
        end(element, wasQuoted)
        return elements
    }
}
