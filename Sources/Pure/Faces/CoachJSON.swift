import MacrologEvents
public import MacrologJSON
public import MacrologNutrition

extension CoachMessage {
    /// The advice and its topic.
    public var json: JSON {
        .object([JSON.Member("topic", .string(topic.name)), JSON.Member("text", .string(text))])
    }
}

extension CoachContext {
    /// The document that a model reads, with the keys of AirFit.
    public var json: JSON { Self.json(.object(entries)) }

    /// The same facts by the convention of `--json`.
    public var factsJSON: JSON { Self.facts(.object(entries)) }

    private static let keys = [
        "baseCalories": "base_kcal", "activeCaloriesEarned": "active_kcal",
        "totalTarget": "target_kcal", "currentIntake": "eaten", "calories": "energy_kcal",
        "protein": "protein_g", "carbs": "carbs_g", "fat": "fat_g", "workoutsToday": "workouts",
        "lastMealTime": "last_meal", "timeSinceWorkout": "since_workout",
        "bmr": "resting_kcal", "age": "age_years", "biologicalSex": "sex",
        "weeklyWorkouts": "week_workouts", "todaysActivity": "activity_today",
        "activeCalories": "active_kcal", "stepCount": "steps", "hrv": "hrv_ms",
        "overall": "soreness", "sleepHours": "sleep_hours",
        "sleepQuality": "sleep_quality", "muscleSoreness": "muscle_soreness",
        "primaryGoal": "body_aim", "weeklyWeightChange": "slope_kg_per_week",
        "energyLevels": "energy_levels", "mealTimingPreference": "meal_timing",
        "previousDayCompliance": "met_percent",
    ]

    private static func facts(_ node: Node) -> JSON {
        guard case .object(let entries) = node else { return json(node) }
        return .object(entries.map { JSON.Member(keys[$0.key] ?? $0.key, facts($0.value)) })
    }

    private static func json(_ node: Node) -> JSON {
        switch node {
        case .null: .null
        case .number(let number): .integer(number)
        case .thousandths(let number): .decimal(number, scale: 3)
        case .text(let text): .string(text)
        case .list(let texts): .strings(texts)
        case .object(let entries): .object(entries.map { JSON.Member($0.key, json($0.value)) })
        }
    }
}

extension Reminder {
    /// The reminder with its time and its days.
    public var json: JSON {
        .object([
            JSON.Member("id", .id(id)), JSON.Member("kind", .optional(subject?.name.string)),
            JSON.Member("time", .string(clockText(minute))),
            JSON.Member("weekdays", .weekdays(weekdays)),
            JSON.Member("slot", .optional(slot?.string)),
            JSON.Member("only_if_missing", .bool(onlyIfMissing)),
            JSON.Member("enabled", .bool(isEnabled)),
        ])
    }
}

extension DueReminders.Due {
    /// The reminder that is due, with what to say.
    ///
    /// - Parameter slots: The meal slots of the person.
    public func json(slots: [MealSlot]) -> JSON {
        .object([
            JSON.Member("id", .id(id)), JSON.Member("kind", .text(subject.name)),
            JSON.Member("day", .day(moment.day)),
            JSON.Member("time", .string(clockText(moment.minute))),
            JSON.Member("slot", .optional(slot?.string)),
            JSON.Member("text", .string(text(slots: slots))),
        ])
    }
}
