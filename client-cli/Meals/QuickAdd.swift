import MacrologArgumentParsing
import Macrolog

/// `quick`: records only energy.
enum QuickAdd {
    static let kcal = Parameter.argument(
        "kcal", .energy, "Energy, in kcal unless a unit follows: 250 or 1046kJ.")
    static let name = Parameter.optionalArgument("name", .text, "What it was.")

    static let command = Verb(
        "quick", "Log energy alone.", example: "quick 250", "quick 320 Cake",
        explanation: "Everything else is unknown and can be added later.", run: run
    ) {
        kcal
        name
        MealOptions.all
    }

    static func run(arguments: ParsedArguments, home: inout Home) throws {
        var meal = try MealOptions.meal(named: arguments[name] ?? "Quick entry", arguments, &home)
        meal[.energy] = try home.value(kcal, arguments)
        home.warn(try home.replica.add(meal))
        try home.tellMeal("Added", meal.id)
    }
}
