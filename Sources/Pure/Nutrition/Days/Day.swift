/// One calendar day without a zone: a number of days since 1970-01-01.
///
/// The calendar is the proleptic Gregorian one from 1900-01-01 to 2200-12-31. Arithmetic stays
/// inside these bounds: a step beyond the last day ends on the last day.
///
/// Source of the conversion: H. Hinnant, "chrono-Compatible Low-Level Date Algorithms" (2013):
/// years that begin in March put the leap day last.
public struct Day: Hashable, Comparable, Sendable {
    /// Days since 1970-01-01; negative before. From -25,567 to 84,370.
    public let number: Int64

    /// 1900-01-01, the first day that there is.
    public static let earliest = Day(unchecked: -25_567)
    /// 2200-12-31, the last day that there is.
    public static let latest = Day(unchecked: 84_370)

    /// Takes a number of days since 1970-01-01; `nil` outside 1900 to 2200.
    @inlinable
    public init?(number: Int64) {
        guard number >= -25_567, number <= 84_370 else { return nil }
        self.init(unchecked: number)
    }

    /// Takes a civil date; `nil` for a date that does not exist, such as 29 February 2100, or lies
    /// outside 1900 to 2200.
    package init?(year: Int, month: Int, day: Int) {
        guard (1900...2200).contains(year), (1...12).contains(month), day >= 1,
            day <= Day.length(ofMonth: month, year: year)
        else { return nil }
        self.init(unchecked: Day.number(year: year, month: month, day: day))
    }

    /// The local day of an instant.
    ///
    /// - Parameters:
    ///   - instant: Milliseconds since 1970-01-01 UTC.
    ///   - offsetMinutes: The UTC offset of local time in minutes, from -840 to 840.
    ///   - dayStartMinutes: When the person's day begins, in minutes after midnight, 0 to 480: with
    ///     240 a snack at 00:40 belongs to yesterday.
    /// - Returns: `nil` outside 1900 to 2200, and for offsets outside their range.
    package init?(instant: Int64, offsetMinutes: Int64, dayStartMinutes: Int64 = 0) {
        guard (-840...840).contains(offsetMinutes), (0...480).contains(dayStartMinutes) else {
            return nil
        }
        let shift = (offsetMinutes - dayStartMinutes) * 60_000
        let (local, overflow) = instant.addingReportingOverflow(shift)
        guard !overflow else { return nil }
        self.init(number: Day.floor(local, 86_400_000))
    }

    @inlinable
    init(unchecked number: Int64) {
        self.number = number
    }

    /// Order in time.
    @inlinable
    public static func < (left: Day, right: Day) -> Bool {
        left.number < right.number
    }
}

extension Day {
    /// Year, month 1 to 12 and day 1 to 31.
    package var civil: (year: Int, month: Int, day: Int) {
        let shifted = number + 719_468
        let era = Day.floor(shifted, 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (Int(year), Int(month), Int(day))
    }

    /// The year, 1900 to 2200.
    public var year: Int { civil.year }
    /// The month, 1 to 12.
    public var month: Int { civil.month }
    /// The day of the month, 1 to 31.
    public var dayOfMonth: Int { civil.day }

    private static func number(year: Int, month: Int, day: Int) -> Int64 {
        let shiftedYear = Int64(month <= 2 ? year - 1 : year)
        let era = floor(shiftedYear, 400)
        let yearOfEra = shiftedYear - era * 400
        let marchMonth = Int64(month > 2 ? month - 3 : month + 9)
        let dayOfYear = (153 * marchMonth + 2) / 5 + Int64(day) - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// The number of days of a month.
    static func length(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    static func isLeap(_ year: Int) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }

    static func floor(_ value: Int64, _ divisor: Int64) -> Int64 {
        let quotient = value / divisor
        return value % divisor < 0 ? quotient - 1 : quotient
    }
}

extension Day: Strideable {
    /// The number of days from this one to another; negative when that one is earlier.
    @inlinable
    public func distance(to other: Day) -> Int {
        Int(other.number - number)
    }

    /// The day `count` days later, clamped to the years 1900 to 2200.
    @inlinable
    public func advanced(by days: Int) -> Day {
        let (sum, overflow) = number.addingReportingOverflow(Int64(days))
        guard !overflow else { return days < 0 ? Day(unchecked: -25_567) : Day(unchecked: 84_370) }
        return Day(unchecked: min(max(sum, -25_567), 84_370))
    }
}
