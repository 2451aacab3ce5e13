import MacrologArgumentParsing
import Macrolog

/// `delete`, `restore` and `history` among the entries of one kind: `water delete` looks among drinks alone, and so
/// needs fewer digits of an id, and several drinks can be deleted at once.
struct KindVerbs: Sendable {
    let delete: Verb
    let restore: Verb
    let history: Verb

    /// - Parameter type: Its group is the first word of the verbs.
    init<E: FormattedEntry>(of type: E.Type) {
        delete = Self.delete(E.kind, E.group, E.plural, E.exampleID)
        restore = Self.restore(
            E.kind, E.group, "Restore one of the deleted \(E.plural).", E.exampleID)
        let id = Parameter.argument(E.group, .id, "The entry, by the last digits of its id.")
        history = Verb(
            "\(E.group) history", "Show the history of one of the \(E.plural).",
            example: "\(E.group) history \(E.exampleID)", explanation: AnyEntry.historyExplanation,
            run: { words, home in
                let found = try home.find(E.kind, words[id], id, words, includingDeleted: true)
                try AnyEntry.show(historyOf: EntityKey(E.kind.name, found), &home)
            }
        ) { id }
    }

    static let deleteMeals = delete(
        .meal, "meal", "meals", "3f2a",
        explanation: """
            A meal that another device edits concurrently stays, and both devices show a conflict.
            `meal restore` or `undo` restores deleted meals.
            """)
    static let restoreMeal = restore(
        .meal, "meal", "Restore a deleted meal with its items.", "3f2a")
    static let deleteItems = delete(MealItem.kind, "item", "items", "91c0")
    static let deleteWeighIns = delete(WeighIn.kind, "weight", "weigh-ins", "c55d")
    static let restoreFood = restore(.food, "food", "Restore a deleted food.", "7be4")

    /// - Parameters:
    ///   - plural: The entries, in a sentence.
    ///   - example: The end of an id.
    private static func delete(
        _ kind: Kind, _ group: String, _ plural: String, _ example: String,
        explanation: String = ""
    ) -> Verb {
        let ids = Parameter.arguments(
            plural, .id, "The entries, by the last digits of their ids.", atLeastOne: true)
        return Verb(
            "\(group) delete", "Delete \(plural).", example: "\(group) delete \(example)",
            explanation: explanation,
            run: { words, home in
                let found = try words[ids].map { try home.find(kind, $0, ids, words) }
                try EntryKind.of(kind).delete(found, &home)
            }
        ) { ids }
    }

    /// - Parameter example: The end of an id.
    private static func restore(
        _ kind: Kind, _ group: String, _ summary: String, _ example: String
    ) -> Verb {
        let id = Parameter.argument(
            group, .id, "The entry, by the last digits of its id, as `\(group) delete` showed it.")
        return Verb(
            "\(group) restore", summary, example: "\(group) restore \(example)",
            run: { words, home in
                let found = try home.find(kind, words[id], id, words, includingDeleted: true)
                let isThere = try home.replica.read {
                    try !$0.ids(of: kind, endingIn: "\(found)").isEmpty
                }
                guard !isThere else { return home.sayUnchanged() }
                try EntryKind.of(kind).restore(found, &home)
            }
        ) { id }
    }
}
