public import MacrologEvents

/// The day something belongs to, with the instant and the zone it was recorded in: one value that
/// changes as a whole.
///
/// The day is decided when the entry is made and stored: later travel, a changed day start or a new
/// time-zone database never move an old entry.
///
/// Stored as the array `[day, occurred_at, tz, offset_min]`.
public struct LocalDate: Hashable, Sendable {
    /// The day the entry counts for.
    public var day: Day
    /// When it happened, in milliseconds since 1970-01-01 UTC; `nil` when only the day is known.
    public var occurredAt: Int64?
    /// The IANA name of the zone, such as `Europe/Zurich`; `nil` when unknown.
    public var zone: UTF8Text?
    /// The UTC offset of local time, in minutes from -840 to 840; `nil` when unknown.
    public var offsetMinutes: Int64?

    /// A day, with as much of the clock as is known.
    public init(
        day: Day, occurredAt: Int64? = nil, zone: UTF8Text? = nil, offsetMinutes: Int64? = nil
    ) {
        self.day = day
        self.occurredAt = occurredAt
        self.zone = zone
        self.offsetMinutes = offsetMinutes
    }

    /// Decides the day of an instant, as is done once, when an entry is made.
    ///
    /// - Parameters:
    ///   - instant: Milliseconds since 1970-01-01 UTC.
    ///   - zone: The IANA name of the zone.
    ///   - offsetMinutes: The UTC offset of local time at that instant, -840 to 840.
    ///   - dayStartMinutes: When the person's day begins, in minutes after midnight, 0 to 480.
    /// - Returns: `nil` outside 1900 to 2200, and for offsets outside their range.
    public init?(
        instant: Int64, zone: UTF8Text?, offsetMinutes: Int64, dayStartMinutes: Int64 = 0
    ) {
        guard
            let day = Day(
                instant: instant, offsetMinutes: offsetMinutes, dayStartMinutes: dayStartMinutes)
        else { return nil }
        self.init(day: day, occurredAt: instant, zone: zone, offsetMinutes: offsetMinutes)
    }

    /// Minutes after local midnight, 0 to 1,439; `nil` when instant or offset is unknown.
    public var minuteOfDay: Int64? {
        guard let occurredAt, let offsetMinutes else { return nil }
        let minutes = Day.floor(occurredAt, 60_000) + offsetMinutes
        return minutes - Day.floor(minutes, 1_440) * 1_440
    }

    /// Whether it has come by an instant, in milliseconds since 1970-01-01 UTC. What has only a day has.
    package func hasCome(by instant: Int64) -> Bool { occurredAt ?? .min <= instant }

    /// Reads the stored array; `nil` for anything else.
    public init?(_ value: Value) {
        guard let parts = value.array, parts.count == 4, let number = parts[0].int,
            let day = Day(number: number),
            parts[1].isNull || parts[1].int.map(LocalDate.instants.contains) == true,
            parts[2].isNull || parts[2].text.map(LocalDate.isZoneName) == true,
            parts[3].isNull || parts[3].int.map(LocalDate.offsets.contains) == true
        else { return nil }
        self.init(
            day: day, occurredAt: parts[1].int, zone: parts[2].text, offsetMinutes: parts[3].int)
    }

    /// The array that is stored.
    package var value: Value {
        .array([
            .int(day.number), Value(occurredAt), zone.map(Value.text) ?? .null,
            Value(offsetMinutes),
        ])
    }

    /// The instants that can be stored: the milliseconds of 1900 to 2200, and a day around them.
    static let instants: ClosedRange<Int64> = -2_209_075_200_000...7_289_740_800_000

    /// The valid UTC offsets of local time, in minutes.
    static let offsets: ClosedRange<Int64> = -840...840

    /// Whether the text can be an IANA name: ASCII letters, digits and `_ + - /`, up to 64 bytes.
    static func isZoneName(_ name: UTF8Text) -> Bool {
        (1...64).contains(name.byteCount)
            && name.string.utf8.allSatisfy {
                ASCII.isLetter($0) || ASCII.isDigit($0) || $0 == UInt8(ascii: "_")
                    || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-")
                    || $0 == UInt8(ascii: "/")
            }
    }
}

extension Value {
    /// A number, or null for none.
    init(_ number: Int64?) {
        self = number.map(Value.int) ?? .null
    }
}
