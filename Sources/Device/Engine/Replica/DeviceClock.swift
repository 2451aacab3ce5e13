import MacrologEvents
package import MacrologLog

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

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
        let boot = SystemBoot.identifier
        return DeviceClock {
            ClockSample(
                wall: milliseconds(CLOCK_REALTIME), monotonic: milliseconds(SystemBoot.clock),
                boot: boot)
        }
    }()

    private static func milliseconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }
}

/// The boot of the operating system to which monotonic readings belong.
private enum SystemBoot {
    #if canImport(Darwin)
        /// Keeps running while the device sleeps.
        static let clock = CLOCK_MONOTONIC

        static var identifier: Identifier {
            var text = [CChar](repeating: 0, count: 64)
            var size = text.count
            guard sysctlbyname("kern.bootsessionuuid", &text, &size, nil, 0) == 0 else {
                return Identifier(high: 0, low: 0)
            }
            let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            return Identifier(String(decoding: bytes, as: UTF8.self))
                ?? Identifier(high: 0, low: 0)
        }
    #else
        /// Keeps running while the device sleeps.
        static let clock = CLOCK_BOOTTIME

        static var identifier: Identifier {
            var bytes = [UInt8](repeating: 0, count: 36)
            let file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
            guard file >= 0 else { return Identifier(high: 0, low: 0) }
            defer { close(file) }
            guard Glibc.read(file, &bytes, 36) == 36 else { return Identifier(high: 0, low: 0) }
            return Identifier(String(decoding: bytes, as: UTF8.self))
                ?? Identifier(high: 0, low: 0)
        }
    #endif
}
