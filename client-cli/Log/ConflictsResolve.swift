import MacrologArgumentParsing
import MacrologTerminal
import MacrologJSON
import Macrolog
import MacrologFaces

/// `conflicts show`, `keep` and `use-other`: shows one conflict, and resolves it.
enum ConflictsResolve {
    static let id = Parameter.argument(
        "id", .id, "The entry in conflict, by the last digits of its id.")
    static let field = Parameter.optionalArgument(
        "field", .text,
        "The field, as the list shows it: energy, name, existence. Otherwise all of the entry.")
    static let number = Parameter.optionalArgument(
        "n", .integer("N", in: 1...100), "Which of the values that lost, where there are several.")

    static let show = Verb(
        "conflicts show", "Show a conflict and how to resolve it.",
        example: "conflicts show 3f2a", "conflicts show 3f2a energy", run: runShow
    ) {
        id
        field
    }

    static let keep = Verb(
        "conflicts keep", "Resolve a conflict: keep the shown value.",
        example: "conflicts keep 3f2a", "conflicts keep 3f2a energy",
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
        example: "conflicts use-other 3f2a", "conflicts use-other 3f2a energy 2",
        explanation: """
            Without a field, all that the same change wrote is used. If several values lost, type
            the number that `conflicts show` gives them. The field of a deletion that lost is called
            existence.
            """, run: runUseOther
    ) {
        id
        field
        number
    }

    private static func runShow(arguments: ParsedArguments, home: inout Home) throws {
        let found = try find(arguments, field: arguments[field], &home)
        let notation = try home.replica.read { try $0.notation() }
        try home.show(.array(found.map { ConflictJSON.json($0, notation) })) { home in
            let groups = found.ofSameChanges
            for (index, conflicts) in groups.enumerated() {
                if index > 0 { home.say("") }
                try ConflictsList.tell(conflicts, notation, &home, isNumbered: true)
                let entity = conflicts[0].entity
                var typed = entity.id.lastDigits(Identifier.shortDigitsMin)
                let isWhole = groups.count == 1 && conflicts.count > 1
                if !isWhole { typed += " " + conflicts[0].cell.typed(in: entity.kind) }
                home.say("Keep what is shown:       macrolog conflicts keep \(typed)")
                home.say(
                    "Use what lost:            macrolog conflicts use-other \(typed)"
                        + (conflicts[0].losers.count > 1 ? " 1" : ""))
            }
        }
    }

    private static func runKeep(arguments: ParsedArguments, home: inout Home) throws {
        let found = try findOfOne(arguments, field: arguments[field], &home)
        try resolve(found.map { .keep($0) }, arguments, &home)
    }

    private static func runUseOther(arguments: ParsedArguments, home: inout Home) throws {
        var (name, typed) = (arguments[field], arguments[number])
        // `use-other 3f2a 2`: no field is called by a number.
        if typed == nil, let number = name.flatMap({ Int64($0) }) { (name, typed) = (nil, number) }
        let found = try findOfOne(arguments, field: name, &home)
        guard found.ofSameChanges.count == 1 else {
            let names = found.map { $0.cell.typed(in: $0.entity.kind) }.formattedList
            throw arguments.usageError(
                of: field, "is missing: different changes wrote its fields", instead: names)
        }
        let count = found[0].losers.count
        guard let index = typed ?? (count == 1 ? 1 : nil), (1...Int64(count)).contains(index)
        else {
            throw arguments.usageError(
                of: number, typed == nil ? "is missing" : "is not one of them",
                instead: count == 1
                    ? "1: one value lost"
                    : "a number from 1 to \(count), as macrolog conflicts show gives them")
        }
        try resolve(found.map { try .use(loser: Int(index) - 1, of: $0) }, arguments, &home)
    }

    /// Resolves conflicts about one entity, as one action.
    private static func resolve(
        _ resolutions: [ConflictResolution], _ arguments: ParsedArguments, _ home: inout Home
    ) throws {
        let entity = resolutions[0].conflict.entity
        let shown = Shown(preferences: try home.preferences)
        let thing = try home.formattedEntity(entity)
        let before = try home.replica.read { try $0.entity(Meal.self, entity.id) }
        try home.replica.write { try $0.resolve(resolutions) }
        let now = try home.replica.read { try $0.entity(Meal.self, entity.id) }
        let left = try home.replica.read { try $0.conflicts() }.filter { $0.entity == entity }
        let json = resolutions.map { ConflictJSON.resolved($0.conflict, as: $0.side) }
        try home.show(arguments.has(field) && json.count == 1 ? json[0] : .array(json)) { home in
            var values = resolutions.map { resolution in
                let conflict = resolution.conflict
                return conflict.cell.title(in: entity.kind)
                    + " \(ConflictsList.value(resolution.side, conflict, shown))"
            }
            // The slot and when it was eaten go with the move that was chosen.
            let asked = resolutions.map { $0.conflict.cell }
            if now?.slot != before?.slot, !asked.contains(.field("meal_type")) {
                values.append("meal slot \(shown.slot(now?.slot))")
            }
            if now?.consumedAt != before?.consumedAt, !asked.contains(.field("consumed_at")) {
                let time = now?.consumedAt.map { localTimeText($0) } ?? "–"
                values.append("eaten at \(time)")
            }
            home.say("Resolved: \(thing): \(values.joined(separator: ", "))")
            guard !left.isEmpty else { return }
            let digits = entity.id.lastDigits(Identifier.shortDigitsMin)
            let names = left.map { $0.cell.title(in: entity.kind) }.joined(separator: ", ")
            home.say("Still in conflict: \(names): macrolog conflicts show \(digits)")
        }
    }

    /// The conflicts of a single entity.
    private static func findOfOne(
        _ arguments: ParsedArguments, field: String?, _ home: inout Home
    ) throws -> [Conflict] {
        let found = try find(arguments, field: field, &home)
        let count = Set(found.map { $0.entity }).count
        guard count == 1 else {
            throw arguments.usageError(
                of: id, "is the end of \(count) ids", instead: "more of the last digits")
        }
        return found
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
