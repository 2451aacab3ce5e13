/// How the server chooses the sealed time of an event (`protocol.md` §5).
package enum Sealing {
    /// The sealed time of one event.
    ///
    /// - Parameters:
    ///   - age: Milliseconds between recording and now, as measured by the device: with its
    ///     monotonic clock within one boot, otherwise with its wall clock. Any value is safe.
    ///   - now: The server's clock, in milliseconds since 1970 UTC.
    ///   - floor: The greatest sealed time that the event had seen: of all events up to its base,
    ///     and of its device's previous event; 0 for none.
    /// - Returns: The greater of two times: when the event was recorded, by the device's estimate, but
    ///   not after `now`; and the next time after `floor`. If `floor` is the greatest possible time,
    ///   the result is `floor` itself.
    public static func time(age: Milliseconds, now: Int64, floor: SealedTime) -> SealedTime {
        let latest = clamped(now)
        let estimate = Milliseconds(now).distance(from: age)
        let fair = estimate.map { min(clamped($0), latest) } ?? (age < 0 ? latest : 0)
        return max(SealedTime(fair << 16), floor.successor() ?? floor)
    }

    /// The sealed time of one event, as plain numbers.
    public static func time(age: Int64, now: Int64, floor: Int64) -> Int64 {
        time(age: Milliseconds(age), now: now, floor: SealedTime(floor)).rawValue
    }

    /// The latest possible sealed time, in milliseconds since 1970 UTC.
    public static let latest: Int64 = 1 << 46

    private static func clamped(_ milliseconds: Int64) -> Int64 {
        min(max(milliseconds, 0), latest)
    }
}
