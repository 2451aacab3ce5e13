import MacrologArgumentParsing
import MacrologTerminal
import MacrologJSON
import Macrolog
import MacrologFaces

/// `conflicts list`: the conflicts between devices, and the vector clocks that decided.
enum ConflictsList {
    static let command = Verb(
        "conflicts list", "List the conflicts between your devices.", example: "conflicts list",
        explanation: """
            Two devices wrote different values to one field, and neither had seen the other's change:
            their clocks are concurrent. Every device shows the later value by the server's time; the
            other one is listed here and not lost. `conflicts keep` and `conflicts use-other` resolve
            a conflict, and so does any new edit of the field. Fields that the same two changes
            wrote, such as an amount and its nutrients, are listed together. A deletion never wins
            over a change that it had not seen.
            """, run: run)

    static func run(arguments: ParsedArguments, home: inout Home) throws {
        let found = try home.replica.read { try $0.conflicts() }
        let notation = try home.replica.read { try $0.notation() }
        try home.show(.array(found.map { ConflictJSON.json($0, notation) })) { home in
            guard !found.isEmpty else { return home.say("No conflicts.") }
            for (index, conflicts) in found.ofSameChanges.enumerated() {
                if index > 0 { home.say("") }
                try tell(conflicts, notation, &home)
            }
        }
    }

    /// Shows what the same changes wrote into one entity: a field, or several.
    ///
    /// - Parameter isNumbered: Whether several losing values are numbered.
    static func tell(
        _ conflicts: [Conflict], _ notation: Notation, _ home: inout Home, isNumbered: Bool = false
    ) throws {
        let conflict = conflicts[0]
        let shown = Shown(preferences: try home.preferences)
        let thing = try home.formattedEntity(conflict.entity, style: home.style)
        let isAlone = conflicts.count == 1
        let titles = conflicts.map { $0.cell.title(in: conflict.entity.kind) }
        home.say("\(thing): \(titles.joined(separator: ", "))")
        let sides =
            ["shown"]
            + conflict.losers.indices.map { index in
                isNumbered && conflict.losers.count > 1 ? "lost \(index + 1)" : "lost"
            }
        if !isAlone {
            var values = Table(columns: [Table.Column("")] + sides.map { Table.Column($0) })
            for (title, conflict) in zip(titles, conflicts) {
                let row = ([conflict.winner] + conflict.losers).map { value($0, conflict, shown) }
                values.add([Table.Cell(title)] + row.map { Table.Cell($0) })
            }
            home.say(values.lines(style: home.style, width: home.terminalWidth) + [""])
        }
        var notation = notation
        var table = Table(
            columns: [Table.Column("")] + (isAlone ? [Table.Column("value")] : []) + [
                Table.Column("event"), Table.Column("clock"), Table.Column("n", .right),
                Table.Column("sealed"),
            ])
        for (word, side) in zip(sides, [conflict.winner] + conflict.losers) {
            let logged = side.logged
            table.add(
                [Table.Cell(word, word == "shown" ? .green : .yellow)]
                    + (isAlone ? [Table.Cell(value(side, conflict, shown))] : []) + [
                        Table.Cell(notation.write(logged.event.dot), .bold),
                        Table.Cell(notation.write(logged.clock), .cyan),
                        Table.Cell(logged.n.map { "\($0)" } ?? "–"),
                        Table.Cell(logged.sealedAt.map { localTimeText($0) } ?? "–", .dim),
                    ])
        }
        home.say(table.lines(style: home.style, width: home.terminalWidth))
        let areAlike = conflicts.allSatisfy { conflict in
            Set(([conflict.winner] + conflict.losers).map { value($0, conflict, shown) }).count == 1
        }
        if areAlike {
            home.say("More than one device wrote this; the values differ by less than is shown.")
        }
    }

    static func value(
        _ side: Conflict.Side, _ conflict: Conflict, _ shown: Shown
    ) -> String {
        switch conflict.cell {
        case .field(let name):
            formatted(side.value, of: name, in: conflict.entity.kind, shown)
        case .life: side == conflict.winner ? "changed" : "deleted"
        case .member, .newer: side.value.formatted
        }
    }
}

extension [Conflict] {
    /// Groups those about one entity whose values were written by the same events, such as an amount
    /// and the nutrients that follow it.
    var ofSameChanges: [[Conflict]] {
        var groups: [[Conflict]] = []
        for conflict in self {
            if let index = groups.firstIndex(where: { $0[0].isOfSameChanges(as: conflict) }) {
                groups[index].append(conflict)
            } else {
                groups.append([conflict])
            }
        }
        return groups
    }
}

extension Conflict {
    fileprivate func isOfSameChanges(as other: Conflict) -> Bool {
        entity == other.entity && winner.isOfSameAction(as: other.winner)
            && losers.count == other.losers.count
            && zip(losers, other.losers).allSatisfy { $0.isOfSameAction(as: $1) }
    }
}

extension Conflict.Side {
    /// Whether one event or one group of events wrote both, such as an answer about several fields.
    fileprivate func isOfSameAction(as other: Conflict.Side) -> Bool {
        let (event, another) = (logged.event, other.logged.event)
        return event.dot == another.dot || event.group != nil && event.group == another.group
    }
}

extension Home {
    /// `meal 3f2a Soup`, `water 9667 of 2026-11-20`
    mutating func formattedEntity(_ entity: EntityKey, style: Style = .plain) throws -> String {
        let kind = Kind.named(entity.kind)
        let short = try kind.map { try shortID($0, entity.id) } ?? entity.id.lastDigits(4)
        let name = try nameOfThing(entity) ?? storedName(entity)
        return style.paint("\(kind?.title ?? printable(entity.kind.string)) \(short)", .bold)
            + (name.map { " \(printable($0))" } ?? "")
    }

    /// The name of an entity; `nil` for kinds without names.
    mutating func nameOfThing(_ entity: EntityKey) throws -> String? {
        switch Kind.named(entity.kind) {
        case .meal?: try replica.read { try $0.meal(entity.id) }?.title
        case .mealItem?: try replica.read { try $0.entity(MealItem.self, entity.id) }?.name
        case .food?: try replica.read { try $0.entity(Food.self, entity.id) }?.fullName
        case .weighIn?:
            try replica.read { try $0.entity(WeighIn.self, entity.id) }.map {
                "of \($0.localDate.day)"
            }
        case .goalPlan?:
            try replica.read { try $0.entity(GoalPlan.self, entity.id) }.map {
                "from \($0.startDate)"
            }
        case .dayLog?:
            try replica.read { try $0.entity(DayLog.self, entity.id) }.map { "\($0.day)" }
        case let kind? where kind.name == CheckIn.kind.name:
            try replica.read { try $0.entity(CheckIn.self, entity.id) }.map { "of \($0.day)" }
        case let kind? where kind.name == FoodPortion.kind.name:
            try replica.read { try $0.entity(FoodPortion.self, entity.id) }.map { portion in
                let food = try replica.read { try $0.entity(Food.self, portion.foodID) }
                return portion.label + (food.map { " of \($0.name)" } ?? "")
            }
        default: nil
        }
    }
}
