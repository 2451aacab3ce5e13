import MacrologArgumentParsing
import MacrologTerminal
import MacrologJSON
import Macrolog
import MacrologFaces

/// `food favourite`, `archive`, `delete` and their inverses, and `food barcode`.
enum FoodMarks {
    static let favourite = mark(
        "favourite", "List a food first.", "Listed first:"
    ) { $0.isFavourite = true }
    static let unfavourite = mark(
        "unfavourite", "Stop listing a food first.", "Listed among the others:"
    ) { if $0.isFavourite == true { $0.isFavourite = false } }
    static let archive = mark(
        "archive", "Hide a food from lists; meals keep it.",
        "Archived:"
    ) { $0.isArchived = true }
    static let unarchive = mark(
        "unarchive", "Show a hidden food in lists again.", "Unarchived:"
    ) { if $0.isArchived == true { $0.isArchived = false } }

    private static func mark(
        _ word: String, _ summary: String, _ sentence: String,
        _ change: @escaping @Sendable (inout Food) -> Void
    ) -> Verb {
        Verb(
            "food \(word)", summary, example: "food \(word) Oats",
            run: { arguments, home in
                let old = try home.read {
                    try FoodNames.require(arguments[FoodShow.food], FoodShow.food, arguments, $0)
                }
                var food = old
                change(&food)
                guard food != old else { return home.sayUnchanged() }
                home.warn(try home.replica.write { try $0.save(food) })
                try home.warn(ofSameBarcode: food)
                try home.tell(sentence, food)
            }
        ) { FoodShow.food }
    }

    static let digits = Parameter.argument("digits", .barcode, "The digits of the barcode.")

    static let barcode = Verb(
        "food barcode", "Show the food of a barcode.", example: "food barcode 4006381333931",
        explanation: """
            GTIN-8, -12, -13 and -14 with or without leading zeros, and UPC-E, identify one product.
            Products can be imported: macrolog food import off.
            """,
        run: { arguments, home in try show(arguments[digits], arguments, &home) }
    ) { digits }

    /// Shows the food of a barcode, or says how to store one.
    static func show(_ barcode: Barcode, _ arguments: ParsedArguments, _ home: inout Home) throws {
        guard let food = try food(of: barcode, &home) else {
            throw CommandError(
                .noInput,
                "\(arguments.command): no food has the barcode \(barcode.gtin); add it: "
                    + "macrolog food add NAME --barcode \(barcode.gtin)")
        }
        try FoodShow.show(food, &home)
    }

    static func food(of barcode: Barcode, _ home: inout Home) throws -> Food? {
        try home.replica.read { try $0.foods(matching: barcode.gtin.string, limit: 1) }.first
    }

    static let delete = Verb(
        "food delete", "Delete a food; meals keep their items.",
        example: "food delete Oats",
        run: { arguments, home in
            let food = try home.read {
                try FoodNames.require(arguments[FoodShow.food], FoodShow.food, arguments, $0)
            }
            try EntryKind.of(.food).delete([food.id], &home)
        }
    ) { FoodShow.food }
}

extension Home {
    /// Names another food that has the barcode of one that is shown again: a scan finds only one of them.
    mutating func warn(ofSameBarcode food: Food) throws {
        guard let digits = food.gtin, food.isArchived != true else { return }
        let other = try replica.read { try $0.foods(matching: digits, limit: 3) }
            .first { $0.id != food.id && $0.gtin == digits && $0.isArchived != true }
        guard let other else { return }
        let short = try shortID(.food, other.id)
        warn(
            "\(other.fullName) has the same barcode: macrolog food archive \(short) hides that one")
    }
}
