import MacrologArgumentParsing
import Macrolog

/// `food edit`: changes a stored food.
enum FoodEdit {
    static let food = Parameter.argument(
        "food", .text, "The food, by the last digits of its id or by its name.")
    static let name = Parameter.option("name", .text, "The name.")
    static let favourite = Parameter.flag("favourite", "List it first.")
    static let unfavourite = Parameter.flag("no-favourite", "Stop listing it first.")
    static let archive = Parameter.flag("archive", "Hide it from lists and searches.")
    static let unarchive = Parameter.flag("no-archive", "Show it in lists and searches again.")

    static let command = Verb(
        "food edit", "Change a food.", example: "food edit Oats --fiber 10.6",
        "food edit 7be4 --serving-size 40g --favourite",
        explanation: "Meals that were logged with it keep their nutrients.", run: run
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

    static func run(arguments: ParsedArguments, home: inout Home) throws {
        let old = try home.read { try FoodNames.require(arguments[food], food, arguments, $0) }
        var changed = old
        if let name = arguments[name] { changed.name = name }
        try FoodOptions.apply(to: &changed, arguments, &home)
        if arguments[favourite] { changed.isFavourite = true }
        if arguments[unfavourite] { changed.isFavourite = false }
        if arguments[archive] { changed.isArchived = true }
        if arguments[unarchive] { changed.isArchived = false }
        guard changed.isChanged(since: old) else { return home.sayUnchanged() }
        home.warn(try home.replica.write { try $0.save(changed) })
        try home.tell("Changed", changed)
    }
}
