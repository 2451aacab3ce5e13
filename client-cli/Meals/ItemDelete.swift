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
        let targets = try words[ids].map { try home.find(MealItem.self, $0, ids, words) }
        let items = try home.replica.read { diary in
            try targets.map { try diary.require(MealItem.self, $0) }
        }
        try home.replica.write { try $0.record(items.map { Draft.delete($0) }) }
        try home.show(.deleted(targets)) { home in
            for item in items {
                home.say("Deleted \(printable(item.name ?? "item"))  \(item.id.lastDigits(4))")
            }
        }
    }
}
