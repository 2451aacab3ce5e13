import Commands
import Macrolog

/// `add`: records something eaten.
enum AddMeal {
    static let name = Parameter.argument("name", .text, "What was eaten.")
    static let recipe = Parameter.flag("recipe", "NAME is one of your recipes.")

    static let command = Verb(
        "add", "Record something eaten.", example: "add 'Oat porridge' --kcal 380 --p 13.2",
        "add Oats --grams 60", "add Pizza --slot dinner --not-consumed --kcal 3500kJ",
        "add Chili --recipe --serving 2",
        explanation: """
            What you leave out is unknown, not zero, and can be added later. With --grams or
            --serving and no numbers of its own, NAME is looked up among your foods; the meal keeps
            what the food holds today, whatever becomes of the food. The same goes for --recipe, of
            which one serving is eaten unless --serving or --grams says otherwise.
            """, run: run
    ) {
        name
        PortionOptions.all
        NutrientOptions.all
        MealOptions.all
        recipe
    }

    static func run(words: Words, home: inout Home) throws {
        var meal = try MealOptions.meal(named: words[name], words, &home)
        var items: [MealItem] = []
        let portion = try PortionOptions.read(words, &home)
        if words[recipe] {
            let found = try RecipeNames.require(words[name], name, words, &home)
            if NutrientOptions.areTyped(words) {
                throw words.refusal(
                    of: recipe, "is given beside numbers", instead: "one of the two")
            }
            let detail = try RecipeVerbs.require(found.id, &home)
            meal.dishName = found.name
            meal.source = .recipe
            let eaten = portion ?? .servings(milli: 1_000, unit: nil)
            items = [try eaten.item(of: detail, meal: meal.id, words, &home)]
        } else if let portion, !NutrientOptions.areTyped(words),
            let food = try FoodNames.find(words[name], name, words, &home)
        {
            meal.dishName = food.name
            items = [try portion.item(of: food, meal: meal.id, words, &home)]
        } else {
            var nutrients = Nutrients()
            for entry in try NutrientOptions.read(words, &home) {
                nutrients[entry.nutrient] = entry.amount
            }
            if let portion {
                items = [
                    MealItem(
                        id: try home.replica.newID(), of: meal.id, name: words[name],
                        amount: portion.amount, nutrients: nutrients)
                ]
                home.warn(unknown: nutrients, words)
            } else {
                meal.nutrients = nutrients
            }
        }
        home.warn(try home.replica.add(meal, items: items))
        try home.tellMeal("Added", meal.id)
    }
}

extension Home {
    fileprivate func warn(unknown nutrients: Nutrients, _ words: Words) {
        guard nutrients.isEmpty else { return }
        warn("no food is called \"\(words[AddMeal.name])\", so what it holds is unknown")
    }

    /// Says what became of a meal.
    mutating func tellMeal(_ verb: String, _ id: Identifier) throws {
        guard let detail = try replica.meal(id) else { return }
        let shown = Shown(preferences: try preferences)
        let short = try shortID(.meal, id)
        let today = try today
        try show(detail.json) { home in
            home.say("\(verb) \(detail.line(shown, today: today, style: home.style))  \(short)")
        }
    }
}

extension MealDetail {
    /// The meal in one line: `Oat porridge, 380 kcal, breakfast, today 07:40`.
    func line(_ shown: Shown, today: Day, style: Style) -> String {
        var parts = [style.paint(printable(title), .bold)]
        if let energy = totals[.energy] { parts.append(shown.energyWithUnit(energy)) }
        if let type = meal.type { parts.append(printable(shown.slot(type)).lowercased()) }
        let date = meal.localDate
        let day = date.day == today ? "today" : "\(date.day)"
        parts.append(date.clock.isEmpty ? day : "\(day) \(date.clock)")
        if !meal.isConsumed { parts.append("planned") }
        return parts.joined(separator: ", ")
    }

    /// The dish's name, else those of its items.
    var title: String {
        if let name = meal.dishName, !name.isEmpty { return name }
        let names = items.compactMap(\.name)
        return names.isEmpty ? "Meal" : names.joined(separator: ", ")
    }
}
