import MacrologArgumentParsing
import MacrologTerminal
import MacrologJSON
import Macrolog

/// `conflicts list`: the conflicts between devices, and the vector clocks that decided.
enum ConflictsList {
    static let command = Verb(
        "conflicts list", "List the conflicts between your devices.", example: "conflicts list",
        explanation: """
            Two devices wrote different values to one field, and neither had seen the other's change:
            their clocks are concurrent. Every device shows the later value by the server's time; the
            other one is listed here and not lost. `conflicts keep` and `conflicts use-other` resolve
            a conflict, and so does any new edit of the field. A deletion never wins over a change
            that it had not seen.
            """, run: run)

    static func run(words: Words, home: inout Home) throws {
        let found = try home.replica.disagreements()
        let notation = try home.replica.notation()
        try home.show(.array(found.map { json($0, notation) })) { home in
            guard !found.isEmpty else { return home.say("No conflicts.") }
            for (index, disagreement) in found.enumerated() {
                if index > 0 { home.say("") }
                try tell(disagreement, notation, &home)
            }
        }
    }

    /// - Parameter isNumbered: Whether several losing values are numbered.
    static func tell(
        _ disagreement: Disagreement, _ notation: Notation, _ home: inout Home,
        isNumbered: Bool = false
    ) throws {
        let shown = Shown(preferences: try home.preferences)
        let thing = try home.spokenThing(disagreement.entity, style: home.style)
        home.say("\(thing): \(fieldOf(disagreement.cell))")
        var notation = notation
        var table = Table(
            Table.Column(""), Table.Column("value"), Table.Column("event"), Table.Column("clock"),
            Table.Column("n", .right), Table.Column("sealed"))
        let sides =
            [("shown", disagreement.winner)]
            + disagreement.losers.enumerated().map { index, side in
                (isNumbered && disagreement.losers.count > 1 ? "lost \(index + 1)" : "lost", side)
            }
        for (word, side) in sides {
            let logged = side.logged
            table.add(
                Table.Cell(word, word == "shown" ? .green : .yellow),
                Table.Cell(value(side, disagreement, shown)),
                Table.Cell(notation.write(logged.event.dot), .bold),
                Table.Cell(notation.write(logged.clock), .cyan),
                Table.Cell(logged.seal.map { "\($0.n)" } ?? "–"),
                Table.Cell(logged.seal.map { localTimeText($0.milliseconds) } ?? "–", .dim))
        }
        home.say(table.lines(style: home.style, width: home.terminalWidth))
    }

    static func fieldOf(_ cell: CellKey) -> String {
        if case .field(let name) = cell { return fieldInWords(name) }
        return cell.spoken
    }

    static func value(
        _ side: Disagreement.Side, _ disagreement: Disagreement, _ shown: Shown
    ) -> String {
        switch disagreement.cell {
        case .field(let name):
            spoken(side.value, of: name, in: disagreement.entity.kind, shown)
        case .life: side == disagreement.winner ? "changed" : "deleted"
        case .member, .newer: side.value.spoken
        }
    }

    /// A value as an object, whose key says what it is and in which unit.
    static func value(_ side: Disagreement.Side, _ disagreement: Disagreement) -> JSON {
        let kind = disagreement.entity.kind
        return switch disagreement.cell {
        case .field(let name): FieldJSON.object([name: side.value], in: kind)
        case .life: ["deleted": .bool(side != disagreement.winner)]
        case .member(let field, let element):
            [
                "element": FieldJSON.element(element, of: field, in: kind),
                "present": side.value.json,
            ]
        case .newer: [:]
        }
    }

    static func json(_ disagreement: Disagreement, _ notation: Notation) -> JSON {
        func side(_ side: Disagreement.Side) -> JSON {
            .object([
                JSON.Member("value", value(side, disagreement)),
                JSON.Member("by", EventJSON.json(side.logged, notation)),
            ])
        }
        return .object([
            JSON.Member("kind", .text(disagreement.entity.kind)),
            JSON.Member("id", .id(disagreement.entity.id)),
            JSON.Member("cell", .string(disagreement.cell.jsonName(in: disagreement.entity.kind))),
            JSON.Member("shown", side(disagreement.winner)),
            JSON.Member("lost", .array(disagreement.losers.map(side))),
        ])
    }
}

extension Home {
    /// `meal 3f2a Soup`
    mutating func spokenThing(_ entity: EntityKey, style: Style = .plain) throws -> String {
        let kind = Kind(name: entity.kind)
        let short = try kind.map { try shortID($0, entity.id) } ?? entity.id.lastDigits(4)
        let name = try nameOfThing(entity)
        return style.paint("\(kind?.word ?? printable(entity.kind.string)) \(short)", .bold)
            + (name.map { " \(printable($0))" } ?? "")
    }

    /// The name of an entity; `nil` for kinds without names.
    mutating func nameOfThing(_ entity: EntityKey) throws -> String? {
        switch Kind(name: entity.kind) {
        case .meal?: try replica.meal(entity.id)?.title
        case .mealItem?: try replica.entity(MealItem.self, entity.id)?.name
        case .food?: try replica.entity(Food.self, entity.id)?.fullName
        case .weighIn?:
            try replica.entity(WeighIn.self, entity.id).map { "of \($0.localDate.day)" }
        case .goalPlan?: try replica.entity(GoalPlan.self, entity.id).map { "from \($0.startDate)" }
        case .dayLog?: try replica.entity(DayLog.self, entity.id).map { "\($0.day)" }
        default: nil
        }
    }
}
