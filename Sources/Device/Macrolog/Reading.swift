import MacrologDiary
public import MacrologEvents
public import MacrologNutrition
import MacrologNutritionModels
import MacrologReadModels

/// Reading the log back, as values.
extension Replica {
    /// One day: its sums by meal slot, its goal and its progress.
    public func summary(of day: Day) throws -> DaySummary {
        try withDiary { try $0.summary(of: day) }
    }

    /// Everything that is shown of one day, from one state of the log.
    ///
    /// - Parameter instant: Milliseconds since 1970 UTC; now, when not given. Its day is today.
    public func dayReport(of day: Day, at instant: Int64? = nil) throws -> DayReport {
        try withDiary { try $0.dayReport(of: day, at: instant) }
    }

    /// A day at a glance, from one state of the log.
    ///
    /// - Parameter instant: The moment from which the day is viewed, in milliseconds since 1970 UTC;
    ///   see ``moment(of:)`` when not given.
    public func homeReport(of day: Day, at instant: Int64? = nil) throws -> HomeReport {
        try withDiary { try $0.homeReport(of: day, at: instant) }
    }

    /// Averages, rates and shares over some days, from one state of the log.
    ///
    /// - Parameter instant: Milliseconds since 1970 UTC; now, when not given. Its day is today.
    public func statsReport(over days: ClosedRange<Day>, at instant: Int64? = nil) throws
        -> StatsReport
    {
        try withDiary { try $0.statsReport(over: days, at: instant) }
    }

    /// The moment from which a day is viewed, in milliseconds since 1970 UTC: now if the day is
    /// today, otherwise the end of a past day or the beginning of a later one.
    public func moment(of day: Day) throws -> Int64 {
        try withDiary { try $0.moment(of: day) }
    }

    /// The plan of some days, by day and time, each entry with its current name.
    public func planLines(on days: ClosedRange<Day>) throws -> [PlanLine] {
        try withDiary { try $0.planLines(on: days) }
    }

    /// An entry as a line of its plan.
    public func planLine(of entry: PlanEntry) throws -> PlanLine {
        try withDiary { try $0.planLine(of: entry) }
    }

    /// The meals of a day, by time.
    public func meals(on day: Day) throws -> [MealDetail] {
        try withDiary { try $0.meals(on: day) }
    }

    /// The meals of some days, by day and time.
    public func meals(on days: ClosedRange<Day>) throws -> [MealDetail] {
        try withDiary { try $0.meals(on: days) }
    }

    /// A meal with its items; `nil` when it does not exist or is deleted.
    public func meal(_ id: Identifier) throws -> MealDetail? {
        try withDiary { try $0.meal(id) }
    }

    /// An entity of any kind; `nil` when it does not exist or is deleted.
    public func entity<E: Entity>(_ type: E.Type, _ id: Identifier) throws -> E? {
        try withDiary { try $0.entity(type, id) }
    }

    /// The entries of a kind on some days, by day and time: water, ketones, fasts.
    ///
    ///     let drunk = try replica.entities(Water.self, on: today...today)
    public func entities<E: DayEntry>(_ type: E.Type, on days: ClosedRange<Day>) throws -> [E] {
        try withDiary { try $0.entities(type, on: days) }
    }

    /// All entities of a kind that belong to no day, such as reminders, oldest first.
    public func entities<E: ListedEntity>(_ type: E.Type) throws -> [E] {
        try withDiary { try $0.entities(type) }
    }

    /// What a newer version of the software wrote about an entity and this version cannot show;
    /// `nil` for nothing.
    public func newerParts<E: Entity>(of type: E.Type, _ id: Identifier) throws -> NewerParts? {
        try withDiary { try $0.newerParts(of: type, id) }
    }

    /// Averages, rates and shares over some days.
    public func stats(over days: ClosedRange<Day>) throws -> PeriodStats {
        try withDiary { try $0.stats(over: days) }
    }

    /// How many days in a row were logged.
    public func streak() throws -> Streak {
        try withDiary { try $0.streak() }
    }

    /// The smoothed line through all weigh-ins up to a day.
    public func weightTrend(through day: Day = .latest) throws -> WeightTrend {
        try withDiary { try $0.weightTrend(through: day) }
    }

    /// The weigh-ins of some days, by day and time.
    public func weighIns(on days: ClosedRange<Day>) throws -> [WeighIn] {
        try withDiary { try $0.weighIns(on: days) }
    }

    /// The goal plans, by start.
    public func goalPlans() throws -> [GoalPlan] {
        try withDiary { try $0.goalPlans() }
    }

    /// A day's targets with their arithmetic, and the estimated energy expenditure.
    public func targets(on day: Day) throws -> TargetReport {
        try withDiary { try $0.targets(on: day) }
    }

    /// The person.
    public func profile() throws -> Profile {
        try withDiary { try $0.profile() }
    }

    /// How the person wants things shown.
    public func preferences() throws -> Preferences {
        try withDiary { try $0.preferences() }
    }

    /// What was recorded about a day.
    public func dayLog(on day: Day) throws -> DayLog {
        try withDiary { try $0.dayLog(on: day) }
    }

    /// The foods that match a typed text, best first: by how well the name fits, how often and how
    /// recently each was logged, favourites first; all foods for an empty text. Each word may be a
    /// prefix, accents and letter case do not matter, and the digits of a barcode find the food
    /// that has it.
    ///
    /// - Parameters:
    ///   - typed: What was typed so far.
    ///   - limit: The maximum number of foods.
    ///   - forgiving: Whether a word that no food has matches similar words, so that `brocoli` finds
    ///     broccoli.
    public func foods(
        matching typed: String = "", limit: Int = 20, forgiving: Bool = true
    ) throws -> [Food] {
        try withDiary { try $0.foods(matching: typed, limit: limit, forgiving: forgiving) }
    }
}

/// The facts about a day for a coach, collected from everything that was recorded.
extension Replica {
    /// The facts of a moment and of its day.
    ///
    /// - Parameter instant: Milliseconds since 1970 UTC; now, when not given. Entries with a known
    ///   later time are left out.
    public func coachFacts(at instant: Int64? = nil) throws -> CoachFacts {
        try withDiary { try $0.coachFacts(at: instant) }
    }
}

extension Replica {
    /// The explanation of each known total of a day, in the order of nutrients.
    public func explain(_ day: Day) throws -> [Explanation] {
        try withDiary { try $0.explain(day) }
    }
}

/// How a food was logged, and changing logged items if the person requests it.
extension Replica {
    /// How much of a food was logged last, as a suggestion for the next entry. `nil` when it never
    /// was.
    public func lastPortion(of food: Identifier) throws -> Amount? {
        try withDiary { try $0.lastPortion(of: food) }
    }

    /// The foods that were eaten recently in a meal slot, such as `breakfast`: the latest first,
    /// then the more frequent; in any slot if none is given.
    public func recentFoods(in slot: Text? = nil, limit: Int = 20) throws -> [Food] {
        try withDiary { try $0.recentFoods(in: slot, limit: limit) }
    }

    /// Gives the items that were logged from a food, from a day on, the food's current numbers for
    /// their amounts. Meals keep the numbers of the time when they were logged; this is the
    /// explicit exception, and one action: one undo reverses all of it.
    ///
    /// - Parameters:
    ///   - food: The food's id.
    ///   - day: The first day whose items are changed.
    ///   - isForecast: Whether to record nothing.
    /// - Throws: ``EntryError`` with code `notFound` or `deleted` when there is no such food.
    public func applyToHistory(
        _ food: Identifier, from day: Day, isForecast: Bool = false
    ) throws -> FoodHistory {
        try withDiary { try $0.applyToHistory(food, from: day, isForecast: isForecast) }
    }
}

/// How meals fit a diet, and what is eaten most.
extension Replica {
    /// A meal's score; `nil` when there is no such meal.
    ///
    /// - Parameters:
    ///   - id: The meal's id.
    ///   - diet: The diet.
    ///   - shares: The desired shares of energy, for a custom diet.
    public func dietScore(
        ofMeal id: Identifier, for diet: DietType, shares: MacroShares? = nil
    ) throws -> ScoredMeal? {
        try withDiary { try $0.dietScore(ofMeal: id, for: diet, shares: shares) }
    }

    /// The scores of the meals of some days, by day and time. Only what was eaten is scored.
    ///
    /// - Parameters:
    ///   - days: The first and the last day.
    ///   - diet: The diet.
    ///   - shares: The desired shares of energy, for a custom diet.
    public func dietScores(
        on days: ClosedRange<Day>, for diet: DietType, shares: MacroShares? = nil
    ) throws -> [ScoredMeal] {
        try withDiary { try $0.dietScores(on: days, for: diet, shares: shares) }
    }

    /// The carbohydrate of a meal without fibre and polyols, for the share that was eaten.
    public func netCarbs(of meal: MealDetail) throws -> NetCarbs {
        try withDiary { try $0.netCarbs(of: meal) }
    }

    /// What was eaten on some days, food by food, in no particular order.
    public func foodTallies(on days: ClosedRange<Day>) throws -> [FoodTally] {
        try withDiary { try $0.foodTallies(on: days) }
    }
}

/// Reminders: what is due at a moment, and which reminders this device has already shown.
extension Replica {
    /// The reminders that are due.
    ///
    /// Returns the same reminders again until ``markReminded(_:)`` is called. Times are local
    /// times: one that is skipped when clocks are put forward is due afterwards, and one that comes
    /// twice when they are put back is due once.
    ///
    /// - Parameters:
    ///   - instant: Milliseconds since 1970 UTC; now, when not given.
    ///   - sinceLast: Whether to return everything that came due since this device's last check, at
    ///     most one day; otherwise only this minute.
    public func dueReminders(
        at instant: Int64? = nil, sinceLast: Bool = true
    ) throws -> DueReminders {
        try withDiary { try $0.dueReminders(at: instant, sinceLast: sinceLast) }
    }

    /// Stores, on this device, that the person was reminded.
    public func markReminded(_ due: DueReminders) throws {
        try withDiary { try $0.markReminded(due) }
    }

    /// The next time of each active reminder after a moment. Whether it is then skipped, because
    /// the meal is logged, is decided at that time.
    ///
    /// - Parameter instant: Milliseconds since 1970 UTC; now, when not given.
    public func nextReminder(
        after instant: Int64? = nil
    ) throws -> NextReminder? {
        try withDiary { try $0.nextReminder(after: instant) }
    }
}

/// The last hexadecimal digits of ids, as people type them. Ids begin with their time, so those of
/// one day have a common beginning; their ends are random.
extension Replica {
    /// The shortest end of each id, of at least four digits, that no other entity of the kind has.
    /// Deleted entities are ignored.
    package func shortIDs(
        of kind: Kind, for ids: [Identifier]
    ) throws -> [Identifier: String] {
        try withDiary { try $0.shortIDs(of: kind, for: ids) }
    }

    /// The entities of a kind whose ids end with these hexadecimal digits.
    ///
    /// - Parameters:
    ///   - digits: Hexadecimal digits, in either case; hyphens do not matter.
    ///   - includingDeleted: Whether deleted entities count too.
    package func ids(
        of kind: Kind, endingIn digits: String, includingDeleted: Bool = false
    ) throws -> [Identifier] {
        try withDiary { try $0.ids(of: kind, endingIn: digits, includingDeleted: includingDeleted) }
    }
}

/// What is in the file, in numbers.
extension Replica {
    /// Counts what is in the file.
    package func statistics() throws -> LogStatistics {
        try withDiary { try $0.statistics() }
    }

    /// The digests by which two devices compare what they hold: of the log up to the cursor, and of
    /// what each day shows.
    package func digests() throws -> (
        cursor: Int64, log: [UInt8], days: [(day: Day, digest: [UInt8])]
    ) {
        try withDiary { try $0.digests() }
    }
}
