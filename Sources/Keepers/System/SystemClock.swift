import MacrologPlatform

/// The clocks of this machine.
package enum SystemClock {
    /// Milliseconds since 1970 UTC.
    package static var wallMilliseconds: Int64 { milliseconds(CLOCK_REALTIME) }

    /// Milliseconds of a clock that is never set, and may stand while the machine sleeps.
    package static var monotonicMilliseconds: Int64 { milliseconds(CLOCK_MONOTONIC) }

    /// Milliseconds of a clock that is never set, and keeps running while the machine sleeps.
    package static var bootMilliseconds: Int64 { milliseconds(clockWithSleep) }

    /// Names the boot to which readings of the monotonic clocks belong; `nil` if the system does not
    /// tell.
    package static var bootIdentity: String? { bootText() }

    /// The moment in UTC, such as `2026-11-21T03:41:20Z` (RFC 3339).
    package static var utc: String { utc(wallMilliseconds) }

    /// A moment in milliseconds since 1970 UTC, as ``utc``.
    package static func utc(_ milliseconds: Int64) -> String {
        var seconds = time_t(milliseconds / 1_000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        func two(_ value: Int32) -> String { value < 10 ? "0\(value)" : "\(value)" }
        return "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))T"
            + "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))Z"
    }

    /// Blocks this thread.
    package static func sleep(milliseconds: Int64) {
        usleep(UInt32(clamping: milliseconds * 1_000))
    }

    private static func milliseconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }
}

/// The time zone of this process, from the environment (`TZ`) or the system's setting.
public enum SystemZone {
    /// How far local clocks are ahead of UTC at an instant, in whole minutes.
    ///
    /// - Parameter instant: Milliseconds since 1970 UTC.
    package static func offsetMinutes(at instant: Int64) -> Int64 {
        var seconds = time_t(instant / 1_000 - (instant % 1_000 < 0 ? 1 : 0))
        var local = tm()
        // `localtime_r` alone keeps the zone of the first call: a phone that flies, or a laptop that
        // sleeps on a journey, has another one afterwards.
        tzset()
        localtime_r(&seconds, &local)
        return Int64(local.tm_gmtoff) / 60
    }

    /// Its IANA name; `nil` if the system does not tell.
    package static var name: String? {
        if let name = Environment["TZ"], !name.isEmpty {
            return name.hasPrefix(":") ? String(name.dropFirst()) : name
        }
        guard let path = Files.target(of: "/etc/localtime") else { return nil }
        let parts = path.split(separator: "/").map(String.init)
        guard let folder = parts.firstIndex(of: "zoneinfo") else { return nil }
        return parts[(folder + 1)...].joined(separator: "/")
    }

    /// Makes a zone that of this process, before other threads read the clock.
    public static func set(_ name: String) {
        setenv("TZ", name, 1)
        tzset()
    }
}
