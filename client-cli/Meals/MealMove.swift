import MacrologArgumentParsing
import Macrolog

/// `meal move`: changes the time and the slot of a meal.
enum MealMove {
    static let id = Parameter.argument("meal", .id, "The meal, by the last digits of its id.")
    static let day = Parameter.optionalArgument(
        "day", .day,
        "The day to move it to: yesterday, -3 or 2026-11-20. Otherwise --date, or the same.")
    static let time = Parameter.option("time", .moment, "The time to move it to: 07:40.")

    static let command = Verb(
        "meal move", "Move a meal to another day, time or meal slot.",
        example: "meal move 3f2a yesterday", "meal move 3f2a --time 12:30 --slot lunch", run: run
    ) {
        id
        day
        time
        Slots.slot
    }

    static func run(arguments: ParsedArguments, home: inout Home) throws {
        let found = try home.find(Meal.self, arguments[id], id, arguments)
        let old = try home.replica.read { try $0.require(Meal.self, found) }
        var meal = old
        var target = try arguments[day].map { try home.typedDay($0, day, arguments) }
        if arguments.has(Everywhere.date) {
            guard target == nil else { throw arguments.usageError(combining: "DAY", "--date") }
            target = try home.day
        }
        meal.localDate = try home.movedDate(old.localDate, to: target, at: arguments[time], time)
        if let slot = try Slots.typed(arguments, &home) {
            meal.slot = slot
        } else if arguments.has(time),
            try old.slot == nil || old.slot == Slots.fitting(old.localDate, &home)
        {
            // Another slot than that of its time was chosen, and stays.
            meal.slot = try Slots.fitting(meal.localDate, &home) ?? meal.slot
        }
        if meal.isConsumed, meal.localDate != old.localDate {
            meal.consumedAt = meal.localDate.occurredAt
        }
        if meal == old, target == nil, !arguments.has(time), !arguments.has(Slots.slot) {
            throw arguments.usageError(
                of: day, "is missing", instead: "a day, --time or --slot to move it to")
        }
        try home.save(meal, was: old, verb: "Moved")
    }
}
