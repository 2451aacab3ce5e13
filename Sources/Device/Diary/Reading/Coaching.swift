public import MacrologNutrition
import MacrologEvents
import MacrologLog
import MacrologNutritionModels
import MacrologReadModels

/// The facts about a day for a coach, collected from everything that was recorded.
extension Diary {
    /// The facts of a moment and of its day.
    ///
    /// - Parameter instant: Milliseconds since 1970 UTC; now, when not given. Entries with a known
    ///   later time are left out.
    public func coachFacts(at instant: Int64? = nil) throws(DiaryError) -> CoachFacts {
        let instant = instant ?? now
        let day = try localDate(at: instant).day
        let offset = clock.offsetMinutes(instant)
        return try withStore { store throws(LogError) in
            let summary = try store.summary(of: day, today: day)
            let activities = try store.entities(ActivityEntry.self, on: day...day)
            let movement = try store.movement(on: day)
            let isMeasured = movement.source != nil || !movement.workouts.isEmpty
            let water = try store.hydration(on: day, today: day)
            // Shortly after midnight the last meal is one of yesterday's.
            let meals = try store.meals(on: day.advanced(by: -1)...day).filter {
                $0.meal.isConsumed
            }
            .compactMap { $0.meal.localDate.occurredAt }
            return CoachFacts(
                now: instant, minuteOfDay: WallClock.minuteOfDay(of: instant, offset: offset),
                targets: summary.targets, totals: summary.totals,
                active: isMeasured ? movement.activeMillikilocalories : nil,
                workouts: activities.filter { !movement.duplicates.contains($0.id) }
                    .map { CoachFacts.Workout($0) },
                lastMealAt: meals.filter { $0 <= instant }.max(),
                fast: try store.fasting().active(at: instant),
                hydration: water.servings > 0 || water.targetMicroliters != nil ? water : nil,
                status: try store.dayLog(on: day).status, preferences: try store.preferences())
        }
    }
}
