import MacrologArgumentParsing
import Macrolog

/// A moment as a person types it: a local time, optionally with a date and a UTC offset.
struct Moment: Sendable {
    /// The date; `nil` if it was not typed.
    let day: Day?
    /// Minutes after midnight, 0 to 1,439.
    let minute: Int64
    /// 0 to 59.
    let second: Int64
    /// The UTC offset in minutes; `nil` for the zone of this process.
    let offset: Int64?

    /// Reads `07:40`, `2026-11-20T07:40`, `2026-11-20 07:40:30+01:00`, `…Z`; `nil` for anything else.
    init?(_ text: String) {
        var bytes = Array(text.utf8)[...]
        if bytes.count > 11, bytes[4] == UInt8(ascii: "-") {
            let date = String(decoding: bytes.prefix(10), as: UTF8.self)
            guard let day = Day(date) else { return nil }
            guard bytes[10] == UInt8(ascii: "T") || bytes[10] == UInt8(ascii: " ") else {
                return nil
            }
            self.day = day
            bytes = bytes.dropFirst(11)
        } else {
            day = nil
        }
        var clock = bytes
        offset = Self.takeOffset(from: &clock)
        if offset == nil, clock.count != bytes.count { return nil }
        let parts = clock.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count), let hour = Self.number(parts[0], 1...2, below: 24),
            let minute = Self.number(parts[1], 2...2, below: 60),
            let second = parts.count == 3 ? Self.number(parts[2], 2...2, below: 60) : 0
        else { return nil }
        self.minute = hour * 60 + minute
        self.second = second
    }

    /// The offset after the time; `nil` if there is none, or an invalid one: then bytes were
    /// consumed nevertheless.
    private static func takeOffset(from bytes: inout ArraySlice<UInt8>) -> Int64? {
        if bytes.last == UInt8(ascii: "Z") {
            bytes.removeLast()
            return 0
        }
        guard
            let sign = bytes.lastIndex(where: {
                $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-")
            })
        else { return nil }
        let parts = bytes[(sign + 1)...].split(separator: UInt8(ascii: ":"))
        let isAhead = bytes[sign] == UInt8(ascii: "+")
        bytes = bytes[..<sign]
        guard parts.count == 2, let hours = number(parts[0], 2...2, below: 15),
            let minutes = number(parts[1], 2...2, below: 60)
        else { return nil }
        return (hours * 60 + minutes) * (isAhead ? 1 : -1)
    }

    private static func number(
        _ digits: ArraySlice<UInt8>, _ count: ClosedRange<Int>, below limit: Int64
    ) -> Int64? {
        guard count.contains(digits.count), digits.allSatisfy({ (48...57).contains($0) }),
            let value = Int64(String(decoding: digits, as: UTF8.self)), value < limit
        else { return nil }
        return value
    }

    /// Milliseconds since 1970 UTC; `nil` for a time that a change of the clocks skips.
    ///
    /// - Parameters:
    ///   - meant: The day, if none was typed.
    ///   - dayStart: When that day begins, in minutes after midnight: earlier times belong to its
    ///     end.
    func instant(on meant: Day, dayStart: Int64) -> Int64? {
        let civil = day ?? (minute < dayStart ? meant.advanced(by: 1) : meant)
        guard let offset else {
            return LocalZone.system.instant(of: civil, minuteOfDay: minute).map {
                $0 + second * 1_000
            }
        }
        let minutes = civil.number * 1_440 + minute - offset
        return (minutes * 60 + second) * 1_000
    }
}

extension Moment {
    /// The same, but a time before the beginning of the day that has not come yet is that of last night: at noon
    /// `02:30` is not the night that comes.
    ///
    /// - Parameter now: Milliseconds since 1970 UTC.
    func instant(on meant: Day, dayStart: Int64, now: Int64) -> Int64? {
        let instant = instant(on: meant, dayStart: dayStart)
        guard day == nil, minute < dayStart, instant ?? .max > now else { return instant }
        return self.instant(on: meant.advanced(by: -1), dayStart: dayStart)
    }
}

extension Form where Value == Moment {
    /// A moment.
    static var moment: Form {
        Form("TIME") { word throws(BadValue) in
            guard let moment = Moment(word) else {
                throw BadValue(
                    "is not a time", instead: "07:40, 2026-11-20T07:40 or 2026-11-20T07:40+01:00")
            }
            return moment
        }
    }
}

extension Form where Value == String {
    /// A day as a relative word, which depends on today.
    static var day: Form {
        Form("DAY", completion: .words(["today", "yesterday"])) { word throws(BadValue) in
            guard let middle = Day(number: 0), Day.reading(word, today: middle) != nil else {
                throw BadValue(
                    "is not a day",
                    instead: "today, yesterday, -3, friday or a date such as 2026-11-20")
            }
            return word
        }
    }
}
