public import MacrologEvents
public import MacrologNutrition
import MacrologEngine
import MacrologLog
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
    public static var zoneName: UTF8Text? { SystemZone.name.map { UTF8Text($0) } }
}

/// A time zone as a replica counts days in it, such as that of the person whose log it is.
public struct LocalZone: Sendable {
    /// The IANA name, such as `Europe/Zurich`, which entries keep; `nil` when it is not known.
    public let name: UTF8Text?
    /// How far local clocks are ahead of UTC at an instant, in whole minutes. The instant is in
    /// milliseconds since 1970 UTC.
    public let offsetMinutes: @Sendable (_ instant: Int64) -> Int64

    /// Names a zone.
    ///
    /// - Parameters:
    ///   - name: The IANA name; `nil` when it is not known.
    ///   - offsetMinutes: How far local clocks are ahead of UTC at an instant, in whole minutes.
    public init(name: UTF8Text?, offsetMinutes: @escaping @Sendable (_ instant: Int64) -> Int64) {
        self.name = name
        self.offsetMinutes = offsetMinutes
    }
}

extension Replica {
    /// Opens the replica in a file, as ``open(at:)`` does, for a person in a zone that need not be
    /// that of this process.
    public static func open(at path: String, zone: LocalZone) throws -> Replica {
        try open(
            at: path,
            clock: DeviceClock(
                read: DeviceClock.system.read, offsetMinutes: zone.offsetMinutes,
                zoneName: { zone.name }))
    }
}
