public import MacrologEvents
public import MacrologNutrition
import MacrologSystem

/// The time zone of this process, from the system (`TZ`, or the system's setting).
public enum LocalTime {
    /// How far the local clock is ahead of UTC at an instant, in whole minutes.
    ///
    /// - Parameter instant: Milliseconds since 1970 UTC.
    public static func offsetMinutes(at instant: Int64) -> Int64 {
        SystemZone.offsetMinutes(at: instant)
    }

    /// The instant at which local clocks show a time of a day; `nil` for a time that a clock change
    /// skips. For a time that comes twice, the first.
    public static func instant(of day: Day, minuteOfDay: Int64) -> Int64? {
        WallClock.instants(of: day, minuteOfDay: minuteOfDay, offsetMinutes: offsetMinutes(at:))
            .first
    }

    /// The IANA name of the zone; `nil` when the system does not say.
    public static var zoneName: Text? { SystemZone.name.map { Text($0) } }
}

extension Replica {
    /// The day, instant and zone of an entry made at a moment, by the person's start of the day.
    ///
    /// - Parameter instant: Milliseconds since 1970 UTC; now, when not given.
    public func localDate(at instant: Int64? = nil) throws -> LocalDate {
        try withDiary { try $0.localDate(at: instant) }
    }

    /// The current day, by this device's clock and zone and the person's start of the day.
    public func today() throws -> Day { try localDate().day }
}
