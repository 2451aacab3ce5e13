public import MacrologEvents
public import MacrologNutrition
import MacrologLog
import MacrologNutritionModels
import MacrologReadModels

/// Water, fasts and activity. Single entries are added, read, changed and deleted like any entity:
/// `add`, `entities(_:on:)`, `save`, `delete`.
extension Diary {
    /// What was drunk on a day, and the target of the active plan; includes the water in food if
    /// the person wants it counted (``Preferences/countsFoodWater``).
    public func hydration(on day: Day) throws(DiaryError) -> Hydration {
        let today = try today()
        return try withStore { store throws(LogError) in try store.hydration(on: day, today: today)
        }
    }

    /// The energy and the steps of a day's activity, each counted once. Active energy is part of
    /// the targets of a dynamic plan.
    public func movement(on day: Day) throws(DiaryError) -> DayEnergy {
        try withStore { store throws(LogError) in try store.movement(on: day) }
    }

    /// The person's body on a day: the last weight and the last body fat percentage up to then.
    public func body(on day: Day) throws(DiaryError) -> Body {
        try withStore { store throws(LogError) in try store.body(of: try store.profile(), on: day) }
    }

    /// The last measured body fat up to a day, from weigh-ins and readings alike, in basis points.
    public func bodyFat(upTo day: Day) throws(DiaryError) -> Int64? {
        try withStore { store throws(LogError) in try store.bodyFat(onOrBefore: day)?.basisPoints }
    }

    /// The forecast of the weight on a day; `nil` without two weigh-ins at least seven days apart
    /// in the four weeks that end with the last one, and where that was over four weeks ago.
    public func weightOutlook(on day: Day) throws(DiaryError) -> WeightOutlook? {
        let trend = try weightTrend(through: day)
        guard let last = trend.points.last, day.lastDays(28).contains(last.day) else { return nil }
        return WeightOutlook(trend)
    }

    /// The fasts that began on some of the person's days, oldest first.
    package func fasts(on days: ClosedRange<Day>) throws(DiaryError) -> [Fast] {
        try withStore { store throws(LogError) in try store.fasts(on: days) }
    }

    /// Every fast that is not deleted, and which one is in progress.
    public func fasting() throws(DiaryError) -> Fasting {
        try withStore { store throws(LogError) in try store.fasting() }
    }

    /// The time from the first to the last meal of a day, in milliseconds since 1970 UTC; `nil` if
    /// there was none, or no time is known.
    public func eatingWindow(on day: Day) throws(DiaryError) -> ClosedRange<Int64>? {
        try withStore { store throws(LogError) in try store.eatingWindow(on: day) }
    }

    /// How far ahead a fast may start, in milliseconds: clocks of two devices differ.
    private static let fastAheadMax: Int64 = 5 * 60_000

    /// Starts a fast.
    ///
    /// - Parameters:
    ///   - instant: Milliseconds since 1970 UTC, at most five minutes ahead; now, when not given.
    ///   - targetMinutes: The intended duration, 60 to 10,080.
    ///   - preset: The name of that duration: `16:8`.
    /// - Returns: The fast, and what is unusual about it.
    /// - Throws: ``EntryError`` with code `fastInProgress` while one is in progress, and `invalid` for a
    ///   start in the future. If two devices start a fast concurrently, both are kept.
    @discardableResult
    public mutating func startFast(
        at instant: Int64? = nil, targetMinutes: Int64? = nil, preset: String? = nil
    ) throws(DiaryError) -> (fast: Fast, findings: [Finding]) {
        let fast = try newFast(newID(), at: instant, targetMinutes: targetMinutes, preset: preset)
        return (fast, try add(fast))
    }

    /// The fast that ``startFast(at:targetMinutes:preset:)`` records. Nothing is recorded.
    ///
    /// - Throws: As that.
    package func newFast(
        _ id: Identifier, at instant: Int64?, targetMinutes: Int64?, preset: String? = nil
    ) throws(DiaryError) -> Fast {
        let instant = instant ?? now
        guard instant <= now + Self.fastAheadMax else {
            throw .refused(
                .invalid([
                    Finding(
                        .hard, kind: "fast", field: "started_at", problem: "is in the future",
                        hint: "start the fast when it begins, or type an earlier day or time")
                ]))
        }
        guard try fasting().active(at: max(instant, now)) == nil else {
            throw .refused(.fastInProgress)
        }
        return Fast(
            id: id, startedAt: instant, offsetMinutes: clock.offsetMinutes(instant),
            targetMinutes: targetMinutes, preset: preset)
    }

    /// Ends the fast in progress.
    ///
    /// - Parameter instant: Milliseconds since 1970 UTC; now, when not given.
    /// - Returns: The fast, and what is unusual about it.
    /// - Throws: ``EntryError`` with code `noFastInProgress` when none is, and `invalid` for an
    ///   end before its start.
    @discardableResult
    public mutating func endFast(
        at instant: Int64? = nil
    ) throws(DiaryError) -> (fast: Fast, findings: [Finding]) {
        var fast = try activeFast(at: instant)
        fast.endedAt = instant ?? now
        return (fast, try save(fast))
    }

    /// Marks the fast in progress as one that does not count.
    ///
    /// - Parameter instant: Milliseconds since 1970 UTC; now, when not given.
    /// - Throws: ``EntryError`` with code `noFastInProgress` when none is in progress.
    @discardableResult
    public mutating func cancelFast(at instant: Int64? = nil) throws(DiaryError) -> Fast {
        var fast = try activeFast(at: instant)
        fast.isCancelled = true
        try save(fast)
        return fast
    }

    private func activeFast(at instant: Int64?) throws(DiaryError) -> Fast {
        let now = max(instant ?? now, now)
        guard let span = try fasting().active(at: now), let fast = try entity(Fast.self, span.id)
        else { throw .refused(.noFastInProgress) }
        return fast
    }
}
