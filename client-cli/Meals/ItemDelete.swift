import MacrologArgumentParsing
import MacrologTerminal
import Macrolog
import MacrologFaces

/// `item delete`: deletes an item of a meal.
enum ItemDelete {
    static let ids = Parameter.arguments(
        "items", .id, "The items, by the last digits of their ids.", atLeastOne: true)

    static let command = Verb(
        "item delete", "Delete items of meals.", example: "item delete 91c0", run: run
    ) { ids }

    static func run(words: ParsedArguments, home: inout Home) throws {
        let items = try home.delete(words[ids], ids, words, of: MealItem.self) {
            try $0.require(MealItem.self, $1)
        }
        try home.show(.deleted(items.map(\.id))) { home in
            for item in items {
                home.say("Deleted \(printable(item.name ?? "item"))  \(item.id.lastDigits(4))")
            }
        }
    }
}
