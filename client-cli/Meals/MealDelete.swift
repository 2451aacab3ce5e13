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
        let targets = try words[ids].map { try home.find(Meal.self, $0, ids, words) }
        let meals = try home.replica.read { diary in
            try targets.map { try diary.require(Meal.self, $0) }
        }
        let titles = try home.replica.read { diary in
            try targets.map { try diary.meal($0)?.title ?? "Meal" }
        }
        try home.replica.write { try $0.record(meals.map { Draft.delete($0) }) }
        try home.show(.deleted(targets)) { home in
            for (title, id) in zip(titles, targets) {
                home.say("Deleted \(printable(title))  \(id.lastDigits(4))")
            }
        }
    }
}
