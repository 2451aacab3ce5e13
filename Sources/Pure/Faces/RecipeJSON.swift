import MacrologEvents
public import MacrologJSON
public import MacrologNutrition

extension RecipeDetail {
    /// The recipe with its ingredients, the sum of the dish and of one serving.
    public var json: JSON {
        .object([
            JSON.Member("id", .id(recipe.id)), JSON.Member("name", .string(recipe.name)),
            JSON.Member("servings", .decimal(contents.servingsMilli, scale: 3)),
            JSON.Member("mass_g", contents.milligrams.map { .decimal($0, scale: 3) } ?? .null),
            JSON.Member("raw_mass", .bool(contents.isRawMass)),
            JSON.Member("instructions", .optional(recipe.steps)),
            JSON.Member("url", .optional(recipe.url)),
            JSON.Member("items", .array(items.map { $0.json })),
            JSON.Member("totals", contents.totals.json),
            JSON.Member("serving", contents.servings(1_000).json),
            JSON.Member("problems", .array(contents.problems.map { .string($0.sentence) })),
        ])
    }
}

extension RecipeItem {
    /// The ingredient with its own nutrients.
    public var json: JSON {
        .object([
            JSON.Member("id", .id(id)), JSON.Member("recipe_id", .id(recipeID)),
            JSON.Member("name", .optional(name)),
            JSON.Member("food_id", .optional(foodID)),
            JSON.Member("sub_recipe_id", .optional(subRecipeID)),
            JSON.Member("amount", amount?.json ?? .null),
            JSON.Member("nutrients", nutrients.json),
        ])
    }
}

extension RecipeContents.IngredientFinding {
    /// Why the nutrients are incomplete.
    public var sentence: String {
        let id = item.lastDigits(4)
        return switch self {
        case .cycle: "ingredient \(id) contains the recipe itself: it is left out"
        case .tooDeep: "ingredient \(id) is nested more than 8 recipes deep: it is left out"
        case .missing:
            "the food or recipe of ingredient \(id) was deleted: its nutrients are unknown"
        case .unmeasured: "the mass of ingredient \(id) is unknown: give it in grams"
        case .unweighed:
            "ingredient \(id) is a recipe whose mass is unknown: give the mass of that dish, or the "
                + "ingredient in servings"
        }
    }
}

extension Recipe {
    /// The recipe for another number of servings.
    ///
    /// - Parameters:
    ///   - servingsMilli: Thousandths of a serving.
    ///   - items: Its ingredients for that number.
    public func json(servingsMilli: Int64, items: [RecipeItem]) -> JSON {
        .object([
            JSON.Member("id", .id(id)), JSON.Member("name", .string(name)),
            JSON.Member("servings", .decimal(servingsMilli, scale: 3)),
            JSON.Member("mass_g", cookedMilligrams.map { .decimal($0, scale: 3) } ?? .null),
            JSON.Member("items", .array(items.map { $0.json })),
        ])
    }
}
