import MacrologArgumentParsing
import Macrolog

/// `recipe add-item` and `recipe delete-item`: the ingredients of a recipe.
enum RecipeItems {
    static let name = Parameter.argument(
        "name", .text, "A food by its name, its barcode or its id; a recipe; or any name.")
    static let isRecipe = Parameter.flag("recipe", "NAME is another of your recipes.")
    static let item = Parameter.argument(
        "item", .id, "The ingredient, by the last digits of its id.")

    static let add = Verb(
        "recipe add-item", "Add an ingredient to a recipe.",
        example: "recipe add-item Chili Oats --grams 60",
        "recipe add-item Chili Stock --kcal 40 --p 2",
        explanation: """
            NAME is looked up among your foods, unless you type nutrients; with --recipe among your
            recipes, with an amount from --serving or --grams. A recipe follows its foods: its
            nutrients change with them.
            """, run: run
    ) {
        RecipeVerbs.recipe
        name
        PortionOptions.all
        NutrientOptions.all
        isRecipe
    }

    static let delete = Verb(
        "recipe delete-item", "Delete an ingredient of a recipe.",
        example: "recipe delete-item 5a5a",
        run: { arguments, home in
            try delete(
                try home.find(RecipeItem.self, arguments[item], item, arguments), &home)
        }
    ) { item }

    static func delete(_ id: Identifier, _ home: inout Home) throws {
        let found = try home.replica.read { try $0.require(RecipeItem.self, id) }
        // Nothing is recorded that cannot be shown.
        _ = try home.read { try RecipeVerbs.require(found.recipeID, $0) }
        try home.replica.write { try $0.delete(RecipeItem.self, id) }
        try RecipeVerbs.tell("Changed", found.recipeID, &home)
    }

    private static func run(arguments: ParsedArguments, home: inout Home) throws {
        let recipe = try home.read {
            try RecipeNames.require(
                arguments[RecipeVerbs.recipe], RecipeVerbs.recipe, arguments, $0)
        }
        let portion = try PortionOptions.read(arguments, &home)
        var item = RecipeItem(
            id: try home.replica.newID(), of: recipe.id, name: arguments[name],
            amount: portion?.amount)
        if arguments[isRecipe] {
            let sub = try home.read {
                try RecipeNames.require(arguments[name], name, arguments, $0)
            }
            item.subRecipeID = sub.id
            item.name = sub.name
        } else if !NutrientOptions.areTyped(arguments) {
            if let food = try home.read({ try FoodNames.find(arguments[name], name, arguments, $0) }
            ) {
                item.foodID = food.id
                item.name = food.name
                if let portion {
                    item.amount = try home.read { try portion.amount(of: food, arguments, $0) }
                } else {
                    try check(food, arguments, &home)
                }
            } else {
                home.warn(unknown: item.nutrients, arguments[name])
            }
        } else {
            for entry in try home.read({ try NutrientOptions.read(arguments, $0, &$1) }) {
                item[entry.nutrient] = entry.amount
            }
        }
        item.position = try next(recipe.id, &home)
        home.warn(try home.replica.write { try $0.addIngredient(item) })
        try RecipeVerbs.tell("Changed", recipe.id, &home)
    }

    /// Rejects a serving of a food that defines none.
    private static func check(_ food: Food, _ arguments: ParsedArguments, _ home: inout Home) throws
    {
        guard let servingSizes = try home.replica.read({ try $0.servingSizes(of: food.id) }) else {
            return
        }
        do throws(PortionError) {
            _ = try servingSizes.nutrients(of: Amount(milli: 1_000, unit: "serving"))
        } catch {
            throw CommandError(.dataErr, "\(arguments.command): \(error)")
        }
    }

    /// The position after the others: `001`, `002`. If two devices choose the same one, the ids of
    /// their ingredients decide the order.
    private static func next(_ recipe: Identifier, _ home: inout Home) throws -> String {
        let items = try home.replica.read { try $0.recipe(recipe) }?.items ?? []
        let last = items.compactMap { $0.position.flatMap { Int($0) } }.max() ?? 0
        return String(String(1_000 + min(last + 1, 999)).dropFirst())
    }
}
