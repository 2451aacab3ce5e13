package import MacrologEvents

/// The clocks of a device and its zone, injected so that tests and simulations control the time, and
/// a browser lends its own.
package struct DeviceClock: Sendable {
    /// Reads wall, monotonic and boot at one moment.
    package let read: @Sendable () -> ClockSample
    /// How far the local clock is ahead of UTC at an instant, in whole minutes. The instant is in
    /// milliseconds since 1970 UTC.
    package let offsetMinutes: @Sendable (_ instant: Int64) -> Int64
    /// The IANA name of the zone; `nil` when it is not known.
    package let zoneName: @Sendable () -> UTF8Text?

    /// Collects the functions.
    package init(
        read: @escaping @Sendable () -> ClockSample,
        offsetMinutes: @escaping @Sendable (_ instant: Int64) -> Int64,
        zoneName: @escaping @Sendable () -> UTF8Text?
    ) {
        self.read = read
        self.offsetMinutes = offsetMinutes
        self.zoneName = zoneName
    }
}
