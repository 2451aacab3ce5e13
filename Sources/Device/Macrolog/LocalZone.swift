public import MacrologEvents
public import MacrologNutrition
import MacrologEngine
import MacrologLog
import MacrologSystem

/// A time zone as a replica counts days in it: the system's, or that of the person whose log it is.
public struct LocalZone: Sendable {
    private let currentName: @Sendable () -> UTF8Text?
    /// How far local clocks are ahead of UTC at an instant, in whole minutes. The instant is in
    /// milliseconds since 1970 UTC.
    public let offsetMinutes: @Sendable (_ instant: Int64) -> Int64

    /// The zone of this process, from the system (`TZ`, or the system's setting).
    public static let system = LocalZone(
        currentName: { SystemZone.name.map { UTF8Text($0) } },
        offsetMinutes: { SystemZone.offsetMinutes(at: $0) })

    /// Names a zone.
    ///
    /// - Parameters:
    ///   - name: The IANA name; `nil` when it is not known.
    ///   - offsetMinutes: How far local clocks are ahead of UTC at an instant, in whole minutes.
    public init(name: UTF8Text?, offsetMinutes: @escaping @Sendable (_ instant: Int64) -> Int64) {
        self.init(currentName: { name }, offsetMinutes: offsetMinutes)
    }

    private init(
        currentName: @escaping @Sendable () -> UTF8Text?,
        offsetMinutes: @escaping @Sendable (_ instant: Int64) -> Int64
    ) {
        (self.currentName, self.offsetMinutes) = (currentName, offsetMinutes)
    }

    /// The IANA name, such as `Europe/Zurich`, which entries keep; `nil` when it is not known.
    public var name: UTF8Text? { currentName() }

    /// The instant at which local clocks show a time of a day, in milliseconds since 1970 UTC; `nil`
    /// for a time that a clock change skips. For a time that comes twice, the first.
    public func instant(of day: Day, minuteOfDay: Int64) -> Int64? {
        WallClock.instants(of: day, minuteOfDay: minuteOfDay, offsetMinutes: offsetMinutes).first
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
