import MacrologEvents
package import MacrologLog
import MacrologSystem

extension DeviceClock {
    /// The system's clocks and its zone.
    package static let system: DeviceClock = {
        let boot =
            SystemClock.bootIdentity.flatMap { Identifier($0) } ?? Identifier(high: 0, low: 0)
        return DeviceClock {
            ClockSample(
                wall: SystemClock.wallMilliseconds, monotonic: SystemClock.bootMilliseconds,
                boot: boot)
        }
    }()

    /// Other clocks in the system's zone.
    package init(read: @escaping @Sendable () -> ClockSample) {
        self.init(
            read: read, offsetMinutes: SystemZone.offsetMinutes(at:),
            zoneName: { SystemZone.name.map { UTF8Text($0) } })
    }
}
