public import MacrologEvents

/// Everything that is shown of one day, read from one state of the log.
public struct DayReport: Hashable, Sendable {
    /// Today, as the person counts days.
    public let today: Day
    /// When it was read, in milliseconds since 1970-01-01 UTC.
    public let instant: Int64
    /// The sums by meal slot, the goals and the status.
    public let summary: DaySummary
    /// The person's record of the day.
    public var log: DayLog
    /// The meals by time, planned ones included.
    public var meals: [MealDetail] = []
    /// Whether a newer version wrote data about the day or one of its meals that this version cannot
    /// show.
    public var isEditedByNewerVersion = false
    /// The carbohydrate without fibre and polyols of the meals that were eaten.
    public var netCarbs = NetCarbs()
    /// The scores of the meals that were eaten, by time, for the diet that the person follows; none without a diet.
    package var scores: [ScoredMeal] = []
    /// The plan, by time.
    public var plan: [PlanLine] = []
    /// The weigh-ins of the day, by time.
    public var weighIns: [WeighIn] = []
    /// The weights up to the day, smoothed.
    public var trend = WeightTrend([])
    /// What was drunk, and the target.
    public var water = Hydration(volumes: [])
    /// The energy and the steps of the day's activity, each counted once.
    public var movement = DayEnergy(activities: [], days: [])
    /// The activities, by time.
    public var activities: [ActivityEntry] = []
    /// The body fat readings, by time.
    public var bodyFat: [BodyFat] = []
    /// The body measures, by time.
    public var measures: [BodyMeasure] = []
    /// The ketone readings, by time.
    public var ketones: [Ketone] = []
    /// How the person slept and feels; `nil` when nothing was said.
    package var checkIn: CheckIn?
    /// The fasts that overlap the day.
    public var fasts: [Fast] = []
    /// The ids of fasts of the last month that overlap another one.
    public var overlappingFasts: [Identifier] = []
    /// How the person wants things shown.
    public var preferences = Preferences()
    /// What is known of the person.
    public var profile = Profile(id: Identities.profile, fields: [:])
    /// The nutrients that the person defined.
    public var customNutrients: [CustomNutrient] = []

    /// A day of which nothing but the sums is known.
    ///
    /// - Parameters:
    ///   - today: Today, as the person counts days.
    ///   - instant: When it was read, in milliseconds since 1970-01-01 UTC.
    package init(_ summary: DaySummary, today: Day, at instant: Int64) {
        self.today = today
        self.instant = instant
        self.summary = summary
        log = DayLog(on: summary.day)
    }

    /// The day that the report is about.
    public var day: Day { summary.day }

    /// By how much a goal may be missed, in basis points.
    public var toleranceBasisPoints: Int64 { preferences.goalToleranceBasisPoints ?? 500 }

    /// The nutrients whose sums the person wants to see, in the order of nutrients.
    package var pinnedNutrients: [Nutrient] {
        preferences.pinnedNutrients.compactMap { Nutrient(key: UTF8Text($0)) }.sorted()
    }

    /// Whether the person follows a diet that counts carbohydrate without fibre.
    public var countsNetCarbs: Bool {
        profile.dietType == .keto || profile.dietType == .lowCarb
    }
}

/// A plan entry as a line of a plan.
public struct PlanLine: Hashable, Sendable {
    /// The entry of the plan.
    public let entry: PlanEntry
    /// The current name of its food, recipe or template, else the name that was planned.
    public let name: String
    /// Whether a meal that exists was made from it.
    public let isDone: Bool

    /// Collects the parts.
    package init(entry: PlanEntry, name: String, isDone: Bool) {
        self.entry = entry
        self.name = name
        self.isDone = isDone
    }
}

/// A day at a glance: the day, facts for advice, and what comes next.
public struct HomeReport: Hashable, Sendable {
    /// The whole day.
    public let day: DayReport
    /// The facts of the moment from which the day is viewed.
    public let facts: CoachFacts
    /// How many days in a row were logged.
    public let streak: Streak
    /// The next reminder of the day; `nil` for none, and on any other day than today.
    public let next: NextReminder?

    /// Collects the parts.
    package init(day: DayReport, facts: CoachFacts, streak: Streak, next: NextReminder?) {
        self.day = day
        self.facts = facts
        self.streak = streak
        self.next = next
    }
}

/// Averages, rates and shares over some days.
public struct StatsReport: Hashable, Sendable {
    /// The averages, rates and shares.
    public let stats: PeriodStats
    /// The days of the span that have a summary, in order.
    public let days: [DaySummary]
    /// How many days in a row were logged up to today.
    public let streak: Streak
    /// The weights of the span, smoothed.
    public let trend: WeightTrend

    /// Collects the parts.
    package init(stats: PeriodStats, days: [DaySummary], streak: Streak, trend: WeightTrend) {
        self.stats = stats
        self.days = days
        self.streak = streak
        self.trend = trend
    }
}
