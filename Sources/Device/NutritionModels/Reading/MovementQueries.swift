package import MacrologLog
package import MacrologNutrition
package import MacrologReadModels
import MacrologSQLite

/// What is known of a day's activity.
struct Movement {
    var activities: [ActivityEntry] = []
    var counted: [EnergyDay] = []

    /// Without the activities that are known to begin after a moment, in milliseconds since 1970 UTC.
    func begun(by instant: Int64) -> Movement {
        Movement(
            activities: activities.filter { $0.localDate.hasCome(by: instant) }, counted: counted)
    }

    /// The day's energy and steps, each counted once.
    func energy(of body: Body, formula: RestingFormula?) -> DayEnergy {
        let resting = try? RestingEnergy.estimate(for: body, formula: formula ?? .auto)
        return DayEnergy(
            activities: activities, days: counted, weightGrams: body.weightGrams,
            resting: resting?.millikilocalories)
    }
}

/// Reading activities, and the body that they are computed for.
extension Store {
    /// The energy and the steps of a day's activity.
    ///
    /// - Parameter instant: Milliseconds since 1970 UTC: activities that are known to begin later are
    ///   left out. `nil` for the whole day.
    package mutating func movement(
        on day: Day, until instant: Int64? = nil
    ) throws(LogError) -> DayEnergy {
        let profile = try profile()
        var movement = try movement(on: day...day)[day] ?? Movement()
        if let instant { movement = movement.begun(by: instant) }
        return movement.energy(
            of: try body(of: profile, on: day), formula: profile.restingFormula)
    }

    /// The days with activity, and what was recorded of it.
    mutating func movement(on days: ClosedRange<Day>) throws(LogError) -> [Day: Movement] {
        var found: [Day: Movement] = [:]
        for activity in try entities(ActivityEntry.self, on: days) {
            found[activity.day, default: Movement()].activities.append(activity)
        }
        for counted in try entities(EnergyDay.self, on: days) {
            found[counted.day, default: Movement()].counted.append(counted)
        }
        return found
    }

    /// A person on a day: the weight of the last day with one up to then, and the last body fat percentage,
    /// however it was measured; without one, that of the profile.
    package mutating func body(of profile: Profile, on day: Day) throws(LogError) -> Body {
        let last = try weighIn(onOrBefore: day)
        var body = Body(profile, on: day, weighIn: last)
        if let last { body.weightGrams = try weight(on: last.localDate.day) }
        if let fat = try bodyFat(onOrBefore: day) { body.bodyFatBasisPoints = fat.basisPoints }
        return body
    }

    /// The last body fat percentage up to a day, from scales and from readings alike.
    package mutating func bodyFat(onOrBefore day: Day) throws(LogError) -> BodyComposition.Sample? {
        let weighed = try db.first(
            """
            SELECT day, at, fat FROM weigh_in WHERE fat IS NOT NULL AND day <= ?
            ORDER BY day DESC, at DESC, id DESC LIMIT 1
            """, day.number
        ) { row in
            Day(number: row.int(0)).map {
                BodyComposition.Sample(
                    day: $0, occurredAt: row.intOrNull(1), basisPoints: row.int(2))
            }
        }
        let last = try db.first(
            "SELECT day FROM by_day WHERE kind = ? AND day <= ? ORDER BY day DESC LIMIT 1",
            BodyFat.kind.name, day.number
        ) { Day(number: $0.int(0)) }
        var readings = [weighed ?? nil].compactMap { $0 }
        if let last = last ?? nil {
            readings += try entities(BodyFat.self, on: last...last).map { .init($0) }
        }
        return BodyComposition.latestFat(readings, upTo: day)
    }
}
