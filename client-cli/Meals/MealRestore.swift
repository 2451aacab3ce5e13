import MacrologArgumentParsing
import Macrolog

/// `meal restore`: restores a deleted meal.
enum MealRestore {
    static let id = Parameter.argument("meal", .id, "The meal, by the last digits of its id.")

    static let command = Verb(
        "meal restore", "Restore a deleted meal with its items.",
        example: "meal restore 3f2a", run: run
    ) { id }

    static func run(arguments: ParsedArguments, home: inout Home) throws {
        let target = try home.find(Meal.self, arguments[id], id, arguments, includingDeleted: true)
        if try home.replica.read({ try $0.meal(target) }) == nil {
            try home.replica.write { try $0.restore(Meal.self, target) }
            try home.tellMeal("Restored", target)
        } else {
            home.sayUnchanged()
        }
    }
}
