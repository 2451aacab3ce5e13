/// How days are written and read: `2026-11-20`, and the words people type for a day near today.
extension Day: CustomStringConvertible {
    /// `2026-11-20` (ISO 8601).
    public var description: String {
        let (year, month, day) = civil
        return "\(year)-\(Day.twoDigits(month))-\(Day.twoDigits(day))"
    }

    private static func twoDigits(_ number: Int) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }

    /// Reads `2026-11-20` and nothing else.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            let year = Day.digits(bytes[0..<4]), let month = Day.digits(bytes[5..<7]),
            let day = Day.digits(bytes[8..<10])
        else { return nil }
        self.init(year: year, month: month, day: day)
    }

    /// Reads what a person types for a day.
    ///
    /// Understands `2026-11-20`, `today`, `yesterday`, `tomorrow`, `-3` (three days ago), `+2`
    /// and the English names of weekdays, whole or the first three letters, which mean the latest
    /// such day up to and including today. Letter case and outer spaces do not matter.
    ///
    /// - Returns: `nil` for other words and for days outside 1900 to 2200.
    public static func reading(_ words: String, today: Day) -> Day? {
        let bytes = ASCII.lowered(ASCII.trimmed(Array(words.utf8)))
        if ASCII.matches(bytes, "today") { return today }
        if ASCII.matches(bytes, "yesterday") { return Day(number: today.number - 1) }
        if ASCII.matches(bytes, "tomorrow") { return Day(number: today.number + 1) }
        if let sign = bytes.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
            guard let days = digits(bytes.dropFirst()) else { return nil }
            let step = Int64(days)
            return Day(number: today.number + (sign == UInt8(ascii: "-") ? -step : step))
        }
        for (index, name) in weekdayNames.enumerated() {
            guard ASCII.matches(bytes, name) || bytes.elementsEqual(name.utf8.prefix(3)) else {
                continue
            }
            return today.advanced(by: -((today.weekday - 1 - index + 7) % 7))
        }
        return Day(String(decoding: bytes, as: UTF8.self))
    }

    private static func digits(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard !bytes.isEmpty, bytes.count <= 6 else { return nil }
        var number = 0
        for byte in bytes {
            guard ASCII.isDigit(byte) else { return nil }
            number = number * 10 + Int(byte - UInt8(ascii: "0"))
        }
        return number
    }
}
