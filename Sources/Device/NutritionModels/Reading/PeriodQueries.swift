package import MacrologLog
package import MacrologNutrition
package import MacrologReadModels
import MacrologSQLite

/// Reading spans of days.
extension Store {
    /// Averages, rates and shares over some days.
    package mutating func stats(over days: ClosedRange<Day>, today: Day) throws(LogError)
        -> PeriodStats
    {
        PeriodStats(days, summaries: try summaries(of: days, today: today), today: today)
    }

    /// How many consecutive days were logged.
    package mutating func streak(today: Day) throws(LogError) -> Streak {
        var logged = try days("SELECT day FROM consumed_day")
        logged += try days("SELECT day FROM day_log WHERE status = 'complete'")
        let skipped = try days("SELECT day FROM day_log WHERE status = 'skipped'")
        return Streak(logged: logged, skipped: skipped, today: today)
    }

    private mutating func days(_ sql: StaticString) throws(LogError) -> [Day] {
        try db.all(sql) { Day(number: $0.int(0)) }.compactMap { $0 }
    }
}
