import MacrologEvents

/// Everything a coach may know about a day at a moment. What is unknown is `nil`, and nothing is said
/// about it.
public struct CoachFacts: Hashable, Sendable {
    /// One workout of the day.
    package struct Workout: Hashable, Sendable {
        /// Its name: `strength training - legs`.
        package let name: String
        /// How long, in whole minutes; `nil` when unknown.
        package let minutes: Int64?
        /// When it ended, in milliseconds since 1970-01-01 UTC; `nil` when unknown.
        package let endedAt: Int64?

        /// A workout.
        package init(name: String, minutes: Int64? = nil, endedAt: Int64? = nil) {
            self.name = name
            self.minutes = minutes
            self.endedAt = endedAt
        }

        /// A workout as it was logged; it ended when it began, and its duration later.
        package init(_ activity: ActivityEntry) {
            let seconds = activity.durationSeconds
            self.init(
                name: activity.name ?? activity.type?.string ?? "movement",
                minutes: seconds.map { $0 / 60 },
                endedAt: activity.localDate.occurredAt.map {
                    Rounding.sum($0, Rounding.scaled(seconds ?? 0, by: 1_000, over: 1))
                })
        }

        /// `45 min strength training - legs`
        package var words: String { minutes.map { "\($0) min \(name)" } ?? name }
    }

    /// Now, in milliseconds since 1970-01-01 UTC.
    package var now: Int64
    /// Minutes after local midnight.
    public var minuteOfDay: Int64
    /// The day's targets; `nil` with no plan in force.
    package var targets: DayTargets?
    /// The nutrients eaten.
    package var totals: NutrientTotals
    /// Active energy, in thousandths of a kilocalorie; `nil` when unknown.
    package var active: Int64?
    /// Whether some of the day's activities are not part of the active energy, because theirs is unknown.
    package var isActivePartial = false
    /// The day's workouts, in any order.
    package var workouts: [Workout]
    /// The workouts of the day before, of which one may have ended just now, after midnight.
    package var earlierWorkouts: [Workout] = []
    /// What is known of the person around the day; `nil` where it was not asked for.
    package var background: CoachBackground?
    /// What the last weeks show; `nil` where it was not asked for.
    package var patterns: DayPatterns?
    /// When something was last eaten, in milliseconds since 1970-01-01 UTC; `nil` when unknown.
    package var lastMealAt: Int64?
    /// The fast in progress; `nil` without one.
    public var fast: Fasting.Span?
    /// Water; `nil` when it is of no interest.
    package var hydration: Hydration?
    /// What the person has said about the day's record.
    package var status: DayStatus
    /// The units in which a message is written.
    package var preferences: Preferences

    /// The facts of a day; only the moment and the nutrients eaten are required.
    package init(
        now: Int64, minuteOfDay: Int64, targets: DayTargets? = nil, totals: NutrientTotals,
        active: Int64? = nil, workouts: [Workout] = [], lastMealAt: Int64? = nil,
        fast: Fasting.Span? = nil, hydration: Hydration? = nil, status: DayStatus = .open,
        preferences: Preferences = Preferences()
    ) {
        self.now = now
        self.minuteOfDay = minuteOfDay
        self.targets = targets
        self.totals = totals
        self.active = active
        self.workouts = workouts
        self.lastMealAt = lastMealAt
        self.fast = fast
        self.hydration = hydration
        self.status = status
        self.preferences = preferences
    }

    /// How long after a workout it is spoken of: two hours, in milliseconds.
    package static let workoutWindow: Int64 = 7_200_000

    /// The workout that ended last, up to now: one of the day, or one of the day before that ended no
    /// longer than two hours ago.
    package var lastWorkout: (workout: Workout, endedAt: Int64)? {
        var found: (workout: Workout, endedAt: Int64)?
        func look(_ workouts: [Workout], from earliest: Int64) {
            for workout in workouts {
                guard let end = workout.endedAt, (earliest...now).contains(end),
                    end >= found?.endedAt ?? .min
                else { continue }
                found = (workout, end)
            }
        }
        look(earlierWorkouts, from: Rounding.sum(now, -Self.workoutWindow))
        look(workouts, from: .min)
        return found
    }

    /// A span of time in words, its largest unit only: `45 minutes`, `1 hour`, `2 days`.
    package static func words(_ milliseconds: Int64) -> String {
        let minutes = max(milliseconds, 0) / 60_000
        func count(_ number: Int64, _ unit: String) -> String {
            "\(number) \(unit)\(number == 1 ? "" : "s")"
        }
        if minutes < 60 { return count(minutes, "minute") }
        return minutes < 1_440 ? count(minutes / 60, "hour") : count(minutes / 1_440, "day")
    }
}
