/// `/api/v1/foods`, `recipes`, `templates`: what meals are made of.
import MacrologDiary
import MacrologEvents
import MacrologFaces
import MacrologJSON
import MacrologNutrition
import MacrologNutritionModels

enum FoodRoutes {
    static let all = foods + portions + recipes + ingredients + templates + nutrients

    private static let search = [
        APIParameter("q", .text(200), "What was typed so far; all without it.", example: "oat"),
        APIParameter.limit, APIParameter.cursor,
    ]

    // MARK: Foods

    private static let food = Resource<Food>(
        name: "foods", plural: "foods",
        example: [
            "name": "Rolled oats", "nutrients": ["energy_kcal": 372, "protein_g": .number("13.5")],
        ],
        change: ["favorite": true],
        sharedID: { food, diary in
            try food.gtin.flatMap { Barcode($0) }.map { try diary.foodID(of: $0) }
        },
        check: { food, old, diary in
            // A scan finds one food. An archived one gives way, also when it is restored.
            let isNew =
                if let old {
                    food.gtin != old.gtin || old.isArchived == true && food.isArchived != true
                } else {
                    food.isArchived != true
                }
            guard isNew, let barcode = food.gtin.flatMap({ Barcode($0) }),
                let other = try diary.entity(Food.self, try diary.foodID(of: barcode)),
                other.id != food.id, other.isArchived != true
            else { return }
            throw APIProblem(
                .conflict,
                "Another food has that barcode: change, archive or delete it first, /api/v1/foods/\(other.id)."
            )
        },
        json: { food, diary in food.json(newer: try diary.newerParts(of: Food.self, food.id)) })

    private static let foods = food.routes(
        listing: APIRoute(
            "GET", "/api/v1/foods", "Finds foods, best first: by name or barcode, forgiving slips.",
            query: search, answers: [.init(200, .page(.shown(.food)))],
            .read { diary, call in
                let typed = call.text("q") ?? ""
                let found = try diary.foods(
                    matching: typed, limit: typed.isEmpty ? .max : searchedMax)
                return try Page(call, ranked: found).answer {
                    $0.json(last: try diary.lastPortion(of: $0.id))
                }
            }))

    private static let portions =
        Resource<FoodPortion>(
            name: "portions", plural: "household measures",
            example: ["food_id": .string(APIRoutes.exampleID), "measure": "cup", "mass_g": 90],
            change: ["mass_g": 95],
            sharedID: { portion, _ in
                Identities.foodPortion(of: portion.foodID, label: portion.label)
            }, stays: "with its food and its name",
            json: { portion, _ in portion.json }
        ).routes(
            listing: APIRoute(
                "GET", "/api/v1/foods/{id}/portions", "Lists the household measures of a food.",
                answers: [.init(200, .every(.shown(.foodPortion)))],
                .read { diary, call in
                    let food = try diary.found(Food.self, call)
                    let all = try diary.servingSizes(of: food.id)?.portions ?? []
                    return .entity(.array(all.map { $0.json }))
                }))

    private static let nutrients = Resource<CustomNutrient>(
        name: "nutrients", plural: "nutrients that a person defined",
        example: ["nutrient": "x:taurine", "name": "Taurine", "unit": "mg"],
        change: ["name": "Taurine (mg)"], json: { nutrient, _ in nutrient.json }
    ).listedRoutes()

    /// How many foods a search finds at most, on all its pages.
    private static let searchedMax = 200

    // MARK: Recipes

    private static let recipe = Resource<Recipe>(
        name: "recipes", plural: "recipes", example: ["name": "Dal", "servings": 4],
        change: ["instructions": "Simmer for 20 minutes."], hidden: ["cooked_mass_mg"],
        json: { recipe, diary in try shown(recipe.id, diary) })

    private static func shown(_ id: Identifier, _ diary: borrowing Diary) throws -> JSON {
        guard let detail = try diary.recipe(id) else { throw EntryError(.notFound(.recipe)) }
        return detail.json
    }

    private static let recipes = recipe.routes(
        listing: APIRoute(
            "GET", "/api/v1/recipes", "Finds recipes by their names.", query: search,
            answers: [.init(200, .page(.shown(.recipe, without: ["cooked_mass_mg"])))],
            .read { diary, call in
                let found = try diary.recipes(matching: call.text("q") ?? "")
                return try Page(call, ranked: found).answer { try shown($0.id, diary) }
            }))

    private static let ingredient = Schema.entity(.recipeItem, without: ["recipe_id", "position"])

    private static let ingredients = [
        APIRoute(
            "POST", "/api/v1/recipes/{id}/items", "Adds an ingredient to a recipe.",
            body: ingredient, answers: [.init(201, .shown(.recipeItem))],
            example: [
                "name": "Lentils", "amount": ["number": 200, "unit": "g"],
                "nutrients": ["energy_kcal": 700],
            ],
            .write { diary, call in
                let recipe = try diary.found(Recipe.self, call).id
                let id = try diary.create(.recipeItem, call) { diary, id in
                    try call.requireMatch(try shown(recipe, diary))
                    var item: RecipeItem = try diary.new(
                        RecipeItem.self, id, call.body, with: ["recipe_id": .bytes(recipe.bytes)])
                    item.position =
                        ItemPlace.next(
                            after: try diary.recipe(recipe)?.items.map { $0.position ?? "0" } ?? [])
                        ?? ItemPlace.text(0)
                    try diary.checkIngredient(item)
                    return .add(item, today: try diary.today())
                }
                return .created(
                    try diary.require(RecipeItem.self, id).json, at: "/api/v1/ingredients/\(id)")
            }),
        APIRoute(
            "GET", "/api/v1/ingredients/{id}", "Shows an ingredient.",
            answers: [.init(200, .shown(.recipeItem))], problems: [.deleted],
            .read { .entity(try $0.found(RecipeItem.self, $1).json) }),
        APIRoute(
            "PATCH", "/api/v1/ingredients/{id}", "Changes an ingredient.", body: ingredient.asPatch,
            answers: [.init(200, .shown(.recipeItem))], example: ["name": "Red lentils"],
            .write { diary, call in
                let old = try diary.found(RecipeItem.self, call)
                try call.requireMatch(old.json)
                try diary.save(try diary.changed(old, by: call.body))
                return .entity(try diary.found(RecipeItem.self, call).json)
            }),
        APIRoute(
            "DELETE", "/api/v1/ingredients/{id}", "Deletes an ingredient.", answers: [.init(204)],
            .write { diary, call in
                try call.requireMatch(try diary.found(RecipeItem.self, call).json)
                try diary.delete(RecipeItem.self, call.id())
                return .nothing
            }),
        APIRoute(
            "POST", "/api/v1/ingredients/{id}/restore", "Restores a deleted ingredient.",
            answers: [.init(200, .shown(.recipeItem))],
            .write { diary, call in
                try diary.restoreIfDeleted(RecipeItem.self, call.id())
                let item = try diary.found(RecipeItem.self, call).json
                try call.requireMatch(item)
                return .entity(item)
            }),
    ]

    // MARK: Templates

    private static let templates = Resource<MealTemplate>(
        name: "templates", plural: "templates of meals",
        example: [
            "name": "Usual breakfast",
            "items": [["name": "Oats", "nutrients": ["energy_kcal": 230]]],
        ], change: ["name": "Breakfast"], json: { template, _ in template.json }
    ).routes(
        listing: APIRoute(
            "GET", "/api/v1/templates", "Finds templates of meals by their names.", query: search,
            answers: [.init(200, .page(.shown(.mealTemplate)))],
            .read { diary, call in
                let found = try diary.templates(matching: call.text("q") ?? "")
                return try Page(call, ranked: found).answer { $0.json }
            }))
}
