/// When clocks change in the years after the last listed change, as the end of a compiled file of a time
/// zone says (RFC 9636 §3.3): `CET-1CEST,M3.5.0,M10.5.0/3`.
struct ZoneFormula: Sendable {
    /// The standard offset, in seconds ahead of UTC.
    private let standard: Int64
    /// The offset in summer, and when it begins and ends; `nil` for a zone without.
    private let summer: Summer?

    private struct Summer: Sendable {
        let offset: Int64
        let begin, end: Change
    }

    /// A moment of each year.
    private struct Change: Sendable {
        enum Date: Sendable {
            /// The `week`th `weekday` of a month; week 5 is the last, weekday 0 is Sunday.
            case weekday(month: Int64, week: Int64, weekday: Int64)
            /// A day of the year from 1, where 29 February has no number.
            case julian(Int64)
            /// A day of the year from 0.
            case day(Int64)
        }

        let date: Date
        /// Seconds after local midnight; may be negative, or more than a day.
        let time: Int64
    }

    /// The offset at an instant in seconds since 1970 UTC.
    func offset(at seconds: Int64) -> Int64 {
        guard let summer else { return standard }
        let year = Calendar.year(ofDay: Calendar.floor(seconds + standard, 86_400))
        let begin = Self.seconds(summer.begin, in: year) - standard
        let end = Self.seconds(summer.end, in: year) - summer.offset
        let isSummer =
            begin < end ? seconds >= begin && seconds < end : seconds >= begin || seconds < end
        return isSummer ? summer.offset : standard
    }

    /// Local seconds since 1970 of a change in a year.
    private static func seconds(_ change: Change, in year: Int64) -> Int64 {
        let first = Calendar.day(year: year, month: 1, day: 1)
        let day =
            switch change.date {
            case .day(let number): first + number
            case .julian(let number):
                first + number - 1 + (Calendar.isLeap(year) && number >= 60 ? 1 : 0)
            case .weekday(let month, let week, let weekday):
                Calendar.day(year: year, month: month, week: week, weekday: weekday)
            }
        return day * 86_400 + change.time
    }

    // MARK: Reading

    /// Reads the text; `nil` for an empty or malformed one.
    init?(_ text: ArraySlice<UInt8>) {
        var reader = Reader(rest: text)
        guard reader.name(), let west = reader.time() else { return nil }
        standard = -west
        guard reader.name() else {
            summer = nil
            if !reader.rest.isEmpty { return nil }
            return
        }
        var offset = standard + 3_600
        if reader.rest.first != UInt8(ascii: ",") {
            guard let west = reader.time() else { return nil }
            offset = -west
        }
        guard let begin = reader.change(), let end = reader.change(), reader.rest.isEmpty else {
            return nil
        }
        summer = Summer(offset: offset, begin: begin, end: end)
    }

    private struct Reader {
        var rest: ArraySlice<UInt8>

        mutating func take(_ letter: Character) -> Bool {
            guard rest.first == letter.asciiValue else { return false }
            rest = rest.dropFirst()
            return true
        }

        /// An abbreviation such as `CET` or `<+03>`.
        mutating func name() -> Bool {
            if take("<") {
                let name = rest.prefix { $0 != UInt8(ascii: ">") }
                rest = rest.dropFirst(name.count + 1)
                return true
            }
            let name = rest.prefix { (65...90).contains($0 & 0xDF) }
            rest = rest.dropFirst(name.count)
            return name.count >= 3
        }

        mutating func number() -> Int64? {
            let digits = rest.prefix { (48...57).contains($0) }
            guard (1...4).contains(digits.count) else { return nil }
            rest = rest.dropFirst(digits.count)
            return digits.reduce(0) { $0 * 10 + Int64($1 - 48) }
        }

        /// `-1`, `5:30` or `+2:00:00`, in seconds.
        mutating func time() -> Int64? {
            let sign: Int64 = take("-") ? -1 : 1
            if sign > 0 { _ = take("+") }
            guard var seconds = number().map({ $0 * 3_600 }) else { return nil }
            for unit: Int64 in [60, 1] where take(":") {
                guard let part = number() else { return nil }
                seconds += part * unit
            }
            return sign * seconds
        }

        /// `,M3.5.0/2`, `,J60` or `,59`.
        mutating func change() -> Change? {
            guard take(","), let date = date() else { return nil }
            guard take("/") else { return Change(date: date, time: 7_200) }
            return time().map { Change(date: date, time: $0) }
        }

        private mutating func date() -> Change.Date? {
            if take("J") { return number().map { .julian($0) } }
            guard take("M") else { return number().map { .day($0) } }
            guard let month = number(), (1...12).contains(month), take("."), let week = number(),
                (1...5).contains(week), take("."), let weekday = number(), (0...6).contains(weekday)
            else { return nil }
            return .weekday(month: month, week: week, weekday: weekday)
        }
    }
}

/// Days since 1970-01-01 in the proleptic Gregorian calendar.
private enum Calendar {
    static func isLeap(_ year: Int64) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }

    /// Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `days_from_civil`.
    static func day(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = floor(shifted, 400)
        let ofEra = shifted - era * 400
        let ofYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719_468
    }

    /// The year of a day.
    static func year(ofDay number: Int64) -> Int64 {
        var year = 1970 + floor(number, 365)
        while day(year: year, month: 1, day: 1) > number { year -= 1 }
        return year
    }

    static func day(year: Int64, month: Int64, week: Int64, weekday: Int64) -> Int64 {
        let first = day(year: year, month: month, day: 1)
        let next =
            month == 12
            ? day(year: year + 1, month: 1, day: 1) : day(year: year, month: month + 1, day: 1)
        // 1970-01-01 was a Thursday.
        let firstWeekday = first + 4 - floor(first + 4, 7) * 7
        var found = first + (weekday - firstWeekday + 7) % 7 + (week - 1) * 7
        while found >= next { found -= 7 }
        return found
    }

    static func floor(_ number: Int64, _ divisor: Int64) -> Int64 {
        number / divisor - (number % divisor < 0 ? 1 : 0)
    }
}
