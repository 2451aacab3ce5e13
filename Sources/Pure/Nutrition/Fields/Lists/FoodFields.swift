import MacrologEvents

/// What is kept about foods: products, portions, recipes, nutrients of one's own.
extension Catalogue {
    static let food: [FieldSpec] =
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

    static let foodPortion: [FieldSpec] = [
        FieldSpec("food_id", .reference, isRequired: true),
        text("label", 1...60, isRequired: true),
        number("grams_mg", .milligrams, 1...50_000_000, isRequired: true),
    ]

    static let recipe: [FieldSpec] = [
        text("name", 1...200, isRequired: true),
        number("yield_servings_milli", .thousandths, 1...1_000_000),
        number("cooked_mass_mg", .milligrams, 1...50_000_000),
        text("steps", 0...16_384, lines: true),
        text("url", 0...500),
    ]

    static let recipeItem: [FieldSpec] =
        [
            FieldSpec("recipe_id", .reference, isRequired: true),
            text("name", 1...200),
            FieldSpec("food_id", .reference),
            FieldSpec("sub_recipe_id", .reference),
            FieldSpec("amount", .amount),
            text("position", 1...64),
        ] + nutrients

    static let customNutrient: [FieldSpec] = [
        FieldSpec("key", .nutrient, isRequired: true),
        text("name", 1...60, isRequired: true),
        choice("unit", CustomUnit.self),
        choice("direction", GoalDirection.self),
    ]
}
