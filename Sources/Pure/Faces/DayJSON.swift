public import MacrologEvents
public import MacrologJSON
public import MacrologNutrition

extension DayReport {
    /// The whole day.
    public var json: JSON {
        .object([
            JSON.Member("day", .day(day)),
            JSON.Member("status", .text(summary.status.name)),
            JSON.Member("goal_status", .optional(summary.goalStatus?.name.string)),
            JSON.Member("note", .optional(log.note)),
            JSON.Member("edited_by_newer_version", .bool(isEditedByNewerVersion)),
            JSON.Member("totals", summary.totals.json), netCarbs.member,
            JSON.Member("planned", summary.planned.json),
            JSON.Member("slots", .array(summary.slots.map { $0.json })),
            JSON.Member("goals", .array(targets)),
            JSON.Member("meals", .array(scores.shown(with: meals))),
            JSON.Member("plan", .array(plan.map { $0.json })),
            JSON.Member("pinned_sums", pinnedSums),
            JSON.Member("weigh_ins", .array(weighIns.map { $0.json })),
            JSON.Member(
                "weight_trend_kg",
                trend.points.last.map { .decimal($0.trendGrams, scale: 3) } ?? .null),
        ]).adding(body)
    }

    /// The members of a day besides its meals and weights.
    private var body: [JSON.Member] {
        let hasWater = water.servings > 0 || water.targetMicroliters != nil
        let hasMoved = !activities.isEmpty || movement.steps != nil || movement.source != nil
        return [
            JSON.Member("water", hasWater ? water.json : .null),
            JSON.Member("movement", hasMoved ? .object(movement.members) : .null),
            JSON.Member("movement_goals", movementGoals),
            JSON.Member("activities", .array(activities.map { $0.json })),
            JSON.Member("body_fat", .array(bodyFat.map { $0.json })),
            JSON.Member("measures", .array(measures.map { $0.json })),
            JSON.Member("ketones", .array(ketones.map { $0.json })),
            JSON.Member("fasts", .array(fasts.map { $0.json(at: instant) })),
            JSON.Member("check_in", checkIn?.json ?? .null),
        ]
    }

    private var pinnedSums: JSON {
        let (pinned, totals) = (pinnedNutrients, summary.totals)
        let own = pinned.filter { $0.isOwn }.map { $0.ownJSON(totals[$0]) }
        return .object(
            pinned.filter { !$0.isOwn }.map {
                JSON.Member($0.jsonKey, .amount(totals[$0], of: $0))
            } + [JSON.Member("own_nutrients", .array(own))])
    }

    private var targets: [JSON] {
        (summary.targets?.all ?? []).map { target in
            let amount = summary.totals[target.nutrient]
            let coverage = summary.totals.coverage(of: target.nutrient)
            let unit = target.nutrient.jsonUnit
            let isMet = target.isMet(by: amount ?? 0, toleranceBasisPoints: toleranceBasisPoints)
            // A limit is kept only where all is known; what exceeds it stays exceeded.
            let isOpen = target.direction == .max && isMet && !coverage.isComplete
            return .object([
                JSON.Member("nutrient", .text(target.nutrient.key)),
                JSON.Member("direction", .text(target.direction.name)),
                JSON.Member("target_" + unit, .amount(target.amount, of: target.nutrient)),
                JSON.Member("eaten_" + unit, .amount(amount, of: target.nutrient)),
                JSON.Member(
                    "remaining_" + unit,
                    .amount(target.remaining(after: amount ?? 0), of: target.nutrient)),
                JSON.Member("parts_known_count", .integer(coverage.known)),
                JSON.Member("met", isOpen ? .null : .bool(isMet)),
            ])
        }
    }

    /// The whole day, and the events that each total comes from.
    ///
    /// - Parameter notation: The short names of devices.
    public func json(explainedBy explanations: [Explanation], _ notation: Notation) -> JSON {
        json.adding([
            JSON.Member("explanations", .array(explanations.map { $0.json(notation) }))
        ])
    }
}

extension DaySummary.Slot {
    fileprivate var json: JSON {
        .object([JSON.Member("slot", .text(key)), JSON.Member("totals", totals.json)])
    }
}

extension HomeReport {
    /// A day at a glance: the day, advice, and what comes next.
    public var json: JSON {
        day.json.adding([
            JSON.Member("context", CoachContext(facts).factsJSON),
            JSON.Member("messages", .array(CoachMessage.all(facts).map { $0.json })),
            JSON.Member("streak_days", .integer(Int64(streak.current))),
            JSON.Member("next_reminder", next?.reminder.json ?? .null),
        ])
    }
}

/// Days as JSON.
public enum DayJSON {
    /// The days of a month.
    ///
    /// - Parameter summaries: The days that have one.
    public static func calendar(
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
    public var json: JSON {
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
    public func json(_ notation: Notation) -> JSON {
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
