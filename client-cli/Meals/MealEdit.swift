import MacrologArgumentParsing
import MacrologJSON
import Macrolog
import MacrologFaces

/// `meal edit`: changes a meal.
enum MealEdit {
    static let id = Parameter.argument("meal", .id, "The meal, by the last digits of its id.")
    static let name = Parameter.option("name", .text, "What was eaten.")
    static let share = Parameter.option("share", .share, "The share that was eaten: 50% or 1/2.")
    static let estimated = Parameter.flag("estimated", "Mark the numbers as estimated.")
    static let measured = Parameter.flag("measured", "Mark the numbers as measured.")
    static let note = Parameter.option("note", .anyText, "A note; '' for none.")
    static let tags = Parameter.options("tag", .text("TAG"), "Add a tag.")
    static let untags = Parameter.options("untag", .text("TAG"), "Remove a tag.")

    static let command = Verb(
        "meal edit", "Change a meal.", example: "meal edit 3f2a --kcal 410 --p 14",
        "meal edit 3f2a --share 50% --tag shared", "meal edit 3f2a --f n/a",
        explanation: """
            Only what you type changes; changes that another device makes to other fields are kept.
            n/a makes a number unknown again. `meal move` changes the time and the meal slot.
            """, run: run
    ) {
        id
        name
        NutrientOptions.all
        share
        estimated
        measured
        note
        tags
        untags
    }

    static func run(arguments: ParsedArguments, home: inout Home) throws {
        if arguments.has(Everywhere.date) { throw notMoved(by: Everywhere.date, arguments) }
        if arguments.has(Everywhere.at) { throw notMoved(by: Everywhere.at, arguments) }
        let target = try home.find(Meal.self, arguments[id], id, arguments)
        guard let detail = try home.replica.read({ try $0.meal(target) }) else {
            throw EntryError(.notFound(.meal))
        }
        var meal = detail.meal
        for entry in try home.read({ try NutrientOptions.read(arguments, $0, &$1) }) {
            if entry.amount != nil, !detail.items.isEmpty, meal.nutrients.isEmpty {
                throw CommandError(
                    .dataErr,
                    "\(arguments.command): the nutrients of this meal are the sum of its items; change those: "
                        + "macrolog item edit")
            }
            meal[entry.nutrient] = entry.amount
        }
        if let name = arguments[name] { meal.dishName = name }
        if let share = try home.value(share, arguments) {
            meal.consumedShareBasisPoints = share ?? 10_000
        }
        if arguments[estimated], arguments[measured] {
            throw arguments.usageError(combining: "--measured", "--estimated")
        }
        if arguments[estimated] { meal.isEstimated = true }
        if arguments[measured] { meal.isEstimated = false }
        if let note = arguments[note] { meal.note = note.isEmpty ? nil : note }
        // Another program may have added white space, which is not typed.
        meal.tags = meal.tags.filter { tag in
            !arguments[untags].contains((try? Form<String>.text.read(tag)) ?? tag)
        }
        for tag in arguments[tags] where !meal.tags.contains(tag) { meal.tags.append(tag) }
        try home.save(meal, was: detail.meal)
    }

    /// The refusal of an option that moves entries of other kinds.
    private static func notMoved<Value>(
        by parameter: Parameter<Value>, _ arguments: ParsedArguments
    ) -> UsageError {
        arguments.usageError(of: parameter, "moves no meal", instead: "macrolog meal move")
    }
}

extension Home {
    /// Records the differences of a meal, and reports them.
    mutating func save(_ meal: Meal, was old: Meal, verb: String = "Changed") throws {
        guard meal.isChanged(since: old) else { return sayUnchanged() }
        warn(try replica.write { try $0.save(meal) })
        try tellMeal(verb, meal.id)
    }

    mutating func sayUnchanged() {
        if isJSON, !isQuiet { output.write(JSON.unchanged.pretty + "\n") }
        say("Nothing changed.")
    }
}

extension Form where Value == String {
    /// Any text, even an empty one.
    static var anyText: Form { Form("TEXT") { $0 } }
}
