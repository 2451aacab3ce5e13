public import MacrologNutrition
import MacrologEvents
import MacrologLog
import MacrologNutritionModels
import MacrologReadModels

/// The facts about a day for a coach, collected from everything that was recorded.
extension Diary {
    /// The facts of a moment and of its day.
    ///
    /// - Parameter instant: Milliseconds since 1970 UTC; now, when not given. Meals, drinks and
    ///   activities that are known to come later are left out, of the targets too.
    public func coachFacts(at instant: Int64? = nil) throws(DiaryError) -> CoachFacts {
        let instant = instant ?? now
        let day = try localDate(at: instant).day
        let offset = clock.offsetMinutes(instant)
        return try withStore { store throws(LogError) in
            // Shortly after midnight the last meal and the last workout are those of yesterday.
            let yesterday = day.advanced(by: -1)
            let meals = try store.meals(on: yesterday...day)
            let summary = try store.summary(of: day, until: instant, meals: meals)
            let movement = try store.movement(on: day, until: instant)
            let isMeasured = movement.source != nil || !movement.workouts.isEmpty
            let water = try store.hydration(beside: summary, until: instant)
            var facts = CoachFacts(
                now: instant, minuteOfDay: WallClock.minuteOfDay(of: instant, offset: offset),
                targets: summary.targets, totals: summary.totals,
                active: isMeasured ? movement.activeMillikilocalories : nil,
                lastMealAt: meals.filter { $0.meal.isConsumed }
                    .compactMap { $0.meal.localDate.occurredAt }.filter { $0 <= instant }.max(),
                fast: try store.fasting().active(at: instant),
                hydration: water.servings > 0 || water.targetMicroliters != nil ? water : nil,
                status: try store.dayLog(on: day).status, preferences: try store.preferences())
            facts.isActivePartial = movement.source == nil && !movement.unknown.isEmpty
            for activity in try store.entities(ActivityEntry.self, on: yesterday...day)
            where activity.localDate.hasCome(by: instant) {
                if activity.day == yesterday {
                    facts.earlierWorkouts.append(CoachFacts.Workout(activity))
                } else if !movement.duplicates.contains(activity.id) {
                    facts.workouts.append(CoachFacts.Workout(activity))
                }
            }
            return facts
        }
    }
}
