import MacrologArgumentParsing
import MacrologTerminal
import Macrolog

/// `item edit`: changes an item of a meal.
enum ItemEdit {
    static let id = Parameter.argument("item", .id, "The item, by the last digits of its id.")
    static let name = Parameter.option("name", .text, "What it is.")

    static let command = Verb(
        "item edit", "Change an item of a meal.", example: "item edit 91c0 --grams 80",
        "item edit 91c0 --kcal 240 --name 'Rolled oats'",
        explanation: """
            A new amount scales the nutrients, in any unit that the food or the recipe converts.
            Nutrients that you type are taken as they are. `meal show` lists the ids of items.
            """, run: run
    ) {
        id
        name
        PortionOptions.all
        NutrientOptions.all
    }

    static func run(arguments: ParsedArguments, home: inout Home) throws {
        let target = try home.find(MealItem.self, arguments[id], id, arguments)
        let old = try home.replica.read { try $0.require(MealItem.self, target) }
        var item = old
        if let name = arguments[name] { item.name = name }
        if let portion = try PortionOptions.read(arguments, &home) {
            item = try change(item, to: portion, arguments, &home)
        }
        for entry in try home.read({ try NutrientOptions.read(arguments, $0, &$1) }) {
            item[entry.nutrient] = entry.amount
        }
        guard item.isChanged(since: old) else { return home.sayUnchanged() }
        // An amount of a food still follows the food; see `food apply-to-history`.
        if item.foodID == nil || NutrientOptions.areTyped(arguments) { item.isEditedByUser = true }
        home.warn(try home.replica.write { try $0.save(item) })
        try home.tell("Changed", item)
    }

    /// The item with another amount, and with its nutrients in proportion unless some are typed.
    private static func change(
        _ item: MealItem, to portion: Portion, _ arguments: ParsedArguments, _ home: inout Home
    ) throws -> MealItem {
        var amount = portion.amount
        var misfit: UsageError?
        if let id = item.foodID, let food = try home.read({ try $0.entity(Food.self, id) }) {
            do {
                amount = try home.read { try portion.amount(of: food, arguments, $0) }
            } catch let error as UsageError {
                misfit = error
            }
        }
        if NutrientOptions.areTyped(arguments) {
            var item = item
            item.amount = amount
            return item
        }
        if item.amount == nil, !item.nutrients.isEmpty {
            home.warn("the nutrients stay as they are: there was no amount before")
        }
        do {
            return try home.read { try $0.rescaled(item, to: amount) }
        } catch let error as PortionError {
            let shown = try home.shown
            let old = item.amount.map { printable(shown.amount($0)) } ?? "another amount"
            let refusal =
                misfit
                ?? arguments.usageError(
                    of: PortionOptions.typed(arguments),
                    "does not fit: the nutrients are for \(old), which is unknown in that unit",
                    instead: "an amount in \(error.known.map(\.quoted).formattedList)")
            throw UsageError(
                command: refusal.command, argument: refusal.argument, problem: refusal.problem,
                instead: (refusal.instead ?? "Type it") + ", or the nutrients as well: --kcal 240")
        }
    }
}
