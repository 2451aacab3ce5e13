public import MacrologEvents

extension Catalogue {
    /// Checks the fields of an entity together, after each was valid alone.
    ///
    /// A hard finding refuses what is recorded here. It never quarantines what comes from a peer:
    /// two good edits of two devices may combine into it, and then people are told, not events
    /// withheld.
    ///
    /// - Parameters:
    ///   - kind: The kind of entity, as in events.
    ///   - fields: The registers.
    ///   - today: The local day, against which dates are judged.
    public static func crossCheck(
        kind: Text, fields: (Text) -> Value?, today: Day
    ) -> [Finding] {
        switch Kind(name: kind) {
        case .profile: profile(fields, today)
        case .goalPlan: goalPlan(fields)
        case .food: food(fields)
        case .recipeItem: ingredient(fields) + energy(kind, fields)
        case .customNutrient: customNutrient(fields)
        case .meal: date("local_date", kind, fields, today) + energy(kind, fields)
        case .mealItem: energy(kind, fields)
        case .fast: fast(fields)
        case .recommendation: recommendation(fields)
        case .weighIn, .bodyFat, .bodyMeasure, .ketone, .activity, .water, .planEntry:
            date("local_date", kind, fields, today)
        case .preferences, .foodPortion, .recipe, .mealTemplate, .photo, .analysis, .energyDay,
            .dayLog, .reminder, .importBatch, .device, nil:
            []
        }
    }

    private static func profile(_ fields: (Text) -> Value?, _ today: Day) -> [Finding] {
        guard let birth = fields("birth_date")?.int, birth > today.number else { return [] }
        return [
            Finding(
                .hard, kind: "profile", field: "birth_date", problem: "lies in the future",
                hint: "type a date up to today, such as 1990-05-17")
        ]
    }

    private static func date(
        _ field: Text, _ kind: Text, _ fields: (Text) -> Value?, _ today: Day
    ) -> [Finding] {
        guard let date = fields(field).flatMap({ LocalDate($0) }),
            date.day.number > today.number + 366
        else { return [] }
        return [
            Finding(
                .soft, kind: kind, field: field, problem: "lies more than a year ahead",
                hint: "check the year; it is kept as it is")
        ]
    }

    /// §3.3: the energy of the macros should be within 5 % of the requested energy.
    private static func goalPlan(_ fields: (Text) -> Value?) -> [Finding] {
        guard let energy = fields("energy_mkcal")?.int, let protein = fields("protein_mg")?.int,
            let carbs = fields("carbs_mg")?.int, let fat = fields("fat_mg")?.int
        else { return [] }
        let sum = Atwater.energy(protein: protein, carbs: carbs, fat: fat)
        guard abs(Int128(energy) - Int128(sum)) > Int128(energy) / 20 else { return [] }
        return [
            Finding(
                .soft, kind: "goal_plan", field: "energy_mkcal",
                problem: "differs by more than 5 % from 4 P + 4 C + 9 F of the plan",
                hint: "type \(FieldUnit.millikilocalories.words(sum)), or change a macro")
        ]
    }

    /// A model's answer whose energy does not match its macros is not used as advice (§3.3).
    private static func recommendation(_ fields: (Text) -> Value?) -> [Finding] {
        guard goalPlan(fields).isEmpty else {
            return [
                Finding(
                    .hard, kind: Kind.recommendation.name, field: "energy_mkcal",
                    problem: "differs by more than 5 % from 4 P + 4 C + 9 F of the proposal",
                    hint: "give targets that fit together; the formula is used instead")
            ]
        }
        return []
    }

    private static func ingredient(_ fields: (Text) -> Value?) -> [Finding] {
        guard fields("food_id")?.bytes != nil, fields("sub_recipe_id")?.bytes != nil else {
            return []
        }
        return [
            Finding(
                .hard, kind: Kind.recipeItem.name, field: "sub_recipe_id",
                problem: "stands beside a food", hint: "give a food or a recipe, not both")
        ]
    }

    private static func customNutrient(_ fields: (Text) -> Value?) -> [Finding] {
        guard let key = fields("key")?.text.flatMap({ Nutrient(key: $0) }),
            Nutrient.known.contains(key)
        else { return [] }
        return [
            Finding(
                .hard, kind: Kind.customNutrient.name, field: "key",
                problem: "is a nutrient that everybody has",
                hint: "type x: and a name of your own, such as x:betaine")
        ]
    }

    private static func fast(_ fields: (Text) -> Value?) -> [Finding] {
        guard let start = fields("started_at")?.int, let end = fields("ended_at")?.int,
            end < start
        else { return [] }
        return [
            Finding(
                .hard, kind: Kind.fast.name, field: "ended_at", problem: "is before the start",
                hint: "type a time after the fast began")
        ]
    }

    private static func food(_ fields: (Text) -> Value?) -> [Finding] {
        var findings: [Finding] = []
        let basis = fields("basis")?.text.flatMap { FoodBasis(name: $0) } ?? .per100Grams
        switch basis {
        case .per100Grams: findings += perHundred(fields, of: "100 g", percent: 100)
        // A millilitre of the heaviest syrups weighs less than 1.5 g.
        case .per100Milliliters: findings += perHundred(fields, of: "100 ml", percent: 150)
        case .perServing: break
        }
        findings += parts(fields)
        return findings + energy("food", fields)
    }

    /// The bounds of what 100 g can hold: 950 kcal, 100 g of each nutrient, 105 g of all, 40 g of
    /// sodium. The greatest of USDA SR28 are 902 kcal, 104.7 g and 38.8 g.
    private static func perHundred(
        _ fields: (Text) -> Value?, of what: String, percent: Int64
    ) -> [Finding] {
        var findings: [Finding] = []
        func refuse(_ field: Text, above bound: String) {
            findings.append(
                Finding(
                    .hard, kind: "food", field: field,
                    problem: "is more than \(what) can hold (\(bound))",
                    hint: "type what \(what) holds, or state the values per serving"))
        }
        for nutrient in Nutrient.known {
            guard let amount = fields(nutrient.key)?.int else { continue }
            let bound: Int64
            switch nutrient.unit {
            case .millikilocalories: bound = 950_000
            case .milligrams: bound = 100_000
            default: bound = nutrient == .sodium ? 40_000_000_000 : 100_000_000_000
            }
            let limit = bound / 100 * percent
            if amount > limit { refuse(nutrient.key, above: nutrient.unit.words(limit)) }
        }
        guard findings.isEmpty else { return findings }
        var parts: [Text] = ["protein", "carbs", "fat", "alcohol", "water"]
        if fields("carb_basis")?.text == CarbBasis.available.name { parts.append("fiber") }
        let sum = parts.reduce(Int64(0)) { Rounding.sum($0, fields($1)?.int ?? 0) }
        let limit = 1_050 * percent
        if sum > limit {
            refuse("protein", above: "\(FieldUnit.milligrams.words(limit)) of all nutrients")
        }
        return findings
    }

    /// A part that is more than its whole.
    private static func parts(_ fields: (Text) -> Value?) -> [Finding] {
        let pairs: [(part: Text, whole: Text)] = [
            ("sugars", "carbs"), ("added_sugars", "sugars"), ("sat_fat", "fat"),
        ]
        return pairs.compactMap { part, whole in
            guard let inner = fields(part)?.int, let outer = fields(whole)?.int, inner > outer
            else { return nil }
            return Finding(
                .soft, kind: "food", field: part, problem: "is more than \(whole.string)",
                hint: "check both numbers; they are kept as they are")
        }
    }

    private static func energy(_ kind: Text, _ fields: (Text) -> Value?) -> [Finding] {
        var nutrients = Nutrients()
        for nutrient: Nutrient in [.energy, .protein, .carbs, .fat, .fiber, .alcohol] {
            nutrients[nutrient] = fields(nutrient.key)?.int
        }
        let basis = fields("carb_basis")?.text.flatMap { CarbBasis(name: $0) } ?? .total
        guard Atwater.isInconsistent(nutrients, carbBasis: basis) == true else { return [] }
        return [
            Finding(
                .soft, kind: kind, field: "energy",
                problem: "does not fit protein, carbs and fat",
                hint: "check whether it is in kcal or kJ, and the grams; it is kept as it is")
        ]
    }
}
