import MacrologEvents
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

    /// One day as it is known at a moment: what is known to come later is left out.
    ///
    /// - Parameters:
    ///   - instant: Milliseconds since 1970 UTC.
    ///   - meals: The meals of the day, and others.
    package mutating func summary(
        of day: Day, until instant: Int64, meals: [MealDetail]
    ) throws(LogError) -> DaySummary {
        let log = try dayLog(on: day)
        let plans = try plansInForce(on: day...day, until: instant)
        let come = meals.filter { $0.meal.localDate.day == day && $0.meal.hasCome(by: instant) }
        return DaySummary(
            day: day,
            meals: come.map { detail in
                DaySummary.Contribution(
                    slot: detail.meal.slot ?? "", isConsumed: detail.meal.isConsumed,
                    totals: detail.totals)
            }, status: log.status, verdict: log.goalOverride ?? .none,
            targets: try plans.targets(on: day, today: day, in: &self), today: day,
            toleranceBasisPoints: try preferences().goalToleranceBasisPoints ?? 500)
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
