import MacrologArgumentParsing
import MacrologTerminal
import MacrologJSON
import Macrolog
import MacrologFaces

/// `edit`, `delete`, `restore`, `history`: for an entry of any kind, by its id alone. It answers as the kind's own
/// verb does.
enum AnyEntry {
    static let id = Parameter.argument("id", .id, "The entry, by the last digits of its id.")

    private static let editVerbs = EntryKind.all.compactMap(\.edit)

    static let edit = Verb(
        "edit", "Change an entry of any kind.", example: "edit 3f2a --kcal 410 --p 14",
        "edit c55d --weight 80.4kg",
        explanation: """
            The options are those of the kind's own verb, such as `meal edit`; without any, they are
            listed. Only what you type changes.
            """, run: change
    ) {
        id
        Verb.options(ofAny: editVerbs)
    }

    static let delete = Verb(
        "delete", "Delete an entry of any kind.", example: "delete 3f2a",
        explanation: "`restore` or `undo` restores it.",
        run: { words, home in
            let found = try home.findAny(words[id], words)
            let entry = try found.known(words, to: "deleted")
            guard !found.isDeleted else { throw found.deletedError(words, &home) }
            try entry.delete([found.entity.id], &home)
        }
    ) { id }

    static let restore = Verb(
        "restore", "Restore a deleted entry of any kind.", example: "restore 3f2a",
        run: { words, home in
            let found = try home.findAny(words[id], words, deletedFirst: true)
            let entry = try found.known(words, to: "restored")
            guard found.isDeleted else { return home.sayUnchanged() }
            try entry.restore(found.entity.id, &home)
        }
    ) { id }

    static let history = Verb(
        "history", "Show the history of an entry of any kind.", example: "history 3f2a",
        "history 3f2a --as-of yesterday",
        explanation: historyExplanation,
        run: { words, home in
            let found = try home.findAny(words[id], words)
            guard found.entity.kind != Kind.meal.name else {
                return try MealHistory.show(found.entity.id, words, &home)
            }
            guard !words.has(LookingBack.asOf) else {
                throw words.usageError(
                    of: LookingBack.asOf, "is only for meals", instead: "the id alone")
            }
            try show(historyOf: found.entity, &home)
        }
    ) {
        id
        LookingBack.asOf
    }

    static let historyExplanation =
        "Oldest first, with the vector clock of each event; see `macrolog log --help`."

    /// The events that touched an entity.
    static func show(historyOf entity: EntityKey, _ home: inout Home) throws {
        let replica = try home.replica
        let notation = try replica.read { try $0.notation() }
        let events = try replica.read { try $0.history(of: entity) }
        try home.show(.array(events.map { EventJSON.json($0, notation) })) { home in
            try MealHistory.tell(events, [entity], notation, &home)
        }
    }

    private static func change(words: ParsedArguments, home: inout Home) async throws {
        let found = try home.findAny(words[id], words)
        let entry = try found.known(words, to: "changed")
        guard !found.isDeleted else { throw found.deletedError(words, &home) }
        guard let verb = entry.edit else {
            throw CommandError(
                .dataErr,
                entry.insteadOfEdit.map {
                    "\(words.command): \(entry.kind.title.withArticle) is changed by its own verb: "
                        + "macrolog \($0)"
                } ?? "\(words.command): \(entry.kind.title.withArticle) cannot be changed: "
                    + "macrolog delete \(words[id].text), and add another one")
        }
        guard entry.moves || !words.has(Everywhere.date) else {
            throw words.usageError(
                of: Everywhere.date, "moves no \(entry.kind.title)",
                instead: entry.kind == Meal.kind
                    ? "macrolog meal move" : "the other options without it")
        }
        let moves = entry.moves && (words.has(Everywhere.date) || words.has(Everywhere.at))
        let isTyped = edit.parameters.contains {
            $0.kind != .argument && words.typed($0.name)?.isEmpty == false
        }
        guard moves || isTyped else {
            let options = verb.parameters.filter { $0.kind != .argument }.map(\.label)
            let list = wrapped(options.formattedList, to: home.width).joined(separator: "\n")
            throw UsageError(
                command: "macrolog " + verb.path.joined(separator: " "), argument: nil,
                problem: "needs what to change in \(try home.title(of: found.entity))",
                instead: "Type one or more of\n\(list)")
        }
        let again = verb.path + words.typedOptions + ["\(found.entity.id)"]
        guard case .run(let command, let own) = try program.read(again) else { return }
        try await command.run(own, &home)
    }
}

extension String {
    /// A noun with its indefinite article: `an activity`.
    fileprivate var withArticle: String {
        (first.map { "aeiou".contains($0) } == true ? "an " : "a ") + self
    }
}

/// The entry that was meant by an id, of whichever kind.
struct FoundEntry {
    let entity: EntityKey
    let isDeleted: Bool
    fileprivate let digits: String

    /// What can be done with entries of its kind.
    ///
    /// - Parameter done: What was to be done with it: `deleted`.
    fileprivate func known(_ words: ParsedArguments, to done: String) throws -> EntryKind {
        if let known = EntryKind.of(entity.kind) { return known }
        let title = Kind.named(entity.kind)?.title ?? printable(entity.kind.string)
        throw CommandError(
            .dataErr,
            "\(words.command): \(digits) is \(title.withArticle), which cannot be \(done) by its "
                + "id; macrolog undo reverses what you did last")
    }

    fileprivate func deletedError(_ words: ParsedArguments, _ home: inout Home) -> CommandError {
        let name = (try? home.title(of: entity)) ?? digits
        return CommandError(
            .dataErr, "\(words.command): \(name) is deleted; restore it: macrolog restore \(digits)"
        )
    }
}

extension Home {
    /// The only entry of any kind with a typed id.
    ///
    /// - Parameter deletedFirst: Whether deleted entries are looked at before the others, and not after.
    fileprivate mutating func findAny(
        _ reference: Reference, _ words: ParsedArguments, deletedFirst: Bool = false
    ) throws -> FoundEntry {
        let all = try replica.read {
            try $0.entities(endingIn: reference.text, includingDeleted: deletedFirst)
        }
        .filter { Kind.named($0.entity.kind) != nil }
        let digits = printable(reference.text)
        let first = all.filter { $0.isDeleted == deletedFirst }
        let found = first.isEmpty ? all : first
        guard let one = found.first else {
            throw CommandError(
                .noInput, "\(words.command): there is no entry whose id ends with \(digits)")
        }
        guard found.count == 1 else {
            let list = try found.prefix(8).map {
                "  \($0.entity.id)  \(Kind.named($0.entity.kind)?.title ?? "") "
                    + (try title(of: $0.entity))
            }
            throw words.usageError(
                of: AnyEntry.id,
                "\"\(digits)\" is the end of \(found.count) ids:\n"
                    + list.joined(separator: "\n") + "\n\(words.command): that is ambiguous",
                instead: "more of the last digits")
        }
        return FoundEntry(entity: one.entity, isDeleted: one.isDeleted, digits: digits)
    }
}
