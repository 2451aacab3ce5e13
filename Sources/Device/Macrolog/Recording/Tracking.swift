import MacrologDiary
import MacrologEvents
public import MacrologNutrition
import MacrologReadModels

/// Water, fasts and activity. Single entries are added, read, changed and deleted like any entity:
/// `add`, `entities(_:on:)`, `save`, `delete`.
extension Replica {
    /// What was drunk on a day, and the target of the active plan; includes the water in food if
    /// the person wants it counted (``Preferences/countsFoodWater``).
    public func hydration(on day: Day) throws -> Hydration {
        try withDiary { try $0.hydration(on: day) }
    }

    /// The energy and the steps of a day's activity, each counted once. Active energy is part of
    /// the targets of a dynamic plan.
    public func movement(on day: Day) throws -> DayEnergy {
        try withDiary { try $0.movement(on: day) }
    }

    /// The last body fat percentage up to a day, from weigh-ins and readings alike.
    public func bodyFat(upTo day: Day) throws -> BodyComposition.Sample? {
        try withDiary { try $0.bodyFat(upTo: day) }
    }

    /// The forecast of the weight on a day; `nil` without two weigh-ins at least seven days apart
    /// in the four weeks that end with the last one.
    public func weightOutlook(on day: Day) throws -> WeightOutlook? {
        try withDiary { try $0.weightOutlook(on: day) }
    }

    /// All fasts.
    public func fasting() throws -> Fasting {
        try withDiary { try $0.fasting() }
    }

    /// The time from the first to the last meal of a day, in milliseconds since 1970 UTC; `nil` if
    /// there was none, or no time is known.
    public func eatingWindow(on day: Day) throws -> ClosedRange<Int64>? {
        try withDiary { try $0.eatingWindow(on: day) }
    }

    /// Starts a fast.
    ///
    /// - Parameters:
    ///   - instant: Milliseconds since 1970 UTC; now, when not given.
    ///   - targetMinutes: The intended duration, 60 to 10,080.
    ///   - preset: The name of that duration: `16:8`.
    /// - Throws: ``ReplicaError`` with code `fastInProgress` while one is running. If two devices start
    ///   a fast concurrently, both are kept.
    @discardableResult
    public func startFast(
        at instant: Int64? = nil, targetMinutes: Int64? = nil, preset: String? = nil
    ) throws -> Fast {
        try withDiary {
            try $0.startFast(at: instant, targetMinutes: targetMinutes, preset: preset)
        }
    }

    /// Ends the running fast.
    ///
    /// - Parameter instant: Milliseconds since 1970 UTC; now, when not given.
    /// - Throws: ``ReplicaError`` with code `noFastInProgress` when none is running, and `invalid` for an
    ///   end before its start.
    @discardableResult
    public func endFast(at instant: Int64? = nil) throws -> Fast {
        try withDiary { try $0.endFast(at: instant) }
    }

    /// Marks the running fast as one that does not count.
    ///
    /// - Parameter instant: Milliseconds since 1970 UTC; now, when not given.
    /// - Throws: ``ReplicaError`` with code `noFastInProgress` when none is running.
    @discardableResult
    public func cancelFast(at instant: Int64? = nil) throws -> Fast {
        try withDiary { try $0.cancelFast(at: instant) }
    }
}
