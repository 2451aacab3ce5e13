public import MacrologNutrition
import MacrologLog
import MacrologNutritionModels
import MacrologReadModels

/// Whole screens, each from one state of the log.
extension Diary {
    /// Everything that is shown of one day.
    ///
    /// - Parameter instant: Milliseconds since 1970 UTC; now, when not given. Its day is today.
    public func dayReport(of day: Day, at instant: Int64? = nil) throws(DiaryError)
        -> DayReport
    {
        let instant = instant ?? now
        let today = try localDate(at: instant).day
        let clock = clock
        return try withStore { store throws(LogError) in
            var report = DayReport(
                try store.summary(of: day, today: today), today: today, at: instant)
            try store.addPerson(to: &report)
            try store.addMeals(to: &report)
            try store.addBody(to: &report)
            try store.addFasts(to: &report, clock)
            return report
        }
    }

    /// A day at a glance.
    ///
    /// - Parameter instant: The moment from which the day is viewed, in milliseconds since 1970 UTC;
    ///   see ``moment(of:)`` when not given.
    public func homeReport(of day: Day, at instant: Int64? = nil) throws(DiaryError)
        -> HomeReport
    {
        let report = try dayReport(of: day, at: instant)
        let moment = if let instant { instant } else { try moment(of: day) }
        let next = try day == report.today ? nextReminder(after: moment) : nil
        return HomeReport(
            day: report, facts: try coachFacts(at: moment),
            streak: try withStore { store throws(LogError) in try store.streak(today: day) },
            next: next?.moment.day(beginningAt: report.preferences.dayStartMinutes ?? 0) == day
                ? next : nil)
    }

    /// Averages, rates and shares over some days.
    ///
    /// - Parameter instant: Milliseconds since 1970 UTC; now, when not given. Its day is today.
    public func statsReport(
        over days: ClosedRange<Day>, at instant: Int64? = nil
    ) throws(DiaryError) -> StatsReport {
        let today = try localDate(at: instant).day
        return try withStore { store throws(LogError) in
            let summaries = try store.summaries(of: days, today: today)
            return StatsReport(
                stats: PeriodStats(days, summaries: summaries, today: today), days: summaries,
                streak: try store.streak(today: min(today, days.upperBound)),
                trend: try store.weightTrend(through: days.upperBound).during(days))
        }
    }

    /// The plan of some days, by day and time, each entry with its current name.
    public func planLines(on days: ClosedRange<Day>) throws(DiaryError) -> [PlanLine] {
        try withStore { store throws(LogError) in try store.planLines(on: days) }
    }

    /// An entry as a line of its plan.
    public func planLine(of entry: PlanEntry) throws(DiaryError) -> PlanLine {
        try withStore { store throws(LogError) in try store.planLine(of: entry) }
    }
}

extension Store {
    fileprivate mutating func addPerson(to report: inout DayReport) throws(LogError) {
        report.preferences = try preferences()
        report.profile = try profile()
        report.customNutrients = try entities(CustomNutrient.self)
    }

    fileprivate mutating func addMeals(to report: inout DayReport) throws(LogError) {
        let span = report.day...report.day
        report.meals = try meals(on: span)
        report.log = try dayLog(on: report.day)
        report.isEditedByNewerVersion =
            try newerParts(of: DayLog.kind, report.log.id) != nil
            || report.meals.contains { $0.isEditedByNewerVersion }
        report.netCarbs = try netCarbs(of: report.meals.filter { $0.meal.isConsumed })
        report.scores = try dietScores(of: report.meals, for: nil, shares: nil)
        report.plan = try planLines(on: span)
    }

    fileprivate mutating func addBody(to report: inout DayReport) throws(LogError) {
        let span = report.day...report.day
        report.weighIns = try weighIns(on: span)
        report.trend = try weightTrend(through: report.day)
        report.water = try hydration(beside: report.summary)
        report.movement = try movement(on: report.day)
        report.activities = try entities(ActivityEntry.self, on: span)
        report.bodyFat = try entities(BodyFat.self, on: span)
        report.measures = try entities(BodyMeasure.self, on: span)
        report.ketones = try entities(Ketone.self, on: span)
        report.checkIn = try entities(CheckIn.self, on: span).first
    }

    /// A fast is rarely longer than a week, but one that was not ended may be.
    fileprivate mutating func addFasts(
        to report: inout DayReport, _ clock: DeviceClock
    ) throws(LogError) {
        let (day, today) = (report.day, report.today)
        let dayStart = report.preferences.dayStartMinutes ?? 0
        let near = try fasts(on: day.lastDays(31))
        report.fasts = near.filter { fast in
            let first = fast.day(from: dayStart)
            guard !fast.isCancelled else { return false }
            guard let end = fast.endedAt else { return first == day || day <= today }
            let last = Day(
                instant: end, offsetMinutes: clock.offsetMinutes(end), dayStartMinutes: dayStart)
            return day <= last ?? first
        }
        report.overlappingFasts = Fasting(near).overlapping(at: report.instant).map { $0.id }
    }

    fileprivate mutating func planLines(on days: ClosedRange<Day>) throws(LogError) -> [PlanLine] {
        var lines: [PlanLine] = []
        for entry in try entities(PlanEntry.self, on: days) {
            lines.append(try planLine(of: entry))
        }
        return lines
    }

    fileprivate mutating func planLine(of entry: PlanEntry) throws(LogError) -> PlanLine {
        var name = entry.name
        if let id = entry.recipeID { name = try entity(Recipe.self, id)?.name ?? name }
        if let id = entry.foodID, name == nil { name = try entity(Food.self, id)?.name }
        if let id = entry.templateID { name = try entity(MealTemplate.self, id)?.name ?? name }
        // The meal may exist although the plan does not name it: another device made it too, and its
        // undo cleared the name last.
        var isDone = try entity(Meal.self, Identities.plannedMeal(of: entry.id)) != nil
        if !isDone, let meal = entry.doneMealID { isDone = try entity(Meal.self, meal) != nil }
        return PlanLine(entry: entry, name: name ?? "Meal", isDone: isDone)
    }
}
