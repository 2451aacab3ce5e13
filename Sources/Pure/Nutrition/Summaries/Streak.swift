/// How many days in a row were logged, up to now and at best.
///
/// A streak ends today or yesterday: a today that is still empty does not break it. Days that were
/// skipped on purpose neither count nor break.
public struct Streak: Hashable, Sendable {
    /// The days of the streak that is still on; 0 when there is none.
    public let current: Int
    /// The days of the longest streak ever.
    public let longest: Int

    /// Counts.
    ///
    /// - Parameters:
    ///   - logged: The days with something consumed, or marked complete; any order.
    ///   - skipped: The days skipped on purpose; any order.
    ///   - today: The local day. Later days do not count.
    package init(
        logged: some Sequence<Day>, skipped: some Sequence<Day>, today: Day
    ) {
        var days = logged.filter { $0 <= today }.map { (day: $0, counts: true) }
        days += skipped.filter { $0 <= today }.map { (day: $0, counts: false) }
        days.sort { $0.day == $1.day ? $0.counts && !$1.counts : $0.day < $1.day }
        var run = 0
        var best = 0
        var previous: Day?
        for (day, counts) in days where day != previous {
            if let previous, day.number > previous.number + 1 { run = 0 }
            if counts { run += 1 }
            best = max(best, run)
            previous = day
        }
        longest = best
        current = previous.map { $0.number >= today.number - 1 } == true ? run : 0
    }
}
