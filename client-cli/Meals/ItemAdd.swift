import MacrologArgumentParsing
import MacrologTerminal
import Macrolog
import MacrologFaces

/// `item add`: adds an item to a meal.
enum ItemAdd {
    static let meal = Parameter.argument("meal", .id, "The meal, by the last digits of its id.")
    static let name = Parameter.argument(
        "name", .text, "What it is, or one of your foods by its name, its barcode or its id.")

    static let command = Verb(
        "item add", "Add an item to a meal.", example: "item add 3f2a Oats --grams 60",
        "item add 3f2a Honey --kcal 64 --c 17.3",
        explanation: """
            With --grams, --serving or --amount and no nutrients, NAME is looked up among your
            foods. Without an amount, a food of exactly this name gets the amount of the last time,
            else one serving.
            """, run: run
    ) {
        meal
        name
        PortionOptions.all
        NutrientOptions.all
    }

    static func run(arguments: ParsedArguments, home: inout Home) throws {
        let target = try home.find(Meal.self, arguments[meal], meal, arguments)
        let portion = try PortionOptions.read(arguments, &home)
        var item: MealItem
        let food =
            NutrientOptions.areTyped(arguments)
            ? nil
            : portion == nil
                ? try home.read { try LoggedFood.named(arguments[name], name, arguments, $0) }
                : try home.read { try FoodNames.find(arguments[name], name, arguments, $0) }
        if let food {
            item = try home.read {
                try LoggedFood.item(of: food, portion, meal: target, name, arguments, $0, &$1)
            }
        } else {
            item = MealItem(
                id: try home.replica.newID(), of: target, name: arguments[name],
                amount: portion?.amount)
            for entry in try home.read({ try NutrientOptions.read(arguments, $0, &$1) }) {
                item[entry.nutrient] = entry.amount
            }
            if !NutrientOptions.areTyped(arguments) {
                home.warn(unknown: item.nutrients, arguments[name])
            }
        }
        home.warn(try home.replica.write { try $0.add(item) })
        try home.tell("Added", item)
    }
}

extension Home {
    /// Reports an item, and the new sum of its meal.
    mutating func tell(_ verb: String, _ item: MealItem) throws {
        let shown = Shown(preferences: try preferences)
        let short = try shortID(.mealItem, item.id)
        let detail = try replica.read { try $0.meal(item.mealID) }
        try show(item.json) { home in
            var parts = [home.style.paint(printable(item.name ?? "item"), .bold)]
            if let amount = item.amount { parts.append(printable(shown.amount(amount))) }
            if let energy = item[.energy] { parts.append(shown.energyWithUnit(energy)) }
            home.say("\(verb) \(parts.joined(separator: ", "))  \(short)")
            guard let detail, let energy = detail.totals[.energy] else { return }
            home.say("  \(printable(detail.title)) is now \(shown.energyWithUnit(energy))")
        }
    }
}
