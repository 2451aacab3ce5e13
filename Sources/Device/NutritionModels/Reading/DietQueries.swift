package import MacrologEvents
package import MacrologLog
package import MacrologNutrition
package import MacrologReadModels

/// Reading meals for their diet scores.
extension Store {
    /// A meal's score for a diet, or for the one that the person follows; `nil` without a diet, and when there
    /// is no such meal.
    package mutating func dietScore(
        ofMeal id: Identifier, for diet: DietType?, shares: MacroShares?
    ) throws(LogError) -> ScoredMeal? {
        guard let diet = try followed(diet, shares), let meal = try meal(id) else { return nil }
        var kitchen = Kitchen()
        return ScoredMeal(
            meal: meal,
            score: .score(try facts(of: meal, &kitchen), for: diet.type, shares: diet.shares))
    }

    /// The scores of those meals that were eaten, for a diet or for the one that the person follows; none
    /// without a diet.
    package mutating func dietScores(
        of meals: [MealDetail], for diet: DietType?, shares: MacroShares?
    ) throws(LogError) -> [ScoredMeal] {
        guard let diet = try followed(diet, shares) else { return [] }
        var kitchen = Kitchen()
        var scored: [ScoredMeal] = []
        for meal in meals where meal.meal.isConsumed {
            let facts = try facts(of: meal, &kitchen)
            let score = DietScore.score(facts, for: diet.type, shares: diet.shares)
            scored.append(ScoredMeal(meal: meal, score: score))
        }
        return scored
    }

    /// A diet with its shares, or else the one of the profile.
    private mutating func followed(
        _ diet: DietType?, _ shares: MacroShares?
    ) throws(LogError) -> (type: DietType, shares: MacroShares?)? {
        if let diet { return (diet, shares) }
        let profile = try profile()
        guard let diet = profile.dietType else { return nil }
        return (diet, profile.customMacroShares)
    }

    /// The carbohydrate of meals without fibre and polyols, for the shares that were eaten. Each
    /// part's food, or the foods of its recipe, say whether its carbohydrate includes fibre; for a
    /// part without either it does.
    ///
    /// - Returns: The sum of all of the meals.
    package mutating func netCarbs(of meals: [MealDetail]) throws(LogError) -> NetCarbs {
        var kitchen = Kitchen()
        var total = NetCarbs()
        for detail in meals {
            var sum = NetCarbs()
            if detail.items.isEmpty || !detail.meal.nutrients.isEmpty {
                sum.add(detail.meal.nutrients, .total)
            }
            for item in detail.items {
                sum.add(item.nutrients, try carbBasis(of: item, &kitchen))
            }
            total.add(sum.share(basisPoints: detail.meal.consumedShareBasisPoints))
        }
        return total
    }

    /// A cache of lookups: meals of a month share most of their foods.
    private struct Kitchen {
        var foods: [Identifier: Food?] = [:]
        var recipes: [Identifier: [String]] = [:]
        var bases: [Identifier: Set<CarbBasis>] = [:]
    }

    /// Whether a part's carbohydrate includes fibre; `nil` for a recipe whose foods differ in it.
    private mutating func carbBasis(
        of item: MealItem, _ kitchen: inout Kitchen
    ) throws(LogError) -> CarbBasis? {
        if item.foodID == nil, let recipe = item.recipeID {
            let found = try carbBases(ofRecipe: recipe, &kitchen)
            if found.count > 1 { return nil }
            if let basis = found.first { return basis }
        } else if let basis = try food(of: item.foodID, &kitchen)?.carbBasis {
            return basis
        }
        return .total
    }

    /// How the ingredients of a recipe that have fibre count it, at any depth.
    private mutating func carbBases(
        ofRecipe id: Identifier, _ kitchen: inout Kitchen, depth: Int = 0
    ) throws(LogError) -> Set<CarbBasis> {
        if let known = kitchen.bases[id] { return known }
        var found: Set<CarbBasis> = []
        for item in try items(ofRecipe: id) {
            let food = try food(of: item.foodID, &kitchen)
            if (food?.nutrients ?? item.nutrients)[.fiber] ?? 0 > 0 {
                found.insert(food?.carbBasis ?? .total)
            }
            if let sub = item.subRecipeID, depth < RecipeBook.depthMax {
                found.formUnion(try carbBases(ofRecipe: sub, &kitchen, depth: depth + 1))
            }
        }
        kitchen.bases[id] = found
        return found
    }

    private mutating func facts(
        of detail: MealDetail, _ kitchen: inout Kitchen
    ) throws(LogError) -> DietFacts {
        guard !detail.items.isEmpty else {
            let name = detail.meal.dishName ?? ""
            return DietFacts(
                totals: detail.totals, parts: name.isEmpty ? [] : [DietFacts.Part(name: name)])
        }
        var parts: [DietFacts.Part] = []
        var nutrients: [Nutrients] = []
        for item in detail.items {
            let food = try food(of: item.foodID, &kitchen)
            var lists = food?.ingredients
            if lists == nil, let recipe = item.recipeID {
                lists = try ingredients(ofRecipe: recipe, &kitchen).joined(separator: ", ")
            }
            parts.append(
                DietFacts.Part(name: item.name ?? food?.name ?? "", ingredients: lists))
            let basis = try carbBasis(of: item, &kitchen)
            nutrients.append(Store.withFiberInCarbs(item.nutrients, basis))
        }
        let totals = NutrientTotals(
            own: detail.meal.nutrients, items: nutrients,
            shareBasisPoints: detail.meal.consumedShareBasisPoints)
        return DietFacts(totals: totals, carbBasis: .total, parts: parts)
    }

    /// Labels of some countries exclude fibre from carbohydrate. Parts of one meal are summed only
    /// after all of them include it; if fibre is unknown, the label's number is used.
    private static func withFiberInCarbs(_ nutrients: Nutrients, _ basis: CarbBasis?) -> Nutrients {
        guard basis == .available, let carbs = nutrients[.carbs], let fiber = nutrients[.fiber]
        else { return nutrients }
        var total = nutrients
        total[.carbs] = carbs.addingReportingOverflow(fiber).overflow ? carbs : carbs + fiber
        return total
    }

    private mutating func food(
        of id: Identifier?, _ kitchen: inout Kitchen
    ) throws(LogError) -> Food? {
        guard let id else { return nil }
        if let known = kitchen.foods[id] { return known }
        let found = try entity(Food.self, id, includingDeleted: true)
        kitchen.foods[id] = .some(found)
        return found
    }

    /// The names and ingredient lists of everything that a recipe contains, at any depth.
    private mutating func ingredients(
        ofRecipe id: Identifier, _ kitchen: inout Kitchen, depth: Int = 0
    ) throws(LogError) -> [String] {
        if let known = kitchen.recipes[id] { return known }
        var found: [String] = []
        for item in try items(ofRecipe: id) {
            let food = try food(of: item.foodID, &kitchen)
            found += [item.name, food?.name, food?.ingredients].compactMap { $0 }
            if let sub = item.subRecipeID, depth < RecipeBook.depthMax {
                found += try ingredients(ofRecipe: sub, &kitchen, depth: depth + 1)
            }
        }
        kitchen.recipes[id] = found
        return found
    }
}
