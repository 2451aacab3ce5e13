import Commands
import JSON
import Macrolog

/// `meal history`: everything that ever happened to a meal and its items.
enum MealHistory {
    static let id = Parameter.argument("meal", .id, "The meal, by the last digits of its id.")

    static let command = Verb(
        "meal history", "Show everything that ever happened to a meal.",
        example: "meal history 3f2a",
        explanation: "Oldest first, with the clock of each event; see `macrolog log --help`.",
        run: run
    ) { id }

    static func run(words: Words, home: inout Home) throws {
        let target = try home.find(Meal.self, words[id], id, words, evenDeleted: true)
        var entities = [EntityKey(Kind.meal.name, target)]
        for item in try home.replica.meal(target)?.items ?? [] {
            entities.append(EntityKey(Kind.mealItem.name, item.id))
        }
        var events: [LoggedEvent] = []
        for entity in entities {
            for logged in try home.replica.history(of: entity)
            where !events.contains(where: { $0.event.dot == logged.event.dot }) {
                events.append(logged)
            }
        }
        events.sort(by: precedes)
        let notation = try home.replica.notation()
        try home.show(.array(events.map { EventJSON.json($0, notation) })) { home in
            try tell(events, entities, notation, &home)
        }
    }

    /// The order of the log: sealed events by number, then this device's own.
    private static func precedes(_ left: LoggedEvent, _ right: LoggedEvent) -> Bool {
        switch (left.seal, right.seal) {
        case (let left?, let right?): left.n < right.n
        case (_?, nil): true
        case (nil, _?): false
        case (nil, nil): left.event.dot < right.event.dot
        }
    }

    private static func tell(
        _ events: [LoggedEvent], _ entities: [EntityKey], _ notation: Notation,
        _ home: inout Home
    ) throws {
        var notation = notation
        let shown = Shown(preferences: try home.preferences)
        for logged in events {
            let event = logged.event
            home.say(
                home.style.paint(notation.write(event.dot), .bold) + "  "
                    + home.style.paint(notation.write(logged.clock), .cyan)
                    + "  \(localTimeText(event.wall))  \(printable(event.type.string))")
            for change in event.changes where entities.contains(change.entity) {
                for operation in change.operations {
                    let what = ShowLog.told(operation, in: change.entity.kind, shown)
                    let item = change.entity.kind == Kind.meal.name ? "" : "item "
                    for line in wrapped(item + what, to: home.width - 4) { home.say("    \(line)") }
                }
            }
        }
    }
}
