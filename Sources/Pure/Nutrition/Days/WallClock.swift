/// Local times in a zone whose UTC offset changes.
package enum WallClock {
    /// The instants at which local clocks show a minute of a day, earliest first: none for a time that
    /// a change of the clocks skips, two for a time that comes twice.
    ///
    /// - Parameters:
    ///   - day: The civil day.
    ///   - minuteOfDay: Minutes after midnight, 0 to 1,439.
    ///   - offsetMinutes: What the local clock is ahead of UTC at an instant in milliseconds since
    ///     1970-01-01 UTC, as the zone's database says. It is asked about a day before, a day after
    ///     and the instants found.
    public static func instants(
        of day: Day, minuteOfDay: Int64, offsetMinutes: (Int64) -> Int64
    ) -> [Int64] {
        let civil = (day.number * 1_440 + minuteOfDay) * 60_000
        let before = civil - offsetMinutes(civil - 86_400_000) * 60_000
        let after = civil - offsetMinutes(civil + 86_400_000) * 60_000
        let candidates = before == after ? [before] : [min(before, after), max(before, after)]
        return candidates.filter { $0 + offsetMinutes($0) * 60_000 == civil }
    }

    /// The local time at an instant, in minutes after midnight, 0 to 1,439.
    ///
    /// - Parameters:
    ///   - instant: Milliseconds since 1970-01-01 UTC.
    ///   - offset: The UTC offset of local time, in minutes.
    public static func minuteOfDay(of instant: Int64, offset: Int64) -> Int64 {
        let local = Rounding.sum(instant, offset * 60_000) % 86_400_000
        return (local < 0 ? local + 86_400_000 : local) / 60_000
    }
}
