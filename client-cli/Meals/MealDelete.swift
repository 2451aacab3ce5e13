import MacrologArgumentParsing
import MacrologTerminal
import Macrolog
import MacrologFaces

/// `meal delete`: deletes meals.
enum MealDelete {
    static let ids = Parameter.arguments(
        "meals", .id, "The meals, by the last digits of their ids.", atLeastOne: true)

    static let command = Verb(
        "meal delete", "Delete meals.", example: "meal delete 3f2a",
        explanation: """
            A meal that another device edits concurrently stays, and both devices show a conflict.
            `meal restore` or `undo` restores deleted meals.
            """, run: run
    ) { ids }

    static func run(words: ParsedArguments, home: inout Home) throws {
        let meals = try home.delete(words[ids], ids, words, of: Meal.self) { try $0.meal($1) }
        try home.show(.deleted(meals.map(\.meal.id))) { home in
            for detail in meals {
                home.say("Deleted \(printable(detail.title))  \(detail.meal.id.lastDigits(4))")
            }
        }
    }
}
