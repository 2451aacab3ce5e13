import MacrologEvents
public import MacrologNutrition

/// The input of a model about a day: AirFit's JSON, with its keys in its order.
///
///     { "baseCalories": 2100, "activeCaloriesEarned": 450, "totalTarget": 2550,
///       "currentIntake": { "calories": 1200, "protein": 85, "carbs": 150, "fat": 40 },
///       "workoutsToday": ["45 min strength training - legs"],
///       "lastMealTime": "2 hours ago", "timeSinceWorkout": "1 hour" }
///
/// Kilocalories and grams are whole numbers, half to even. An unknown value is null, never a guess.
public struct CoachContext: Hashable, Sendable {
    /// A value of the JSON.
    indirect enum Node: Hashable, Sendable {
        /// Unknown.
        case null
        /// A whole number.
        case number(Int64)
        /// Thousandths.
        case thousandths(Int64)
        /// A text.
        case text(String)
        /// Texts in order.
        case list([String])
        /// Values by key, in order.
        case object([Entry])
    }

    /// A key and its value.
    struct Entry: Hashable, Sendable {
        /// The key.
        let key: String
        /// The value.
        let value: Node
    }

    /// The keys and values in order.
    let entries: [Entry]

    /// Makes the context from the facts of a day.
    public init(_ facts: CoachFacts) {
        func whole(_ stored: Int64?) -> Node {
            stored.map { .number(Rounding.scaled($0, by: 1, over: 1_000)) } ?? .null
        }
        func eaten(_ nutrient: Nutrient) -> Node {
            whole(facts.totals[nutrient] ?? (facts.totals.parts == 0 ? 0 : nil))
        }
        let computed = facts.targets?.computed
        entries = [
            Entry(key: "baseCalories", value: whole(computed?.base)),
            Entry(key: "activeCaloriesEarned", value: whole(facts.active ?? computed?.active)),
            Entry(key: "totalTarget", value: whole(facts.targets?[.energy]?.amount)),
            Entry(
                key: "currentIntake",
                value: .object([
                    Entry(key: "calories", value: eaten(.energy)),
                    Entry(key: "protein", value: eaten(.protein)),
                    Entry(key: "carbs", value: eaten(.carbs)),
                    Entry(key: "fat", value: eaten(.fat)),
                ])),
            Entry(key: "workoutsToday", value: .list(facts.workouts.map { $0.words })),
            Entry(
                key: "lastMealTime",
                value: facts.lastMealAt.map {
                    .text(CoachFacts.words(Rounding.sum(facts.now, -max($0, -.max))) + " ago")
                } ?? .null),
            Entry(
                key: "timeSinceWorkout",
                value: facts.lastWorkout.map {
                    .text(CoachFacts.words(Rounding.sum(facts.now, -max($0.endedAt, -.max))))
                } ?? .null),
        ]
    }

    /// The wider context of AirFit's second design: the keys of its `NutritionContext` in their order.
    ///
    ///     { "bmr": 1850, "age": 28, "biologicalSex": "male",
    ///       "weeklyWorkouts": ["45 min strength training - legs"],
    ///       "todaysActivity": { "activeCalories": 450, "workouts": ["45 min strength training - legs"] },
    ///       "stepCount": 10000, "hrv": 62.5, "sleepHours": 7.5, "sleepQuality": null,
    ///       "muscleSoreness": { "overall": 2 }, "primaryGoal": "muscle_gain", "weeklyWeightChange": 0.227,
    ///       "energyLevels": "normal", "mealTimingPreference": null, "previousDayCompliance": 75 }
    ///
    /// The change of the weight is in kilograms a week. The share of the targets of the day before that were met
    /// is in percent. The check-in of the day says the variability of the heart rate in milliseconds, sleep, soreness
    /// from 1 to 5, and energy. What a log does not hold is null.
    public init(wide facts: CoachFacts) {
        let known = facts.background
        func whole(_ stored: Int64?, _ scale: Int64 = 1_000) -> Node {
            stored.map { .number(Rounding.scaled($0, by: 1, over: scale)) } ?? .null
        }
        let sex: String? = known?.sex.flatMap { $0 == .unspecified ? nil : $0.name.string }
        let goal: String? = known?.goal.map { $0 == .fatLoss ? "fat_loss" : "muscle_gain" }
        entries = [
            Entry(key: "bmr", value: whole(known?.resting)),
            Entry(key: "age", value: whole(known?.age.map { Int64($0) }, 1)),
            Entry(key: "biologicalSex", value: sex.map { .text($0) } ?? .null),
            Entry(key: "weeklyWorkouts", value: .list((known?.workouts ?? []).map { $0.words })),
            Entry(
                key: "todaysActivity",
                value: .object([
                    Entry(key: "activeCalories", value: whole(facts.active)),
                    Entry(key: "workouts", value: .list(facts.workouts.map { $0.words })),
                ])),
            Entry(key: "stepCount", value: whole(known?.steps, 1)),
            Entry(
                key: "hrv",
                value: known?.checkIn?.variabilityMicroseconds.map { .thousandths($0) } ?? .null),
            Entry(
                key: "sleepHours",
                value: known?.checkIn?.sleepMinutes.map {
                    .thousandths(Rounding.scaled($0, by: 1_000, over: 60))
                } ?? .null),
            Entry(key: "sleepQuality", value: .null),
            Entry(
                key: "muscleSoreness",
                value: known?.checkIn?.soreness.map {
                    .object([Entry(key: "overall", value: .number($0))])
                } ?? .null),
            Entry(key: "primaryGoal", value: goal.map { .text($0) } ?? .null),
            Entry(
                key: "weeklyWeightChange",
                value: known?.weightMicrogramsPerWeek.map {
                    .thousandths(Rounding.scaled($0, by: 1, over: 1_000_000))
                } ?? .null),
            Entry(
                key: "energyLevels",
                value: known?.checkIn?.energyLevel.map { .text(Self.energy($0)) } ?? .null),
            Entry(key: "mealTimingPreference", value: .null),
            Entry(
                key: "previousDayCompliance", value: whole(known?.metYesterdayBasisPoints, 100)),
        ]
    }

    /// The earlier systems' word for how energetic a person feels, from 1 to 5.
    private static func energy(_ level: Int64) -> String {
        switch level {
        case ...1: "fatigued"
        case 2: "low"
        case 3: "normal"
        default: "high"
        }
    }
}
