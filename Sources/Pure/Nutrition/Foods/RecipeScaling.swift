public import MacrologEvents

extension Recipe {
    /// The recipe and its ingredients for another number of servings, in thousandths: every amount
    /// and the cooked mass in proportion, each rounded once, half to even. Foods and recipes stay
    /// what they are.
    ///
    /// - Parameters:
    ///   - items: The ingredients.
    ///   - servingsMilli: The servings wanted, more than none.
    public func scaled(
        _ items: [RecipeItem], toServings servingsMilli: Int64
    ) -> (recipe: Recipe, items: [RecipeItem]) {
        precondition(servingsMilli > 0, "a recipe yields something")
        let own = max(self.servingsMilli ?? 1_000, 1)
        var recipe = self
        recipe.servingsMilli = servingsMilli
        recipe.cookedMilligrams = cookedMilligrams.map {
            Rounding.scaled($0, by: servingsMilli, over: own)
        }
        let parts = items.map { item -> RecipeItem in
            var part = item
            let nutrients = item.nutrients
            if !nutrients.isEmpty {
                part.nutrients = nutrients.scaled(part: servingsMilli, whole: own)
            }
            // An ingredient without an amount is one serving.
            let isOther = item.foodID != nil || item.subRecipeID != nil
            let whole = isOther ? Amount(milli: 1_000, unit: "serving") : nil
            guard let amount = item.amount ?? whole else { return part }
            part.amount = Amount(
                milli: Rounding.scaled(amount.milli, by: servingsMilli, over: own),
                unit: amount.unit,
                milligrams: amount.milligrams.map {
                    Rounding.scaled($0, by: servingsMilli, over: own)
                })
            return part
        }
        return (recipe, parts)
    }

    /// A recipe of what a meal was made of. An item of a food or a recipe, with its amount, becomes
    /// that ingredient; of the others what they hold is kept.
    ///
    /// - Parameters:
    ///   - meal: The meal.
    ///   - items: Its items, in their order.
    ///   - newID: A fresh id for the recipe and each ingredient.
    public static func of(
        _ meal: Meal, items: [MealItem], name: String, servingsMilli: Int64?,
        newID: () -> Identifier
    ) -> (recipe: Recipe, items: [RecipeItem]) {
        let recipe = Recipe(id: newID(), name: name, servingsMilli: servingsMilli)
        var parts: [RecipeItem] = []
        if !meal.nutrients.isEmpty {
            parts.append(
                RecipeItem(
                    id: newID(), of: recipe.id, name: meal.dishName ?? name,
                    nutrients: meal.nutrients))
        }
        for item in items {
            let isCounted = item.amount != nil && item.isEditedByUser != true
            let (food, sub) = isCounted ? (item.foodID, item.recipeID) : (nil, nil)
            parts.append(
                RecipeItem(
                    id: newID(), of: recipe.id, name: item.name ?? name, foodID: food,
                    subRecipeID: food == nil ? sub : nil, amount: item.amount,
                    nutrients: food == nil && sub == nil ? item.nutrients : Nutrients()))
        }
        for index in parts.indices {
            let digits = String(1_001 + index).utf8.dropFirst()
            parts[index].position = String(decoding: Array(digits), as: UTF8.self)
        }
        return (recipe, parts)
    }
}
