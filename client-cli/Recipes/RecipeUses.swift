import MacrologArgumentParsing
import MacrologTerminal
import Macrolog
import MacrologFaces

/// `recipe scale`, `from-meal`, `log`: scales a recipe, makes one from a meal, logs one as a meal.
enum RecipeUses {
    static let serves = Parameter.requiredOption(
        "serves", .servings, "The number of servings.")
    static let save = Parameter.flag("save", "Save the change; otherwise it is only shown.")

    static let scale = Verb(
        "recipe scale", "Show a recipe for another number of servings.",
        example: "recipe scale Chili --serves 6", "recipe scale Chili --serves 6 --save",
        explanation: "The nutrients of one serving stay the same. One `undo` undoes --save.",
        run: { arguments, home in
            let found = try home.read {
                try RecipeNames.require(
                    arguments[RecipeVerbs.recipe], RecipeVerbs.recipe, arguments, $0)
            }
            let mark = try home.preferences.decimalMark ?? .auto
            guard
                let milli = try? NumberReader(decimalMark: mark).read(arguments[serves].text)?
                    .milli,
                milli > 0
            else {
                throw arguments.usageError(
                    of: serves,
                    "\"\(printable(arguments[serves].text))\" is not a number of servings",
                    instead: "6")
            }
            let detail = try home.read { try RecipeVerbs.require(found.id, $0) }
            let (recipe, items) = detail.recipe.scaled(detail.items, toServings: milli)
            if arguments[save] { return try store(detail, recipe, items, &home) }
            try home.show(recipe.json(servingsMilli: milli, items: items)) { home in
                let shown = try home.shown
                let number = NumberFormat.grouped.text(milli, scale: 3)
                home.say(
                    "\(home.style.paint(printable(recipe.name), .bold)) for \(number) "
                        + "serving\(milli == 1_000 ? "" : "s"):")
                for item in items {
                    let amount = item.amount.map { printable(shown.amount($0)) } ?? ""
                    home.say("  \(padded(amount, to: 24))  \(printable(try home.name(of: item)))")
                }
            }
        }
    ) {
        RecipeVerbs.recipe
        serves
        save
    }

    private static func store(
        _ detail: RecipeDetail, _ recipe: Recipe, _ items: [RecipeItem], _ home: inout Home
    ) throws {
        let changed = zip(detail.items, items).filter { $0 != $1 }
        guard recipe != detail.recipe || !changed.isEmpty else { return home.sayUnchanged() }
        home.warn(
            try home.replica.write { diary in
                try changed.reduce(into: diary.save(recipe, since: detail.recipe)) {
                    $0 += try diary.save($1.1, since: $1.0)
                }
            })
        try RecipeVerbs.tell("Changed", recipe.id, &home)
    }

    static let meal = Parameter.argument("meal", .id, "The meal, by the last digits of its id.")
    static let called = Parameter.optionalArgument(
        "name", .text, "The name of the recipe; otherwise the meal's.")

    static let fromMeal = Verb(
        "recipe from-meal", "Save a meal as a recipe.",
        example: "recipe from-meal 3f2a", "recipe from-meal 3f2a Chili --serves 4",
        explanation: """
            Items of foods and recipes become ingredients that follow these; of all others the recipe
            keeps the nutrients.
            """,
        run: { arguments, home in
            let target = try home.find(Meal.self, arguments[meal], meal, arguments)
            guard let detail = try home.replica.read({ try $0.meal(target) }) else {
                throw EntryError(.notFound(.meal))
            }
            var servings: Int64?
            if let typed = arguments[RecipeVerbs.serves] {
                let mark = try home.preferences.decimalMark ?? .auto
                servings = try? NumberReader(decimalMark: mark).read(typed.text)?.milli
                guard let servings, servings > 0 else {
                    throw arguments.usageError(
                        of: RecipeVerbs.serves,
                        "\"\(printable(typed.text))\" is not a number of servings", instead: "4")
                }
            }
            let replica = try home.replica
            let (recipe, items) = Recipe.of(
                detail.meal, items: detail.items, name: arguments[called] ?? detail.title,
                servingsMilli: servings, newID: { replica.newID() })
            home.warn(
                try replica.write { diary in
                    try items.reduce(into: diary.add(recipe)) { $0 += try diary.add($1) }
                })
            try RecipeVerbs.tell("Stored", recipe.id, &home)
        }
    ) {
        meal
        called
        RecipeVerbs.serves
    }

    static let log = Verb(
        "recipe log", "Log a meal from a recipe.", example: "recipe log Chili",
        "recipe log Chili --serving 2 --slot dinner",
        explanation: "The same as `add --recipe`: one serving, unless an amount is typed.",
        run: { arguments, home in
            let found = try home.read {
                try RecipeNames.require(
                    arguments[RecipeVerbs.recipe], RecipeVerbs.recipe, arguments, $0)
            }
            var meal = try MealOptions.meal(named: found.name, arguments, &home)
            meal.source = .recipe
            let eaten =
                try PortionOptions.read(arguments, &home) ?? .servings(milli: 1_000, unit: nil)
            let item = try eaten.item(
                of: try home.read { try RecipeVerbs.require(found.id, $0) }, meal: meal.id,
                arguments, &home)
            home.warn(try home.replica.write { try $0.add(meal, items: [item]) })
            try home.tellMeal("Added", meal.id)
        }
    ) {
        RecipeVerbs.recipe
        PortionOptions.all
        MealOptions.all
    }
}
