import MacrologArgumentParsing
import MacrologTerminal
import Macrolog
import MacrologFaces

/// `food apply-to-history`: updates past meals with a food's current nutrients.
enum FoodApply {
    static let from = Parameter.requiredOption(
        "from", .day, "The first day whose meals change: 2026-11-01, -7, monday.")
    static let dryRun = Parameter.flag("dry-run", "Show what would change without changing it.")

    static let command = Verb(
        "food apply-to-history", "Apply a food's present nutrients to past meals.",
        example: "food apply-to-history Oats --from 2026-11-01 --dry-run",
        explanation: """
            Meals keep the nutrients that a food had when they were logged. This changes them, from a
            day on: each item of the food gets the present nutrients of its amount. Items whose
            nutrients you edited, and those of unknown mass, stay as they are. One `undo` undoes all
            of it.
            """, run: run
    ) {
        FoodShow.food
        from
        dryRun
    }

    static func run(arguments: ParsedArguments, home: inout Home) throws {
        let food = try home.read {
            try FoodNames.require(arguments[FoodShow.food], FoodShow.food, arguments, $0)
        }
        let day = try home.typedDay(arguments[from], from, arguments)
        let isDry = arguments[dryRun]
        let result = try home.replica.write {
            try $0.applyToHistory(food.id, from: day, isForecast: isDry)
        }
        try home.show(result.json(isDry: isDry)) { home in
            let shown = try home.shown
            for edit in result.edits {
                let old = shown.amountWithUnit(edit.old[.energy], of: .energy)
                let new = shown.amountWithUnit(edit.new[.energy], of: .energy)
                let amount = edit.new.amount.map { printable(shown.amount($0)) } ?? ""
                home.say("  \(edit.day)  \(padded(amount, to: 20))  \(old) → \(new)")
            }
            home.say(
                "\(isDry ? "Would change" : "Changed") "
                    + "\(counted(Int64(result.edits.count), "item")) of "
                    + "\(printable(food.fullName)); \(result.same) the same.")
            for (items, why) in [
                (result.edited, "edited by you"), (result.unmeasured, "of an unknown mass"),
            ] where !items.isEmpty {
                home.say("Left as they are, \(why): \(counted(Int64(items.count), "item")).")
            }
        }
    }
}
