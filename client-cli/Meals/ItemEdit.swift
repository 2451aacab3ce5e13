import MacrologArgumentParsing
import Macrolog

/// `item edit`: changes an item of a meal.
enum ItemEdit {
    static let id = Parameter.argument("item", .id, "The item, by the last digits of its id.")
    static let name = Parameter.option("name", .text, "What it is.")

    static let command = Verb(
        "item edit", "Change an item of a meal.", example: "item edit 91c0 --grams 80",
        "item edit 91c0 --kcal 240 --name 'Rolled oats'",
        explanation: """
            A new amount scales the nutrients, if the old amount is known in the same unit. Nutrients
            that you type are taken as they are. `meal show` lists the ids of items.
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
            let amount = portion.amount
            if !NutrientOptions.areTyped(arguments) {
                try scale(&item, to: amount, arguments, &home)
            }
            item.amount = amount
        }
        for entry in try home.read({ try NutrientOptions.read(arguments, $0, &$1) }) {
            item[entry.nutrient] = entry.amount
        }
        guard item.isChanged(since: old) else { return home.sayUnchanged() }
        item.isEditedByUser = true
        home.warn(try home.replica.write { try $0.save(item) })
        try home.tell("Changed", item)
    }

    private static func scale(
        _ item: inout MealItem, to amount: Amount, _ arguments: ParsedArguments, _ home: inout Home
    ) throws {
        guard !item.nutrients.isEmpty else { return }
        if let old = item.amount?.milligrams, old > 0, let new = amount.milligrams {
            item.nutrients = item.nutrients.scaled(part: new, whole: old)
        } else if let old = item.amount, old.milli > 0, old.unit == amount.unit {
            item.nutrients = item.nutrients.scaled(part: amount.milli, whole: old.milli)
        } else {
            home.warn("the nutrients stay as they are: the old amount is unknown in that unit")
        }
    }
}
