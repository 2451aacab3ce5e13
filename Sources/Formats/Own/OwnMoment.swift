import MacrologEvents
import MacrologNutrition

/// The instant of an entry with its UTC offset, as in ISO 8601: `2026-11-01T18:00:30.125+01:00`;
/// with `Z` if only the instant is known.
package struct OwnMoment: Equatable {
    /// Milliseconds since 1970 UTC.
    package var instant: Int64
    /// The UTC offset in minutes; `nil` if unknown.
    package var offset: Int64?

    init(instant: Int64, offset: Int64?) {
        (self.instant, self.offset) = (instant, offset)
    }

    init?(_ date: LocalDate) {
        guard let instant = date.occurredAt else { return nil }
        self.init(instant: instant, offset: date.offsetMinutes)
    }

    /// Milliseconds since 1970 in local time.
    private var wall: Int64 { instant + (offset ?? 0) * 60_000 }

    private static let dayMilliseconds: Int64 = 86_400_000

    /// The local date, as a number of days since 1970.
    var civilDay: Int64 {
        wall >= 0
            ? wall / Self.dayMilliseconds : (wall + 1) / Self.dayMilliseconds - 1
    }

    /// Milliseconds after local midnight.
    var timeOfDay: Int64 { wall - civilDay * Self.dayMilliseconds }

    /// The same date and offset with another local time, in seconds after midnight.
    func at(seconds: Int64) -> OwnMoment {
        OwnMoment(instant: instant - timeOfDay + seconds * 1_000, offset: offset)
    }

    func moved(byDays days: Int64) -> OwnMoment {
        OwnMoment(instant: instant + days * Self.dayMilliseconds, offset: offset)
    }

    /// `nil` outside 1900 to 2200.
    var text: String? {
        guard let day = Day(number: civilDay) else { return nil }
        let (seconds, milliseconds) = (timeOfDay / 1_000, timeOfDay % 1_000)
        var text = "\(day)T" + Self.clock(seconds / 60) + ":" + Self.digits(seconds % 60, 2)
        if milliseconds > 0 { text += "." + Self.digits(milliseconds, 3) }
        guard let offset else { return text + "Z" }
        return text + (offset < 0 ? "-" : "+") + Self.clock(abs(offset))
    }

    /// Reads what ``text`` writes; `nil` for anything else.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes[10] == UInt8(ascii: "T"),
            let day = Day(String(decoding: bytes[..<10], as: UTF8.self)),
            bytes[13] == UInt8(ascii: ":"), bytes[16] == UInt8(ascii: ":"),
            let hour = Self.number(bytes[11...12], below: 24),
            let minute = Self.number(bytes[14...15], below: 60),
            let second = Self.number(bytes[17...18], below: 60)
        else { return nil }
        var rest = bytes[19...]
        var milliseconds: Int64 = 0
        if rest.first == UInt8(ascii: ".") {
            guard rest.count >= 5, let read = Self.number(rest.dropFirst().prefix(3), below: 1_000)
            else { return nil }
            milliseconds = read
            rest = rest.dropFirst(4)
        }
        guard let offset = Self.offset(rest) else { return nil }
        let minutes = day.number * 1_440 + hour * 60 + minute - (offset ?? 0)
        self.init(instant: (minutes * 60 + second) * 1_000 + milliseconds, offset: offset)
    }

    /// `Z` is an unknown offset; `nil` for anything that is not an offset.
    private static func offset(_ bytes: ArraySlice<UInt8>) -> Int64?? {
        if bytes.elementsEqual("Z".utf8) { return .some(nil) }
        let all = Array(bytes)
        guard all.count == 6, all[3] == UInt8(ascii: ":"),
            all[0] == UInt8(ascii: "+") || all[0] == UInt8(ascii: "-"),
            let hours = number(all[1...2], below: 15), let minutes = number(all[4...5], below: 60),
            hours * 60 + minutes <= 840
        else { return nil }
        return (hours * 60 + minutes) * (all[0] == UInt8(ascii: "-") ? -1 : 1)
    }

    private static func number(_ digits: ArraySlice<UInt8>, below limit: Int64) -> Int64? {
        var number: Int64 = 0
        for digit in digits {
            guard (48...57).contains(digit) else { return nil }
            number = number * 10 + Int64(digit) - 48
        }
        return number < limit ? number : nil
    }

    private static func clock(_ minutes: Int64) -> String {
        digits(minutes / 60, 2) + ":" + digits(minutes % 60, 2)
    }

    private static func digits(_ number: Int64, _ count: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
    }
}
