public import Events

/// Every kind this version knows, with its fields and their bounds: the table that says what may be
/// recorded here, and what is quarantined when a peer sends it.
public enum Catalogue {
    /// The fields of a kind, nutrients included, except those a person defined.
    public static func fields(of kind: Kind) -> [FieldSpec] {
        switch kind {
        case .profile: profile
        case .preferences: preferences
        case .goalPlan: goalPlan
        case .food: food
        case .meal: meal
        case .mealItem: mealItem
        case .weighIn: weighIn
        case .dayLog: dayLog
        }
    }

    /// The field of a kind; `nil` for one this version does not know.
    public static func field(_ name: Text, of kind: Kind) -> FieldSpec? {
        if let spec = table(of: kind).find(name) { return spec }
        guard holdsNutrients(kind), let nutrient = Nutrient(key: name) else { return nil }
        return spec(of: nutrient)
    }

    static func table(of kind: Kind) -> FieldTable {
        switch kind {
        case .profile: profileTable
        case .preferences: preferencesTable
        case .goalPlan: goalPlanTable
        case .food: foodTable
        case .meal: mealTable
        case .mealItem: mealItemTable
        case .weighIn: weighInTable
        case .dayLog: dayLogTable
        }
    }

    private static let profileTable = FieldTable(profile)
    private static let preferencesTable = FieldTable(preferences)
    private static let goalPlanTable = FieldTable(goalPlan)
    private static let foodTable = FieldTable(food)
    private static let mealTable = FieldTable(meal)
    private static let mealItemTable = FieldTable(mealItem)
    private static let weighInTable = FieldTable(weighIn)
    private static let dayLogTable = FieldTable(dayLog)

    /// Whether entities of the kind hold nutrients, one register each.
    public static func holdsNutrients(_ kind: Kind) -> Bool {
        kind == .food || kind == .meal || kind == .mealItem
    }

    private static let profile: [FieldSpec] = [
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

    private static let preferences: [FieldSpec] = [
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
        number("goal_tolerance_bp", .basisPoints, 0...5_000),
        FieldSpec("pinned_nutrients", .nutrient, elementsMax: 20),
        number("history_days", .count, 30...36_500),
    ]

    private static let goalPlan: [FieldSpec] =
        [
            FieldSpec("start_date", .day, isRequired: true),
            choice("mode", GoalMode.self),
            FieldSpec("macro_pct", .shares),
            number(
                "energy_adjust_mkcal", .millikilocalories, -3_000_000...3_000_000),
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

    private static let food: [FieldSpec] =
        [
            text("name", 1...200, isRequired: true),
            text("brand", 0...120),
            FieldSpec("gtin", .gtin),
            choice("basis", FoodBasis.self),
            FieldSpec("serving", .amount),
            choice("carb_basis", CarbBasis.self),
            text("ingredients_text", 0...4_000, lines: true),
            choice("source", FoodSource.self),
            text("source_ref", 0...120),
            FieldSpec("favourite", .flag),
            FieldSpec("archived", .flag),
        ] + nutrients

    private static let meal: [FieldSpec] =
        [
            FieldSpec("local_date", .localDate, isRequired: true),
            FieldSpec("meal_type", .slot),
            text("dish_name", 0...200),
            FieldSpec("consumed", .flag),
            FieldSpec("consumed_at", .instant),
            number("consumed_share_bp", .basisPoints, 0...100_000),
            text("note", 0...4_000, lines: true),
            FieldSpec("tags", .text(bytes: 1...50, lines: false), elementsMax: 50),
            FieldSpec("estimated", .flag),
            number("health_score", .count, 0...10),
            FieldSpec("photo_sha256s", .hash, elementsMax: 10),
            FieldSpec("reported_total", .totals),
            choice("source", MealSource.self),
            FieldSpec("analysis_id", .reference),
            FieldSpec("external_ids", .text(bytes: 1...120, lines: false), elementsMax: 20),
        ] + nutrients

    private static let mealItem: [FieldSpec] =
        [
            FieldSpec("meal_id", .reference, isRequired: true),
            text("name", 1...200),
            FieldSpec("food_id", .reference),
            FieldSpec("recipe_id", .reference),
            FieldSpec("amount", .amount),
            text("position", 1...64),
            FieldSpec("edited_by_user", .flag),
        ] + nutrients

    private static let weighIn: [FieldSpec] = [
        FieldSpec("local_date", .localDate, isRequired: true),
        FieldSpec(
            "weight_g", .number(.grams, hard: 2_000...650_000, soft: 20_000...350_000),
            isRequired: true),
        number("body_fat_bp", .basisPoints, 200...7_500),
        text("note", 0...4_000, lines: true),
        choice("source", WeighSource.self),
        FieldSpec("external_ids", .text(bytes: 1...120, lines: false), elementsMax: 20),
    ]

    private static let dayLog: [FieldSpec] = [
        FieldSpec("date", .day, isRequired: true),
        choice("status", DayStatus.self),
        text("note", 0...4_000, lines: true),
        choice("goal_override", GoalOverride.self),
        number("mood", .count, 1...5),
    ]

    private static let nutrients: [FieldSpec] = Nutrient.known.map { spec(of: $0) }

    private static func spec(of nutrient: Nutrient) -> FieldSpec {
        let soft: ClosedRange<Int64>? = nutrient == .energy ? 0...5_000_000 : nil
        return number(nutrient.key, nutrient.unit, nutrient.bounds, soft: soft)
    }

    private static func number(
        _ name: Text, _ unit: FieldUnit, _ hard: ClosedRange<Int64>,
        soft: ClosedRange<Int64>? = nil
    ) -> FieldSpec {
        FieldSpec(name, .number(unit, hard: hard, soft: soft))
    }

    private static func text(
        _ name: Text, _ bytes: ClosedRange<Int>, lines: Bool = false, isRequired: Bool = false
    ) -> FieldSpec {
        FieldSpec(name, .text(bytes: bytes, lines: lines), isRequired: isRequired)
    }

    private static func choice<C: Choice>(_ name: Text, _ type: C.Type) -> FieldSpec {
        FieldSpec(name, .choice(C.names))
    }
}
