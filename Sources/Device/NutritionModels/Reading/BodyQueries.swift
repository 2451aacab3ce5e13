package import MacrologLog
package import MacrologNutrition
package import MacrologReadModels

/// Reading water and fasts.
extension Store {
    /// What was drunk on a day, and the target of the active plan; includes the water in food if
    /// the person wants it counted.
    package mutating func hydration(on day: Day, today: Day) throws(LogError) -> Hydration {
        try hydration(beside: try summary(of: day, today: today))
    }

    /// The same for a day whose summary is already known.
    ///
    /// - Parameter instant: Milliseconds since 1970 UTC: what is known to be drunk later is left out.
    ///   `nil` for the whole day.
    package mutating func hydration(
        beside summary: DaySummary, until instant: Int64? = nil
    ) throws(LogError) -> Hydration {
        let counts = try preferences().countsFoodWater ?? false
        let drunk = try entities(Water.self, on: summary.day...summary.day)
            .filter { water in instant.map { water.localDate.hasCome(by: $0) } ?? true }
        return Hydration(
            volumes: drunk.map { $0.microliters },
            foodWater: counts ? summary.totals[.water] ?? 0 : 0,
            target: summary.targets?.waterMicroliters)
    }

    /// The fasts that began on some of the person's days, oldest first. They are stored on the day that clocks showed,
    /// which at night is the next one.
    package mutating func fasts(on days: ClosedRange<Day>) throws(LogError) -> [Fast] {
        let dayStart = try preferences().dayStartMinutes ?? 0
        let near = try entities(
            Fast.self, on: days.lowerBound...days.upperBound.advanced(by: 1))
        return near.filter { days.contains($0.day(from: dayStart)) }
    }

    /// All fasts that are not deleted.
    package mutating func fasting() throws(LogError) -> Fasting {
        Fasting(try entities(Fast.self, on: .earliest ... .latest))
    }

    /// The time from the first to the last meal of a day, in milliseconds since 1970 UTC; `nil` if
    /// there was none, or no time is known.
    package mutating func eatingWindow(on day: Day) throws(LogError) -> ClosedRange<Int64>? {
        Fasting.eatingWindow(
            try meals(on: day...day).filter { $0.meal.isConsumed }.compactMap {
                $0.meal.localDate.occurredAt
            })
    }
}
