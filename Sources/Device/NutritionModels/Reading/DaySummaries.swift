package import MacrologLog
package import MacrologNutrition
package import MacrologReadModels
import MacrologSQLite

/// Reading days.
extension Store {
    /// One day as a whole.
    package mutating func summary(of day: Day, today: Day) throws(LogError) -> DaySummary {
        let found = try summaries(of: day...day, today: today)
        return found.first ?? DaySummary(day: day, meals: [], today: today)
    }

    /// The days of a span that have a meal, a status or an active plan, in order.
    package mutating func summaries(
        of days: ClosedRange<Day>, today: Day
    ) throws(LogError) -> [DaySummary] {
        let contributions = try contributions(on: days)
        let logs = try dayLogs(on: days)
        let plans = try plansInForce(on: days)
        let tolerance = try preferences().goalToleranceBasisPoints ?? 500
        var summaries: [DaySummary] = []
        for day in days {
            let (meals, log) = (contributions[day], logs[day])
            let targets = try plans.targets(on: day, today: today, in: &self)
            guard meals != nil || log != nil || targets != nil else { continue }
            summaries.append(
                DaySummary(
                    day: day, meals: meals ?? [], status: log?.status ?? .open,
                    verdict: log?.verdict ?? .none, targets: targets, today: today,
                    toleranceBasisPoints: tolerance))
        }
        return summaries
    }
}
