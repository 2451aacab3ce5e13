import MacrologArgumentParsing
import Macrolog

/// `food edit`: changes a stored food.
enum FoodEdit {
    static let food = Parameter.argument(
        "food", .text, "The food, by the last digits of its id or by its name.")
    static let name = Parameter.option("name", .text, "What it is called.")
    static let favourite = Parameter.flag("favourite", "List it first.")
    static let unfavourite = Parameter.flag("no-favourite", "Do not list it first any more.")
    static let archive = Parameter.flag("archive", "Do not offer it any more.")
    static let unarchive = Parameter.flag("no-archive", "Offer it again.")

    static let command = Verb(
        "food edit", "Change a food.", example: "food edit Oats --fiber 10.6",
        "food edit 7be4 --serving-size 40g --favourite",
        explanation: "Meals that were recorded with it keep what it held then.", run: run
    ) {
        food
        name
        FoodOptions.all
        NutrientOptions.all
        favourite
        unfavourite
        archive
        unarchive
    }

    static func run(words: Words, home: inout Home) throws {
        let old = try FoodNames.require(words[food], food, words, &home)
        var changed = old
        if let name = words[name] { changed.name = name }
        try FoodOptions.apply(to: &changed, words, &home)
        if words[favourite] { changed.isFavourite = true }
        if words[unfavourite] { changed.isFavourite = false }
        if words[archive] { changed.isArchived = true }
        if words[unarchive] { changed.isArchived = false }
        guard !changed.changes(since: old).isEmpty else { return home.sayUnchanged() }
        home.warn(try home.replica.save(changed))
        try home.tell("Changed", changed)
    }
}
