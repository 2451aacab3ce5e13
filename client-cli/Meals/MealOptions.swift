import MacrologArgumentParsing
import Macrolog

/// The options of verbs that record a meal.
enum MealOptions {
    static let time = Parameter.option("time", .moment, "When it was eaten: 07:40.")
    static let notConsumed = Parameter.flag(
        "not-consumed", "Planned, not eaten yet: it does not count.")
    static let estimated = Parameter.flag("estimated", "The numbers are estimated.")
    static let note = Parameter.option("note", .text, "A note.")
    static let tags = Parameter.options("tag", .text("TAG"), "Add a tag.")

    static let all: [Specification] = [
        Slots.slot.specification, time.specification, notConsumed.specification,
        estimated.specification, note.specification, tags.specification,
    ]

    /// A new meal with all typed options except nutrients.
    static func meal(named name: String?, _ arguments: ParsedArguments, _ home: inout Home) throws
        -> Meal
    {
        let date = try home.entryDate(time: arguments[time], time)
        let slot = try Slots.typed(arguments, &home) ?? Slots.fitting(date, &home)
        let isConsumed = !arguments[notConsumed]
        var meal = Meal(
            id: try home.replica.newID(), on: date, dishName: name, slot: slot,
            isConsumed: isConsumed)
        if isConsumed { meal.consumedAt = date.occurredAt }
        if arguments[estimated] { meal.isEstimated = true }
        meal.note = arguments[note]
        meal.tags = arguments[tags]
        return meal
    }
}
