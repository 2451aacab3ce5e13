public import MacrologNutrition
import MacrologEvents
import MacrologLog
import MacrologNutritionModels
import MacrologReadModels

/// The facts about a day for a coach, collected from everything that was recorded.
extension Diary {
    /// The facts of a moment and of its day.
    ///
    /// - Parameters:
    ///   - instant: Milliseconds since 1970 UTC; now, when not given. Meals, drinks and activities
    ///     that are known to come later are left out, of the targets too.
    ///   - withBackground: Whether also what is known of the person around the day is collected.
    ///   - withPatterns: Whether also the eight weeks before are looked at.
    public func coachFacts(
        at instant: Int64? = nil, withBackground: Bool = false, withPatterns: Bool = false
    ) throws(DiaryError) -> CoachFacts {
        let instant = instant ?? now
        let day = try localDate(at: instant).day
        let offset = clock.offsetMinutes(instant)
        return try withStore { store throws(LogError) in
            // Shortly after midnight the last meal and the last workout are those of yesterday.
            let yesterday = day.advanced(by: -1)
            let meals = try store.meals(on: yesterday...day)
            let summary = try store.summary(of: day, until: instant, meals: meals)
            let movement = try store.movement(on: day, until: instant)
            let water = try store.hydration(beside: summary, until: instant)
            var facts = CoachFacts(
                now: instant, minuteOfDay: WallClock.minuteOfDay(of: instant, offset: offset),
                targets: summary.targets, totals: summary.totals,
                active: movement.known,
                lastMealAt: meals.compactMap { $0.meal.eatenAt(by: instant) }.max(),
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
            if withBackground {
                facts.background = try store.background(
                    of: day, at: instant, adjust: summary.targets?.computed?.adjust ?? 0,
                    steps: movement.steps)
            }
            if withPatterns {
                let past = day.advanced(by: -1).lastDays(DayPatterns.spanDays)
                facts.patterns = DayPatterns(
                    try store.summaries(of: past, today: day), streak: try store.streak(today: day))
            }
            return facts
        }
    }
}

extension Store {
    /// What is known of the person around a day at a moment.
    fileprivate mutating func background(
        of day: Day, at instant: Int64, adjust: Int64, steps: Int64?
    ) throws(LogError) -> CoachBackground {
        let profile = try profile()
        let body = try body(of: profile, on: day)
        var background = CoachBackground()
        background.resting =
            (try? RestingEnergy.estimate(for: body, formula: profile.restingFormula ?? .auto))?
            .millikilocalories
        background.age = body.age
        background.sex = body.sex
        background.steps = steps
        background.checkIn = try entity(CheckIn.self, Identities.checkIn(on: day))
        background.goal = CoachBackground.goal(
            adjust: adjust, grams: body.weightGrams, target: profile.targetWeightGrams)
        background.weightMicrogramsPerWeek = try weightTrend(through: day)
            .during(day.lastDays(28))
            .trendSlopeMicrogramsPerWeek
        for past in day.lastDays(7) {
            let duplicates = try movement(on: past, until: instant).duplicates
            for activity in try entities(ActivityEntry.self, on: past...past)
            where activity.localDate.hasCome(by: instant) && !duplicates.contains(activity.id) {
                background.workouts.append(CoachFacts.Workout(activity))
            }
        }
        let yesterday = try summary(of: day.advanced(by: -1), today: day)
        if yesterday.isLogged, yesterday.status != .skipped,
            let targets = yesterday.targets?.all
        {
            let tolerance = try preferences().goalToleranceBasisPoints ?? 500
            var (met, judged) = (Int64(0), Int64(0))
            for target in targets {
                let isMet = target.isMet(
                    by: yesterday.totals[target.nutrient] ?? 0, toleranceBasisPoints: tolerance)
                // A limit is kept only where all is known; of an empty day everything is.
                if target.direction == .max, isMet,
                    !yesterday.totals.coverage(of: target.nutrient).isComplete
                {
                    continue
                }
                judged += 1
                if isMet { met += 1 }
            }
            if judged > 0 {
                background.metYesterdayBasisPoints = Rounding.scaled(met, by: 10_000, over: judged)
            }
        }
        return background
    }
}
