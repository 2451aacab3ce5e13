import MacrologArgumentParsing
import MacrologTerminal
import Macrolog

/// `quick`: records only energy.
enum QuickAdd {
    static let kcal = Parameter.argument(
        "kcal", .energy, "Energy, in kcal unless a unit follows: 250 or 1046kJ.")
    static let name = Parameter.optionalArgument("name", .text, "What it was.")

    static let command = Verb(
        "quick", "Log energy alone.", example: "quick 250", "quick 320 Cake", "quick 600 lunch",
        explanation: """
            Everything else is unknown and can be added later. A NAME that is one of your meal slots says
            the slot.
            """, run: run
    ) {
        kcal
        name
        MealOptions.all
    }

    static func run(arguments: ParsedArguments, home: inout Home) throws {
        let (findings, answer) = try home.write { diary, home in
            let slot = try arguments.has(Slots.slot) ? nil : Slots.named(arguments[name], &home)
            let title = slot == nil ? try dish(arguments) : nil
            var meal = try MealOptions.meal(named: title ?? "Quick entry", arguments, &home)
            if let slot { meal.slot = slot }
            meal[.energy] = try home.value(kcal, arguments)
            return (try diary.add(meal), try diary.answer(on: meal.id))
        }
        home.warn(findings)
        try home.tell("Added", answer)
    }

    /// The name, unless it is the unit of the number before it.
    private static func dish(_ arguments: ParsedArguments) throws -> String? {
        guard let word = arguments[name] else { return nil }
        guard Measure.named(word)?.dimension != .energy else {
            throw UsageError(
                command: arguments.command, argument: nil,
                problem: "\"\(printable(word))\" is a unit, and stands after a space",
                instead: "Type number and unit as one word: 300\(word)")
        }
        return word
    }
}
