import MacrologEvents

/// What belongs to a person: body, wishes, targets, reminders.
extension Catalogue {
    static let profile: [FieldSpec] = [
        text("display_name", 1...80),
        FieldSpec("birth_date", .day),
        choice("sex", Sex.self),
        number("height_mm", .millimeters, 400...2_720, soft: 1_200...2_200),
        choice("activity_level", ActivityLevel.self),
        number("target_weight_g", .grams, 2_000...650_000, soft: 20_000...350_000),
        choice("diet_type", DietType.self),
        FieldSpec("custom_macro_pct", .shares),
        number("protein_per_lb_mg", .milligrams, 0...5_000, soft: 500...2_000),
        number("fat_pct_bp", .basisPoints, 0...9_000, soft: 1_500...5_000),
        choice("macro_flexibility", MacroFlexibility.self),
        choice("bmr_formula", RestingFormula.self),
        number("body_fat_bp", .basisPoints, 200...7_500),
    ]

    static let preferences: [FieldSpec] = [
        choice("energy_unit", EnergyUnit.self),
        choice("weight_unit", WeightUnit.self),
        choice("height_unit", HeightUnit.self),
        choice("volume_unit", VolumeUnit.self),
        choice("decimal", DecimalMark.self),
        number("week_start", .count, 1...7),
        FieldSpec("tz", .zone),
        number("day_start_min", .minutes, 0...480),
        FieldSpec("meal_slots", .slots),
        choice("weigh_policy", WeighPolicy.self),
        FieldSpec("show_streaks", .flag),
        FieldSpec("photo_ai_consent", .flag),
        FieldSpec("food_water", .flag),
        number("goal_tolerance_bp", .basisPoints, 0...5_000),
        FieldSpec("pinned_nutrients", .nutrient, elementsMax: 20),
        number("history_days", .count, 30...36_500),
    ]

    static let goalPlan: [FieldSpec] =
        [
            FieldSpec("start_date", .day, isRequired: true),
            choice("mode", GoalMode.self),
            FieldSpec("macro_pct", .shares),
            number(
                "energy_adjust_mkcal", .millikilocalories, -3_000_000...3_000_000),
            number("energy_adjust_bp", .basisPoints, -5_000...5_000, soft: -2_500...2_500),
            choice("direction", GoalDirection.self),
            FieldSpec("weekday_overrides", .weekdays),
            choice("source", GoalSource.self),
            text("rationale", 0...2_000, lines: true),
        ] + goals

    /// The targets of a plan, which a weekday may override.
    static let goals: [FieldSpec] = [
        number(
            "energy_mkcal", .millikilocalories, 0...20_000_000, soft: 1_200_000...6_000_000),
        number("protein_mg", .milligrams, 0...2_000_000),
        number("carbs_mg", .milligrams, 0...2_000_000),
        number("fat_mg", .milligrams, 0...2_000_000),
        number("fiber_mg", .milligrams, 0...500_000),
        number("sodium_mg", .milligrams, 0...50_000),
        number("water_ul", .microliters, 0...20_000_000),
    ]

    static let reminder: [FieldSpec] = [
        choice("kind", ReminderKind.self, isRequired: true),
        number("time_min", .minutes, 0...1_439, isRequired: true),
        number("weekdays", .count, 1...127),
        FieldSpec("slot", .slot),
        FieldSpec("only_if_missing", .flag),
        FieldSpec("enabled", .flag),
    ]

    static let recommendation: [FieldSpec] = [
        number("energy_mkcal", .millikilocalories, 0...20_000_000, isRequired: true),
        number("protein_mg", .milligrams, 0...2_000_000, isRequired: true),
        number("carbs_mg", .milligrams, 0...2_000_000, isRequired: true),
        number("fat_mg", .milligrams, 0...2_000_000, isRequired: true),
        text("reasoning", 0...4_000, lines: true),
        FieldSpec("adjustments", .lines),
        number("confidence_bp", .basisPoints, 0...10_000),
        number("preworkout_carbs_mg", .milligrams, 0...2_000_000),
        number("postworkout_protein_mg", .milligrams, 0...2_000_000),
        text("recovery_focus", 0...500),
        text("provider", 0...60),
        FieldSpec("accepted", .flag),
    ]
}
