import MacrologJSON
import Macrolog

extension DayView {
    /// The day as JSON.
    var json: JSON { .object(members + body.members) }

    private var members: [JSON.Member] {
        [
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
            JSON.Member("goals", goals),
            JSON.Member("meals", .array(meals.map(\.json))),
            JSON.Member("plan", .array(planned.map(\.json))),
            JSON.Member("pinned_sums", pinnedSums),
            JSON.Member("weigh_ins", .array(weighIns.map(\.json))),
            JSON.Member(
                "weight_trend_kg",
                trend.points.last.map { .decimal($0.trendGrams, scale: 3) } ?? .null),
        ]
    }

    /// The sums of the pinned nutrients.
    private var pinnedSums: JSON {
        let pinned = shown.preferences.pinnedNutrients.compactMap { Nutrient(key: Text($0)) }
            .sorted()
        let own = pinned.filter(\.isOwn).map { $0.ownJSON(summary.totals[$0]) }
        return .object(
            pinned.filter { !$0.isOwn }.map {
                JSON.Member($0.jsonKey, .amount(summary.totals[$0], of: $0))
            } + [JSON.Member("own_nutrients", .array(own))])
    }

    private var goals: JSON {
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
}

extension Nutrient {
    /// The unit of its amounts in JSON: `kcal`, `g`, `mg`.
    var jsonUnit: String {
        switch unit {
        case .millikilocalories: "kcal"
        case .milligrams: "g"
        case .nanograms: "mg"
        default: "number"
        }
    }
}
