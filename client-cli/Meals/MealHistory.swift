import MacrologArgumentParsing
import MacrologTerminal
import MacrologJSON
import Macrolog
import MacrologFaces

/// `meal history`: all events of a meal and its items.
enum MealHistory {
    static let id = Parameter.argument("meal", .id, "The meal, by the last digits of its id.")

    static let command = Verb(
        "meal history", "Show the history of a meal.",
        example: "meal history 3f2a", "meal history 3f2a --as-of yesterday",
        explanation: """
            Oldest first, with the vector clock of each event; see `macrolog log --help`. With
            --as-of, the events up to then, and the meal as it was.
            """,
        run: run
    ) {
        id
        LookingBack.asOf
    }

    static func run(arguments: ParsedArguments, home: inout Home) throws {
        try show(
            try home.find(Meal.self, arguments[id], id, arguments, includingDeleted: true),
            arguments, &home)
    }

    /// - Parameter arguments: May say up to when.
    static func show(
        _ target: Identifier, _ arguments: ParsedArguments, _ home: inout Home
    ) throws {
        let replica = try home.replica
        let notation = try replica.read { try $0.notation() }
        let asOf = try LookingBack.asOf(arguments, notation, &home)
        let entities = try entities(of: target, replica)
        var events: [LoggedEvent] = []
        for entity in entities {
            for logged in try replica.read({ try $0.history(of: entity, asOf: asOf) })
            where !events.contains(where: { $0.event.dot == logged.event.dot }) {
                events.append(logged)
            }
        }
        events.sort(by: LoggedEvent.precedes)
        guard let asOf else {
            return try home.show(.array(events.map { EventJSON.json($0, notation) })) { home in
                try tell(events, entities, notation, &home)
            }
        }
        try home.lookBack(to: asOf)
        let detail = try home.replica.read { try $0.meal(target) }
        try home.show(EventJSON.history(events, notation, meal: detail)) { home in
            try tell(events, entities, notation, &home)
            if !events.isEmpty { home.say("") }
            if let heading = LookingBack.heading(arguments) { home.say(heading) }
            guard let detail else {
                return home.say(events.isEmpty ? "The meal did not exist yet." : "It was deleted.")
            }
            try MealShow.tell(detail, &home)
        }
    }

    /// The meal, and every item that is or was a part of it: the event that adds an item names the
    /// meal.
    private static func entities(of meal: Identifier, _ replica: Replica) throws -> [EntityKey] {
        let meal = EntityKey(Kind.meal.name, meal)
        var entities = [meal]
        for logged in try replica.read({ try $0.history(of: meal) }) {
            for change in logged.event.changes
            where change.entity.kind == Kind.mealItem.name && !entities.contains(change.entity) {
                let item = try replica.read {
                    try $0.entity(MealItem.self, change.entity.id, includingDeleted: true)
                }
                if item?.mealID == meal.id { entities.append(change.entity) }
            }
        }
        return entities
    }

    /// Events line by line, with the changes that each made to some entities.
    static func tell(
        _ events: [LoggedEvent], _ entities: [EntityKey], _ notation: Notation,
        _ home: inout Home
    ) throws {
        var notation = notation
        let shown = Shown(preferences: try home.preferences)
        if let moment = try home.replica.compactedBefore() {
            let line =
                "History before \(localTimeText(moment)) was compacted: values that were replaced "
                + "are not listed."
            for line in wrapped(line, to: home.width) { home.say(home.style.paint(line, .dim)) }
        }
        for logged in events {
            let event = logged.event
            home.say(
                home.style.paint(notation.write(event.dot), .bold) + "  "
                    + home.style.paint(notation.write(logged.clock), .cyan)
                    + "  \(localTimeText(event.wall))  \(printable(event.type.string))")
            if logged.isCompacted {
                home.say(
                    home.style.paint("    compacted: later events replaced its values", .dim))
            }
            for change in event.changes where entities.contains(change.entity) {
                for operation in change.operations {
                    let what = ShowLog.text(operation, in: change.entity.kind, shown)
                    let item = change.entity.kind == Kind.mealItem.name ? "item " : ""
                    for line in wrapped(item + what, to: home.width - 4) { home.say("    \(line)") }
                }
            }
        }
    }
}
