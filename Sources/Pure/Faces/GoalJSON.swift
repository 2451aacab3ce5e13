import MacrologEvents
public import MacrologJSON
public import MacrologNutrition

extension GoalPlan {
    /// The plan with everything it says.
    public var json: JSON {
        .object([
            JSON.Member("id", .id(id)), JSON.Member("from", .day(startDate)),
            JSON.Member("mode", .text((mode ?? .fixed).name)),
            JSON.Member(
                "energy_kcal", .amount(energyMillikilocalories, of: .energy)),
            JSON.Member("protein_g", .amount(proteinMilligrams, of: .protein)),
            JSON.Member("carbs_g", .amount(carbsMilligrams, of: .carbs)),
            JSON.Member("fat_g", .amount(fatMilligrams, of: .fat)),
            JSON.Member("fiber_g", .amount(fiberMilligrams, of: .fiber)),
            JSON.Member("sodium_mg", .optional(sodiumMilligrams)),
            JSON.Member("water_ml", waterMicroliters.map { .decimal($0, scale: 3) } ?? .null),
            JSON.Member("burned_kcal", .amount(burnedMillikilocalories, of: .energy)),
            JSON.Member("steps", .optional(steps)),
            JSON.Member(
                "adjust_kcal", .amount(energyAdjustMillikilocalories, of: .energy)),
            JSON.Member(
                "adjust_percent",
                energyAdjustBasisPoints.map { .decimal($0, scale: 2) } ?? .null),
            JSON.Member("direction", .optional(direction?.name.string)),
            JSON.Member("weekday_goals", weekdayGoals?.json ?? []),
            JSON.Member("source", .optional(source?.name.string)),
        ])
    }
}

/// Targets, where they come from, and the energy expenditure of a day as JSON.
public enum GoalJSON {
    /// The targets of a day, and the plan they are from; both or neither.
    ///
    /// - Parameter preferences: The units of its explanation; numbers have those of their keys.
    public static func targets(
        _ targets: DayTargets?, of plan: GoalPlan?, on day: Day, in preferences: Preferences
    ) -> JSON {
        let unit = preferences.energyUnit ?? .kilocalories
        let (plan, targets) = targets == nil || plan == nil ? (nil, nil) : (plan, targets)
        return .object([
            JSON.Member("day", .day(day)), JSON.Member("plan_id", plan.map { .id($0.id) } ?? .null),
            JSON.Member("since", plan.map { .day($0.startDate) } ?? .null),
            JSON.Member("mode", plan.map { .text(($0.mode ?? .fixed).name) } ?? .null),
            JSON.Member(
                "goals",
                .array(
                    (targets?.all ?? []).map {
                        .object([
                            JSON.Member("nutrient", .text($0.nutrient.key)),
                            JSON.Member("direction", .text($0.direction.name)),
                            JSON.Member(
                                "target_" + $0.nutrient.jsonUnit,
                                .amount($0.amount, of: $0.nutrient)),
                        ])
                    })),
            JSON.Member(
                "water_ml", targets?.waterMicroliters.map { .decimal($0, scale: 3) } ?? .null),
            JSON.Member("burned_kcal", .amount(targets?.burnedMillikilocalories, of: .energy)),
            JSON.Member("steps", .optional(targets?.steps)),
            JSON.Member("explanation", .optional(targets?.computed?.explanation(in: unit))),
        ])
    }

    /// The targets of a day and how they are computed.
    public static func report(
        _ found: TargetReport, on day: Day, in preferences: Preferences
    ) -> JSON {
        let explanation = found.explanation
        let estimate = found.expenditure.map { estimate in
            JSON.object([
                JSON.Member("energy_kcal", .amount(estimate.millikilocalories, of: .energy)),
                JSON.Member("plus_minus_kcal", .amount(estimate.plusMinus, of: .energy)),
                JSON.Member("confidence", .string(estimate.confidence.name)),
                JSON.Member("explanation", .string(estimate.explanation(in: preferences))),
            ])
        }
        return .object([
            JSON.Member("day", .day(day)),
            JSON.Member("goal", targets(found.targets, of: found.plan, on: day, in: preferences)),
            JSON.Member("derivation", .strings(explanation?.steps.map { "\($0)" } ?? [])),
            JSON.Member("assumptions", .strings(explanation?.assumptions ?? [])),
            JSON.Member("warnings", .strings(explanation?.warnings ?? [])),
            JSON.Member("missing", .optional(explanation?.missing)),
            JSON.Member("movement", .object(found.movement.members)),
            JSON.Member("expenditure", estimate ?? .null),
            JSON.Member("expenditure_missing", .optional(found.missing)),
        ])
    }

    /// The energy expenditure of a day.
    ///
    /// - Parameter window: The days that the estimate is from.
    public static func expenditure(
        _ found: TargetReport, on day: Day, from window: ClosedRange<Day>
    ) -> JSON {
        let estimate = found.expenditure
        return .object([
            JSON.Member("day", .day(day)), JSON.Member("from", .day(window.lowerBound)),
            JSON.Member("to", .day(window.upperBound)),
            JSON.Member("energy_kcal", .amount(estimate?.millikilocalories, of: .energy)),
            JSON.Member("plus_minus_kcal", .amount(estimate?.plusMinus, of: .energy)),
            JSON.Member("confidence", .optional(estimate?.confidence.name)),
            JSON.Member("clamped", estimate.map { .bool($0.isClamped) } ?? .null),
            JSON.Member("mean_intake_kcal", .amount(estimate?.meanIntake, of: .energy)),
            JSON.Member("intake_days", .optional(estimate.map { Int64($0.intakeDays) })),
            JSON.Member("weigh_in_count", .optional(estimate.map { Int64($0.weighIns) })),
            JSON.Member(
                "slope_kg_per_week",
                estimate.map { .decimal($0.slopeMicrogramsPerWeek, scale: 9) } ?? .null),
            JSON.Member(
                "resting_kcal", .amount(found.resting?.millikilocalories, of: .energy)),
            JSON.Member(
                "equation_kcal", .amount(found.equationMillikilocalories, of: .energy)),
            JSON.Member("missing", .optional(found.missing)),
        ])
    }

    /// A preset of the macronutrients, and the targets of a day by it.
    public static func preset(_ preset: MacroProfile, goal: JSON) -> JSON {
        .object([
            JSON.Member("preset", .string(preset.name)),
            JSON.Member("protein_per_lb_g", .decimal(preset.proteinMilligramsPerPound, scale: 3)),
            JSON.Member("fat_percent", .decimal(preset.fatBasisPoints, scale: 2)),
            JSON.Member("approach", .string(preset.approach)),
            JSON.Member("rationale", .string(preset.rationale)),
            JSON.Member("flexibility", .string(preset.flexibilityNotes)),
            JSON.Member("goal", goal),
        ])
    }

    /// A plan that was deleted, and the one that applies instead on its first day.
    public static func deleted(_ plan: GoalPlan, next: GoalPlan?) -> JSON {
        .object([
            JSON.Member("deleted", [.id(plan.id)]), JSON.Member("from", .day(plan.startDate)),
            JSON.Member("next_plan_id", next.map { .id($0.id) } ?? .null),
        ])
    }
}
