import MacrologArgumentParsing
import MacrologTerminal
import Macrolog

/// A food that is logged: with the typed amount, else with the last one, else as one serving.
enum LoggedFood {
    static let food = Parameter.option(
        "food", .text, "One of your foods, by its name, its barcode or the end of its id.")

    /// What to type if several foods have a name.
    static let instead = "more of the name, or --food and its id"

    /// The item for a food.
    ///
    /// - Parameter parameter: The one that named the food.
    static func item<Value>(
        of food: Food, _ portion: Portion?, meal: Identifier, _ parameter: Parameter<Value>,
        _ arguments: ParsedArguments, _ diary: borrowing Diary, _ home: inout Home
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
                of: parameter,
                "names a food that has no serving and was never logged before",
                instead: "the amount as well, such as \(food.example)")
        }
        let item = try Portion.servings(milli: 1_000, unit: nil).item(
            of: food, meal: meal, arguments, diary)
        if let amount = item.amount {
            let shown = Shown(preferences: try home.preferences)
            home.say("One serving: \(printable(shown.amount(amount))).")
        }
        return item
    }

    /// The only food of exactly this name, or the one whose id ends so: it is meant even without an
    /// amount.
    static func named<Value>(
        _ name: String, _ parameter: Parameter<Value>, _ arguments: ParsedArguments,
        _ diary: borrowing Diary
    ) throws -> Food? {
        let exact = try all(named: name, diary)
        if exact.isEmpty { return try FoodNames.identified(by: name, diary) }
        guard exact.count > 1 else { return exact.first }
        return try FoodNames.find(name, parameter, arguments, diary, instead: instead)
    }

    /// The foods of exactly this name that are not archived.
    static func all(named name: String, _ diary: borrowing Diary) throws -> [Food] {
        try diary.foods(matching: name, limit: 50, forgiving: false).filter {
            $0.isArchived != true && SearchText.isSame($0.name, name)
        }
    }
}

extension SearchText {
    /// Whether a person means the same by two names: they have the same words, or, without letters and digits, as
    /// `🍕`, the same characters.
    static func isSame(_ name: String, _ other: String) -> Bool {
        let (left, right) = (SearchText(name), SearchText(other))
        return left == right && (!left.words.isEmpty || name == other)
    }
}
