/// What single cells say: blanks, words, days and times. Bytes and ASCII only, no locale.
import MacrologNutrition

enum Cell {
    /// Without spaces around it.
    static func trimmed(_ text: String) -> String {
        var bytes = Array(text.utf8)[...]
        func isSpace(_ byte: UInt8?) -> Bool { byte == 0x20 || byte == 0x09 }
        while isSpace(bytes.first) { bytes.removeFirst() }
        while isSpace(bytes.last) { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Whether it says nothing: blank, `-` or `n/a`.
    static func isUnknown(_ trimmed: String) -> Bool {
        trimmed.isEmpty || ["-", "--", "–", "—", "n/a"].contains { isAlike(trimmed, $0) }
    }

    /// Equality of bytes, but for the case of ASCII letters.
    static func isAlike(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count
            && zip(left.utf8, right.utf8).allSatisfy { lowered($0) == lowered($1) }
    }

    /// `A…Z` as `a…z`.
    static func lowered(_ text: String) -> String {
        String(decoding: text.utf8.map { lowered($0) }, as: UTF8.self)
    }

    private static func lowered(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }

    static func truth(_ text: String) -> Bool? {
        if ["true", "yes", "1"].contains(where: { isAlike($0, text) }) { return true }
        if ["false", "no", "0"].contains(where: { isAlike($0, text) }) { return false }
        return nil
    }

    static func day(_ text: String, _ format: DateFormat) -> Day? {
        switch format {
        case .iso:
            guard let parts = parts(text, separators: "-/."), parts[0].count == 4 else {
                return nil
            }
            return civil(year: parts[0], month: parts[1], day: parts[2])
        case .american:
            guard let parts = parts(text, separators: "/-") else { return nil }
            return civil(year: parts[2], month: parts[0], day: parts[1])
        case .european, .british:
            guard let parts = parts(text, separators: format == .british ? "/-" : ".") else {
                return nil
            }
            return civil(year: parts[2], month: parts[1], day: parts[0])
        }
    }

    private static func parts(_ text: String, separators: String) -> [Digits]? {
        for separator in separators.unicodeScalars {
            if let parts = numbers(text, separator: separator), parts.count == 3 { return parts }
        }
        return nil
    }

    /// Years have four digits, or two for one of this century; months and days have one or two.
    private static func civil(year: Digits, month: Digits, day: Digits) -> Day? {
        guard year.count == 4 || year.count == 2, month.count <= 2, day.count <= 2 else {
            return nil
        }
        let century = year.count == 2 ? 2_000 : 0
        return Day(year: century + year.value, month: month.value, day: day.value)
    }

    /// Seconds after midnight of `18:00`, `7:05:30.250`, `6:00 PM`, `7am`, `18.30`, `18h30` and `18:30 Uhr`.
    static func seconds(_ text: String) -> Int64? {
        var clock = lowered(text)
        var noon: Bool?
        let endings: [(String, Bool?)] = [
            ("uhr", nil), ("a.m.", false), ("p.m.", true), ("am", false), ("pm", true),
        ]
        if let (word, isAfternoon) = endings.first(where: { clock.hasSuffix($0.0) }) {
            clock = trimmed(String(clock.dropLast(word.count)))
            noon = isAfternoon
        }
        if clock.hasSuffix("h") { clock += "00" }
        let separators = [":", ".", "h"].filter { clock.unicodeScalars.contains($0) }
        var parts = separators.first.flatMap { numbers(withoutFraction(clock), separator: $0) }
        if noon != nil, separators.isEmpty { parts = numbers(clock, separator: ":") }
        guard let parts, (noon == nil ? 2 : 1)...3 ~= parts.count,
            parts.dropFirst().allSatisfy({ $0.count == 2 && $0.value < 60 }), parts[0].count <= 2
        else { return nil }
        var hour = parts[0].value
        if let noon {
            guard (1...12).contains(hour) else { return nil }
            hour = hour % 12 + (noon ? 12 : 0)
        }
        guard hour < 24 else { return nil }
        let minutes = parts.count > 1 ? parts[1].value : 0
        let seconds = parts.count == 3 ? parts[2].value : 0
        return Int64(hour * 3_600 + minutes * 60 + seconds)
    }

    /// `18:00:30.125` as `18:00:30`.
    private static func withoutFraction(_ time: String) -> String {
        guard let point = time.lastIndex(of: "."),
            time[..<point].filter({ $0 == ":" }).count == 2,
            time[time.index(after: point)...].allSatisfy({ ("0"..."9").contains($0) })
        else { return time }
        return String(time[..<point])
    }

    private typealias Digits = (value: Int, count: Int)

    private static func numbers(_ text: String, separator: Unicode.Scalar) -> [Digits]? {
        var numbers: [Digits] = []
        let parts = text.utf8.split(
            separator: UInt8(ascii: separator), omittingEmptySubsequences: false)
        for part in parts {
            guard (1...4).contains(part.count),
                part.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
            else { return nil }
            numbers.append((part.reduce(0) { $0 * 10 + Int($1) - 48 }, part.count))
        }
        return numbers
    }
}
