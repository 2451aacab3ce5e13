import MacrologArgumentParsing
import MacrologTerminal
import MacrologJSON
import Macrolog
import MacrologFaces

/// `conflicts show`, `keep` and `use-other`: shows one conflict, and resolves it.
enum ConflictsResolve {
    static let id = Parameter.argument(
        "id", .id, "The entry in conflict, by the last digits of its id.")
    static let field = Parameter.argument(
        "field", .text, "The field, as the list shows it: energy, name, existence.")
    static let anyField = Parameter.optionalArgument(
        "field", .text, "The field, as the list shows it. Otherwise all of them.")
    static let number = Parameter.optionalArgument(
        "n", .integer("N", in: 1...100), "Which of the values that lost, where there are several.")

    static let show = Verb(
        "conflicts show", "Show a conflict and how to resolve it.",
        example: "conflicts show 3f2a", "conflicts show 3f2a energy", run: runShow
    ) {
        id
        anyField
    }

    static let keep = Verb(
        "conflicts keep", "Resolve a conflict: keep the shown value.",
        example: "conflicts keep 3f2a energy",
        explanation: """
            An ordinary event writes the shown value again; it has seen all the others, so the
            conflict is resolved on every device, permanently.
            """, run: runKeep
    ) {
        id
        field
    }

    static let useOther = Verb(
        "conflicts use-other", "Resolve a conflict: use a value that lost.",
        example: "conflicts use-other 3f2a energy", "conflicts use-other 3f2a energy 2",
        explanation: """
            If several values lost, type the number that `conflicts show` gives them. The field of a
            deletion that lost is called existence.
            """, run: runUseOther
    ) {
        id
        field
        number
    }

    private static func runShow(arguments: ParsedArguments, home: inout Home) throws {
        let found = try find(arguments, field: arguments[anyField], &home)
        let notation = try home.replica.read { try $0.notation() }
        try home.show(.array(found.map { ConflictJSON.json($0, notation) })) { home in
            for (index, conflict) in found.enumerated() {
                if index > 0 { home.say("") }
                try ConflictsList.tell(conflict, notation, &home, isNumbered: true)
                let name = conflict.cell.typed(in: conflict.entity.kind)
                let digits = conflict.entity.id.lastDigits(Identifier.shortDigitsMin)
                home.say("Keep the shown value:     macrolog conflicts keep \(digits) \(name)")
                home.say(
                    "Use a value that lost:    macrolog conflicts use-other \(digits) \(name)"
                        + (conflict.losers.count > 1 ? " 1" : ""))
            }
        }
    }

    private static func runKeep(arguments: ParsedArguments, home: inout Home) throws {
        let found = try findOne(arguments, &home)
        try resolve(.keep(found), &home)
    }

    private static func runUseOther(arguments: ParsedArguments, home: inout Home) throws {
        let found = try findOne(arguments, &home)
        let count = found.losers.count
        guard let index = arguments[number] ?? (count == 1 ? 1 : nil), index <= count else {
            throw arguments.usageError(
                of: number, arguments.has(number) ? "is too great" : "is missing",
                instead: count == 1
                    ? "1: one value lost"
                    : "a number from 1 to \(count), as macrolog conflicts show gives them")
        }
        try resolve(.use(loser: Int(index) - 1, of: found), &home)
    }

    private static func resolve(_ resolution: ConflictResolution, _ home: inout Home) throws {
        let asked = resolution.conflict
        let shown = Shown(preferences: try home.preferences)
        let thing = try home.formattedEntity(asked.entity)
        try home.replica.write { try $0.resolve([resolution]) }
        let value = ConflictsList.value(resolution.side, asked, shown)
        try home.show(ConflictJSON.resolved(asked, as: resolution.side)) { home in
            home.say("Resolved: \(thing): \(asked.cell.title(in: asked.entity.kind)) \(value)")
        }
    }

    private static func findOne(_ arguments: ParsedArguments, _ home: inout Home) throws -> Conflict
    {
        let found = try find(arguments, field: arguments[field], &home)
        guard found.count == 1 else {
            throw arguments.usageError(
                of: id, "is the end of \(found.count) ids", instead: "more of the last digits")
        }
        return found[0]
    }

    /// The conflict of the entity with these digits.
    private static func find(
        _ arguments: ParsedArguments, field: String?, _ home: inout Home
    ) throws -> [Conflict] {
        let digits = arguments[id].text.utf8.filter { $0 != UInt8(ascii: "-") }
            .map { (65...70).contains($0) ? $0 + 32 : $0 }
        let about = try home.replica.read { try $0.conflicts() }.filter {
            $0.entity.id.lastDigits(digits.count).utf8.elementsEqual(digits)
        }
        guard !about.isEmpty else {
            throw CommandError(
                .noInput,
                "\(arguments.command): no conflict about "
                    + "\(printable(arguments[id].text)); see: macrolog conflicts list")
        }
        guard let field else { return about }
        let matching = about.filter { $0.cell.isCalled(field, in: $0.entity.kind) }
        guard !matching.isEmpty else {
            let names = about.map { $0.cell.typed(in: $0.entity.kind) }.formattedList
            throw CommandError(
                .noInput,
                "\(arguments.command): no conflict about its \(printable(field)); "
                    + "in conflict: \(names)")
        }
        return matching
    }
}

extension CellKey {
    /// The field as one word to type: `dish-name`.
    fileprivate func typed(in kind: UTF8Text) -> String {
        String(title(in: kind).map { $0 == " " ? "-" : $0 })
    }

    /// Whether a word is the field's name: `dish-name`, `dish_name`, `weight_kg`, in any case.
    fileprivate func isCalled(_ word: String, in kind: UTF8Text) -> Bool {
        let bytes = word.lowercased().utf8.map {
            $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: " ") ? UInt8(ascii: "-") : $0
        }
        let names = [formatted, jsonName(in: kind)].map { name in
            name.utf8.map { $0 == UInt8(ascii: "_") ? UInt8(ascii: "-") : $0 }
        }
        return bytes == Array(typed(in: kind).lowercased().utf8) || names.contains(bytes)
    }
}
