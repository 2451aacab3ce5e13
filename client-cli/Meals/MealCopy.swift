import MacrologArgumentParsing
import Macrolog

/// `meal copy`: records the same meal again: whole, a share of it, or the rest.
enum CopyMeal {
    static let id = Parameter.argument("meal", .id, "The meal, by the last digits of its id.")
    static let share = Parameter.option(
        "share", .share, "The share of the dish that is eaten this time: 50% or 1/2.")
    static let leftover = Parameter.flag(
        "leftover", "The share of the dish that the meal left over.")

    static let command = Verb(
        "meal copy", "Copy a meal.", example: "meal copy 3f2a",
        "meal copy 3f2a --date yesterday --slot dinner", "meal copy 3f2a --share 50%",
        explanation: """
            The copy is logged now, or at --at, --date and --time, with the meal's present items and
            nutrients. If 40% of a dish was eaten (meal edit --share 40%), --leftover logs the other
            60%.
            """, run: run
    ) {
        id
        Slots.slot
        MealOptions.time
        MealOptions.notConsumed
        share
        leftover
    }

    static func run(arguments: ParsedArguments, home: inout Home) throws {
        let source = try home.find(Meal.self, arguments[id], id, arguments)
        guard let detail = try home.replica.read({ try $0.meal(source) }) else {
            throw EntryError(.notFound(.meal))
        }
        let date = try home.entryDate(time: arguments[MealOptions.time], MealOptions.time)
        let replica = try home.replica
        let copy = MealCopy(
            of: detail.meal, items: detail.items, on: date, slot: try Slots.typed(arguments, &home),
            shareBasisPoints: try share(of: detail.meal, arguments, &home),
            isConsumed: !arguments[MealOptions.notConsumed], newID: { replica.newID() })
        var meal = copy.meal
        if meal.isConsumed { meal.consumedAt = date.occurredAt }
        home.warn(try replica.write { try $0.add(meal, items: copy.items) })
        try home.tellMeal("Copied", meal.id)
    }

    private static func share(
        of meal: Meal, _ arguments: ParsedArguments, _ home: inout Home
    ) throws -> Int64? {
        let typed = try home.value(share, arguments)
        guard arguments[leftover] else { return typed ?? nil }
        if typed != nil {
            throw arguments.usageError(combining: "--share", "--leftover")
        }
        let left = meal.leftoverBasisPoints
        guard left > 0 else {
            throw CommandError(
                .dataErr,
                "\(arguments.command): nothing was left over from that meal; set the share that was eaten: "
                    + "macrolog meal edit ID --share 50%")
        }
        return left
    }
}
