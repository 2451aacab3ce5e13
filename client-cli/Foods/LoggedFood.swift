import MacrologArgumentParsing
import MacrologTerminal
import Macrolog

/// A food that is logged: with the typed amount, else with the last one.
enum LoggedFood {
    static let food = Parameter.option(
        "food", .text, "One of your foods, by its name, its barcode or the end of its id.")

    /// What to type if several foods have a name.
    static let instead = "more of the name, or --food and its id"

    /// The item for a food.
    static func item(
        of food: Food, _ portion: Portion?, meal: Identifier, _ arguments: ParsedArguments,
        _ diary: borrowing Diary, _ home: inout Home
    ) throws -> MealItem {
        if let portion { return try portion.item(of: food, meal: meal, arguments, diary) }
        if let last = try diary.lastPortion(of: food.id),
            let servingSizes = try diary.servingSizes(of: food.id),
            let (nutrients, amount) = try? servingSizes.nutrients(of: last)
        {
            var item = MealItem(
                id: diary.newID(), of: meal, name: food.name, amount: amount,
                nutrients: nutrients)
            item.foodID = food.id
            let shown = Shown(preferences: try home.preferences)
            home.say("The amount of the last time: \(printable(shown.amount(amount))).")
            return item
        }
        guard food.serving != nil || food.basis == .perServing else {
            throw arguments.usageError(
                of: LoggedFood.food,
                "was never logged before, so there is no last amount",
                instead: "--amount '1 cup' or --grams 60 as well")
        }
        return try Portion.servings(milli: 1_000, unit: nil).item(
            of: food, meal: meal, arguments, diary)
    }

    /// The only food of exactly this name that was logged before: it is meant even without an
    /// amount.
    static func again(_ name: String, _ diary: borrowing Diary) throws -> Food? {
        let wanted = SearchText(name)
        let exact = try diary.foods(matching: name, limit: 50, forgiving: false)
            .filter { $0.isArchived != true && SearchText($0.name) == wanted }
        guard exact.count == 1, let food = exact.first,
            try diary.lastPortion(of: food.id) != nil
        else { return nil }
        return food
    }
}
