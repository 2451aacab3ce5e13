import MacrologDiary
public import MacrologEvents
public import MacrologNutrition
import MacrologReadModels

/// Reading the log back, as values.
extension Replica {
    /// One day: its sums by meal slot, its goal and its progress.
    public func summary(of day: Day) throws -> DaySummary {
        try withDiary { try $0.summary(of: day) }
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
    /// - Parameter forgiving: Whether a word that no food has matches similar words, so that
    ///   `brocoli` finds broccoli.
    public func foods(
        matching typed: String = "", limit: Int = 20, forgiving: Bool = true
    ) throws -> [Food] {
        try withDiary { try $0.foods(matching: typed, limit: limit, forgiving: forgiving) }
    }
}
