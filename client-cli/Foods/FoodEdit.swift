import MacrologArgumentParsing
import MacrologTerminal
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
        if changed.gtin != old.gtin, let barcode = arguments[FoodOptions.barcode] {
            try requireFree(barcode, changed.id, arguments, &home)
        }
        home.warn(try home.replica.write { try $0.save(changed) })
        if old.isArchived == true { try home.warn(ofSameBarcode: changed) }
        try home.tell("Changed", changed)
    }

    /// Refuses the barcode of another food: a scan finds one food. An archived food
    /// gives way.
    private static func requireFree(
        _ barcode: Barcode, _ id: Identifier, _ arguments: ParsedArguments, _ home: inout Home
    ) throws {
        let owner = try home.replica.read { diary in
            try diary.entity(Food.self, try diary.foodID(of: barcode))
        }
        guard let owner, owner.id != id, owner.isArchived != true else { return }
        let short = try home.shortID(.food, owner.id)
        throw arguments.usageError(
            of: FoodOptions.barcode, "is the barcode of \(printable(owner.fullName))",
            instead: "another one, or first: macrolog food delete \(short)")
    }
}
