import MacrologEvents
package import MacrologLog
import MacrologSystem

/// The clocks of this device, injected so that tests and simulations control the time.
package struct DeviceClock: Sendable {
    /// Reads wall, monotonic and boot at one moment.
    package let read: @Sendable () -> ClockSample

    /// Creates a clock from a function.
    package init(read: @escaping @Sendable () -> ClockSample) {
        self.read = read
    }

    /// The system's clocks.
    package static let system: DeviceClock = {
        let boot =
            SystemClock.bootIdentity.flatMap { Identifier($0) } ?? Identifier(high: 0, low: 0)
        return DeviceClock {
            ClockSample(
                wall: SystemClock.wallMilliseconds, monotonic: SystemClock.bootMilliseconds,
                boot: boot)
        }
    }()
}
