public import MacrologEvents
public import MacrologJSON
public import MacrologNutrition

extension MealItem {
    /// The item with its own nutrients.
    public var json: JSON {
        .object([
            JSON.Member("id", .id(id)), JSON.Member("meal_id", .id(mealID)),
            JSON.Member("name", .optional(name)),
            JSON.Member("food_id", .optional(foodID)),
            JSON.Member("recipe_id", .optional(recipeID)),
            JSON.Member("amount", amount?.json ?? .null),
            JSON.Member("edited_by_user", .bool(isEditedByUser ?? false)),
            JSON.Member("nutrients", nutrients.json),
        ])
    }
}

extension MealDetail {
    /// The dish's name, else the names of its items.
    public var title: String {
        if let name = meal.dishName, !name.isEmpty { return name }
        let names = items.compactMap { $0.name }
        return names.isEmpty ? "Meal" : names.joined(separator: ", ")
    }

    /// The meal with its items and their sum.
    public var json: JSON {
        var members = [JSON.Member("id", .id(meal.id))] + meal.localDate.members
        members += [
            JSON.Member("slot", .optional(meal.slot?.string)),
            JSON.Member("name", .optional(meal.dishName)),
            JSON.Member("consumed", .bool(meal.isConsumed)),
            JSON.Member("consumed_at", .instant(meal.consumedAt)),
            JSON.Member(
                "consumed_share_percent", .decimal(meal.consumedShareBasisPoints, scale: 2)),
            JSON.Member("estimated", .bool(meal.isEstimated ?? false)),
            JSON.Member("note", .optional(meal.note)),
            JSON.Member("tags", .strings(meal.tags)),
            JSON.Member("photos", .array(meal.photoHashes.map { .string(hexadecimal($0)) })),
            JSON.Member("health_score", .optional(meal.healthScore)),
            JSON.Member("source", .optional(meal.source?.name.string)),
            JSON.Member("external_refs", .strings(meal.externalIDs)),
            JSON.Member("analysis_id", .optional(meal.analysisID)),
            JSON.Member("reported_total", meal.reportedTotal?.json ?? .null),
            JSON.Member("conflict", .bool(hasConflict)),
            JSON.Member("edited_by_newer_version", .bool(isEditedByNewerVersion)),
            JSON.Member("nutrients", meal.nutrients.json),
            JSON.Member("items", .array(items.map { $0.json })),
            JSON.Member("totals", totals.json),
        ]
        return .object(members)
    }

    /// Adds the carbohydrate without fibre, and how well it fits the diet that the person follows.
    public func json(netCarbs: NetCarbs, score: DietScore?) -> JSON {
        json(score).adding([netCarbs.member])
    }

    /// Adds how well it fits the diet that the person follows; `null` without a diet, and for what was not eaten.
    fileprivate func json(_ score: DietScore?) -> JSON {
        json.adding([JSON.Member("diet_score", meal.isConsumed ? score?.json ?? .null : .null)])
    }
}

extension [ScoredMeal] {
    /// Meals, those that are scored with their scores.
    public func shown(with meals: [MealDetail]) -> [JSON] {
        var scores: [Identifier: DietScore] = [:]
        for scored in self { scores[scored.meal.meal.id] = scored.score }
        return meals.map { $0.json(scores[$0.meal.id]) }
    }

    /// The points by meal, of those that could be judged.
    public var points: [Identifier: Int] {
        var points: [Identifier: Int] = [:]
        for scored in self { points[scored.meal.meal.id] = scored.score.score }
        return points
    }
}

extension DayReport {
    /// The points of its meals for the diet that the person follows; empty without one.
    public var points: [Identifier: Int] { scores.points }
}

extension TemplateItem {
    /// The item as a meal will have it.
    public var json: JSON {
        .object([
            JSON.Member("name", .string(name)),
            JSON.Member("food_id", .optional(foodID)),
            JSON.Member("recipe_id", .optional(recipeID)),
            JSON.Member("amount", amount?.json ?? .null),
            JSON.Member("nutrients", nutrients.json),
        ])
    }
}

extension MealTemplate {
    /// The sum of its items.
    public var totals: NutrientTotals {
        var totals = NutrientTotals()
        for item in items { totals.add(item.nutrients) }
        return totals
    }

    /// The template with its items and their sum.
    public var json: JSON {
        .object([
            JSON.Member("id", .id(id)), JSON.Member("name", .string(name)),
            JSON.Member(
                "items", .array(items.map { $0.json })),
            JSON.Member("totals", totals.json),
        ])
    }
}

extension PlanLine {
    /// The entry as a line of the plan.
    public var json: JSON {
        let made = isDone ? Identities.plannedMeal(of: entry.id) : nil
        return .object([
            JSON.Member("id", .id(entry.id)), JSON.Member("day", .day(entry.localDate.day)),
            JSON.Member("slot", .optional(entry.slot?.string)),
            JSON.Member("name", .string(name)),
            JSON.Member("recipe_id", .optional(entry.recipeID)),
            JSON.Member("food_id", .optional(entry.foodID)),
            JSON.Member("template_id", .optional(entry.templateID)),
            JSON.Member("amount", entry.amount?.json ?? .null),
            JSON.Member("done", .bool(isDone)),
            JSON.Member("done_meal_id", .optional(entry.doneMealID ?? made)),
        ])
    }
}
