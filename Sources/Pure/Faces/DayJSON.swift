package import MacrologEvents
package import MacrologJSON
package import MacrologNutrition

/// Days as JSON.
package enum DayJSON {
    /// A whole day.
    ///
    /// - Parameters:
    ///   - log: The person's record of the day.
    ///   - meals: Its meals, planned ones included.
    ///   - isEditedByNewerVersion: Whether a newer version wrote about the day or one of its meals.
    ///   - netCarbs: The sum of the meals that were eaten.
    ///   - pinned: The nutrients whose sums the person wants to see, in their order.
    ///   - tolerance: By how much a goal may be missed, in basis points.
    ///   - plan: The lines of its plan; see ``PlanEntry/json(name:isDone:)``.
    ///   - trend: The weights up to the day.
    ///   - body: See ``body(water:movement:activities:fat:measures:ketones:fasts:at:)``.
    package static func day(
        _ summary: DaySummary, log: DayLog, meals: [MealDetail], isEditedByNewerVersion: Bool,
        netCarbs: NetCarbs, pinned: [Nutrient], tolerance: Int64, plan: [JSON],
        weighIns: [WeighIn], trend: WeightTrend, body: [JSON.Member]
    ) -> JSON {
        .object([
            JSON.Member("day", .day(summary.day)),
            JSON.Member("status", .text(summary.status.name)),
            JSON.Member("goal_status", .optional(summary.goalStatus?.name.string)),
            JSON.Member("note", .optional(log.note)),
            JSON.Member("edited_by_newer_version", .bool(isEditedByNewerVersion)),
            JSON.Member("totals", summary.totals.json), netCarbs.member,
            JSON.Member("planned", summary.planned.json),
            JSON.Member(
                "slots",
                .array(
                    summary.slots.map {
                        .object([
                            JSON.Member("slot", .text($0.key)),
                            JSON.Member("totals", $0.totals.json),
                        ])
                    })),
            JSON.Member("goals", goals(summary, tolerance: tolerance)),
            JSON.Member("meals", .array(meals.map { $0.json })),
            JSON.Member("plan", .array(plan)),
            JSON.Member("pinned_sums", sums(of: pinned, in: summary.totals)),
            JSON.Member("weigh_ins", .array(weighIns.map { $0.json })),
            JSON.Member(
                "weight_trend_kg",
                trend.points.last.map { .decimal($0.trendGrams, scale: 3) } ?? .null),
        ]).adding(body)
    }

    /// The members of a day besides its meals and weights.
    ///
    /// - Parameters:
    ///   - fasts: The fasts that overlap the day.
    ///   - now: Milliseconds since 1970 UTC.
    package static func body(
        water: Hydration, movement: DayEnergy, activities: [Activity], fat: [BodyFat],
        measures: [BodyMeasure], ketones: [Ketone], fasts: [Fast], at now: Int64
    ) -> [JSON.Member] {
        let hasWater = water.servings > 0 || water.targetMicroliters != nil
        let hasMoved = !activities.isEmpty || movement.steps != nil || movement.source != nil
        return [
            JSON.Member("water", hasWater ? water.json : .null),
            JSON.Member("movement", hasMoved ? .object(movement.members) : .null),
            JSON.Member("activities", .array(activities.map { $0.json })),
            JSON.Member("body_fat", .array(fat.map { $0.json })),
            JSON.Member("measures", .array(measures.map { $0.json })),
            JSON.Member("ketones", .array(ketones.map { $0.json })),
            JSON.Member("fasts", .array(fasts.map { $0.json(at: now) })),
        ]
    }

    private static func sums(of pinned: [Nutrient], in totals: NutrientTotals) -> JSON {
        let own = pinned.filter { $0.isOwn }.map { $0.ownJSON(totals[$0]) }
        return .object(
            pinned.filter { !$0.isOwn }.map {
                JSON.Member($0.jsonKey, .amount(totals[$0], of: $0))
            } + [JSON.Member("own_nutrients", .array(own))])
    }

    private static func goals(_ summary: DaySummary, tolerance: Int64) -> JSON {
        guard let goals = summary.goals else { return [] }
        return .array(
            goals.goals.map { goal in
                let amount = summary.totals[goal.nutrient]
                return .object([
                    JSON.Member("nutrient", .text(goal.nutrient.key)),
                    JSON.Member("direction", .text(goal.direction.name)),
                    JSON.Member(
                        "target_" + goal.nutrient.jsonUnit, .amount(goal.amount, of: goal.nutrient)),
                    JSON.Member(
                        "eaten_" + goal.nutrient.jsonUnit, .amount(amount, of: goal.nutrient)),
                    JSON.Member(
                        "remaining_" + goal.nutrient.jsonUnit,
                        .amount(goal.remaining(after: amount ?? 0), of: goal.nutrient)),
                    JSON.Member(
                        "met",
                        .bool(
                            goal.isMet(by: amount ?? 0, toleranceBasisPoints: tolerance))),
                ])
            })
    }

    /// A day, and the events that each total comes from.
    ///
    /// - Parameters:
    ///   - day: The whole day.
    ///   - notation: The short names of devices.
    package static func explained(
        _ day: JSON, by explanations: [Explanation], _ notation: Notation
    ) -> JSON {
        day.adding([
            JSON.Member("explanations", .array(explanations.map { $0.json(notation) }))
        ])
    }

    /// Today at a glance: the day, advice, and what comes next.
    ///
    /// - Parameters:
    ///   - day: The whole day.
    ///   - reminder: The next reminder of the day.
    package static func home(
        _ day: JSON, facts: CoachFacts, streak: Streak, reminder: Reminder?
    ) -> JSON {
        day.adding([
            JSON.Member("context", CoachContext(facts).factsJSON),
            JSON.Member("messages", .array(CoachMessage.all(facts).map { $0.json })),
            JSON.Member("streak_days", .integer(Int64(streak.current))),
            JSON.Member("next_reminder", reminder?.json ?? .null),
        ])
    }

    /// The days of a month.
    ///
    /// - Parameter summaries: The days that have one.
    package static func calendar(
        _ days: ClosedRange<Day>, _ summaries: [Day: DaySummary]
    ) -> JSON {
        .object([
            JSON.Member("from", .day(days.lowerBound)), JSON.Member("to", .day(days.upperBound)),
            JSON.Member(
                "days",
                .array(
                    days.map { day in
                        let summary = summaries[day]
                        return .object([
                            JSON.Member("day", .day(day)),
                            JSON.Member(
                                "goal_status", .optional(summary?.goalStatus?.name.string)),
                            JSON.Member(
                                "status", .text((summary?.status ?? .open).name)),
                            JSON.Member("logged", .bool(summary?.isLogged ?? false)),
                            JSON.Member(
                                "energy_kcal", .amount(summary?.totals[.energy], of: .energy)),
                        ])
                    })),
        ])
    }
}

extension DayLog {
    /// The status of the day, and the note.
    package var json: JSON {
        .object([
            JSON.Member("day", .day(day)), JSON.Member("status", .text(status.name)),
            JSON.Member("note", .optional(note)),
        ])
    }
}

extension Explanation {
    /// The total and the meals that it sums up, with their events.
    ///
    /// - Parameter notation: The short names of devices.
    package func json(_ notation: Notation) -> JSON {
        .object([
            JSON.Member("nutrient", .text(nutrient.key)),
            JSON.Member("total_" + nutrient.jsonUnit, .amount(total, of: nutrient)),
            JSON.Member(
                "parts",
                .array(
                    parts.map { part in
                        .object([
                            JSON.Member("meal_id", .id(part.meal.meal.id)),
                            JSON.Member("title", .string(part.meal.title)),
                            JSON.Member(
                                "amount_" + nutrient.jsonUnit, .amount(part.amount, of: nutrient)),
                            JSON.Member(
                                "events",
                                .array(part.events.map { EventJSON.json($0, notation) })),
                        ])
                    })),
        ])
    }
}
