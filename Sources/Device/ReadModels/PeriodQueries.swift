import MacrologLog
package import MacrologNutrition
import MacrologSQLite

/// Reading spans of days.
extension Store {
    /// Averages, rates and shares over some days.
    package mutating func stats(over days: ClosedRange<Day>, today: Day) throws -> PeriodStats {
        PeriodStats(days, summaries: try summaries(of: days, today: today), today: today)
    }

    /// How many consecutive days were logged.
    package mutating func streak(today: Day) throws -> Streak {
        var logged = try days("SELECT DISTINCT day FROM meal WHERE consumed = 1")
        logged += try days("SELECT day FROM day_log WHERE status = 'complete'")
        let skipped = try days("SELECT day FROM day_log WHERE status = 'skipped'")
        return Streak(logged: logged, skipped: skipped, today: today)
    }

    private mutating func days(_ sql: StaticString) throws -> [Day] {
        try db.all(sql) { Day(number: $0.int(0)) }.compactMap(\.self)
    }

    /// The smoothed trend of all weigh-ins up to a day, by the person's policy.
    package mutating func weightTrend(through day: Day = .latest) throws -> WeightTrend {
        let readings = try db.all(
            "SELECT day, id, at, grams FROM weigh_in WHERE day <= ? ORDER BY day, id", day.number
        ) { row in
            Day(number: row.int(0)).map {
                WeightTrend.Sample(
                    id: row.identifier(1), day: $0, occurredAt: row.intOrNull(2),
                    grams: row.int(3))
            }
        }
        return WeightTrend(
            readings.compactMap(\.self), policy: try preferences().weighPolicy ?? .first)
    }

    /// The weigh-ins of some days, by day and time.
    package mutating func weighIns(on days: ClosedRange<Day>) throws -> [WeighIn] {
        let ids = try db.all(
            "SELECT id FROM weigh_in WHERE day BETWEEN ? AND ? ORDER BY day, at, id",
            days.lowerBound.number, days.upperBound.number
        ) { $0.identifier(0) }
        return try ids.compactMap { try entity(WeighIn.self, $0) }
    }

    /// The last weigh-in of a day or of one before it.
    package mutating func weighIn(onOrBefore day: Day) throws -> WeighIn? {
        let id = try db.first(
            "SELECT id FROM weigh_in WHERE day <= ? ORDER BY day DESC, at DESC, id DESC LIMIT 1",
            day.number
        ) { $0.identifier(0) }
        return try id.flatMap { try entity(WeighIn.self, $0) }
    }
}
