public import MacrologEvents
import MacrologLog
public import MacrologNutrition
import MacrologNutritionModels
import MacrologReadModels

/// Reading the log back, as values.
extension Diary {
    /// One day: its sums by meal slot, its goal and its progress.
    public func summary(of day: Day) throws(DiaryError) -> DaySummary {
        let today = try today()
        return try withStore { store throws(LogError) in try store.summary(of: day, today: today) }
    }

    /// The meals of a day, by time.
    public func meals(on day: Day) throws(DiaryError) -> [MealDetail] {
        try meals(on: day...day)
    }

    /// The meals of some days, by day and time.
    public func meals(on days: ClosedRange<Day>) throws(DiaryError) -> [MealDetail] {
        try withStore { store throws(LogError) in try store.meals(on: days) }
    }

    /// A meal with its items; `nil` when it does not exist or is deleted.
    public func meal(_ id: Identifier) throws(DiaryError) -> MealDetail? {
        try withStore { store throws(LogError) in try store.meal(id) }
    }

    /// An entity of a kind; `nil` when it does not exist, or is deleted and not requested.
    public func entity<E: Entity>(
        _ type: E.Type, _ id: Identifier, includingDeleted: Bool = false
    ) throws(DiaryError) -> E? {
        try withStore { store throws(LogError) in
            try store.entity(type, id, includingDeleted: includingDeleted)
        }
    }

    /// The fields of an entity of any kind as events have written them, deleted or not, with an
    /// array for each set; `nil` where nothing is known of it.
    public func fields(of entity: EntityKey) throws(DiaryError) -> ValueMap? {
        try withStore { store throws(LogError) in
            let state = try store.state(of: entity)
            guard let kind = Kind.named(entity.kind) else { return state?.allFields }
            return state?.fields(of: kind)
        }
    }

    /// Fields that another device set beyond a hard bound: stored and synced, but not used.
    ///
    /// - Returns: The entity, the name of the field in events, and what is wrong with it, without
    ///   repeating it.
    public func quarantine() throws(DiaryError) -> [(
        entity: EntityKey, field: UTF8Text, finding: String
    )] {
        try withStore { store throws(LogError) in try store.quarantine() }
            .map { ($0.entity, $0.field, $0.finding) }
    }

    /// The entries of a kind on some days, by day and time: water, ketones, fasts.
    ///
    ///     let drunk = try replica.read { try $0.entities(Water.self, on: today...today) }
    public func entities<E: DayEntry>(_ type: E.Type, on days: ClosedRange<Day>)
        throws(DiaryError) -> [E]
    {
        try withStore { store throws(LogError) in try store.entities(type, on: days) }
    }

    /// All entities of a kind that belong to no day, such as reminders, oldest first.
    public func entities<E: ListedEntity>(_ type: E.Type) throws(DiaryError) -> [E] {
        try withStore { store throws(LogError) in try store.entities(type) }
    }

    /// What a newer version of the software wrote about an entity and this version cannot show;
    /// `nil` for nothing.
    public func newerParts<E: Entity>(of type: E.Type, _ id: Identifier)
        throws(DiaryError) -> NewerParts?
    {
        try withStore { store throws(LogError) in try store.newerParts(of: E.kind, id) }
    }

    /// Averages, rates and shares over some days.
    package func stats(over days: ClosedRange<Day>) throws(DiaryError) -> PeriodStats {
        let today = try today()
        return try withStore { store throws(LogError) in try store.stats(over: days, today: today) }
    }

    /// How many days in a row were logged, up to a day: today, when not given.
    public func streak(upTo day: Day? = nil) throws(DiaryError) -> Streak {
        let today = if let day { day } else { try today() }
        return try withStore { store throws(LogError) in try store.streak(today: today) }
    }

    /// The smoothed line through all weigh-ins up to a day.
    public func weightTrend(through day: Day = .latest) throws(DiaryError) -> WeightTrend {
        try withStore { store throws(LogError) in try store.weightTrend(through: day) }
    }

    /// The weigh-ins of some days, by day and time.
    public func weighIns(on days: ClosedRange<Day>) throws(DiaryError) -> [WeighIn] {
        try withStore { store throws(LogError) in try store.weighIns(on: days) }
    }

    /// The last weigh-in up to a day.
    public func weighIn(onOrBefore day: Day) throws(DiaryError) -> WeighIn? {
        try withStore { store throws(LogError) in try store.weighIn(onOrBefore: day) }
    }

    /// The goal plans, by start.
    public func goalPlans() throws(DiaryError) -> [GoalPlan] {
        try withStore { store throws(LogError) in try store.goalPlans() }
    }

    /// A day's targets with their arithmetic, and the estimated energy expenditure.
    ///
    /// - Parameter allowsDefault: Whether 1,800 kcal replace a resting energy that cannot be
    ///   computed.
    public func targets(
        on day: Day, allowsDefault: Bool = false
    ) throws(DiaryError) -> TargetReport {
        let today = try today()
        return try withStore { store throws(LogError) in
            try store.targets(on: day, today: today, allowsDefault: allowsDefault)
        }
    }

    /// What is known of the person: body, diet, wishes. Nothing in a new log.
    public func profile() throws(DiaryError) -> Profile {
        try withStore { store throws(LogError) in try store.profile() }
    }

    /// What was recorded about a day.
    public func dayLog(on day: Day) throws(DiaryError) -> DayLog {
        try withStore { store throws(LogError) in try store.dayLog(on: day) }
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
    ) throws(DiaryError) -> [Food] {
        let today = try today()
        return try withStore { store throws(LogError) in
            try store.foods(
                matching: typed, limit: max(0, limit), today: today, forgiving: forgiving)
        }
    }
}
