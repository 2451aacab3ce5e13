import MacrologArgumentParsing
import MacrologTerminal
import MacrologJSON
import Macrolog
import MacrologFaces

/// `copy day`: records the meals of a day again on another day.
enum CopyDay {
    static let from = Parameter.argument(
        "from", .day, "The day to copy: yesterday, -7, friday (the last one) or 2026-11-20.")
    static let to = Parameter.optionalArgument(
        "to", .day, "The day to copy to. Otherwise --date, or today.")

    static let command = Verb(
        "copy day", "Copy the meals of a day to another day.",
        example: "copy day yesterday", "copy day yesterday today --slot breakfast",
        explanation: """
            Every meal keeps its time; one that a change of the clocks skips is the first after it.
            Planned meals stay planned; with --not-consumed all copies are.
            One `undo` undoes the whole copy.
            """, run: run
    ) {
        from
        to
        Slots.slot
        MealOptions.notConsumed
    }

    static func run(arguments: ParsedArguments, home: inout Home) throws {
        let source = try home.typedDay(arguments[from], from, arguments)
        let target = try arguments[to].map { try home.typedDay($0, to, arguments) } ?? home.day
        guard source != target else {
            throw arguments.usageError(of: to, "is the day to copy", instead: "another day")
        }
        let slot = try Slots.typed(arguments, &home)
        let replica = try home.replica
        let today = try home.today
        let meals = try replica.read { try $0.meals(on: source) }.filter {
            slot == nil || $0.meal.slot == slot
        }
        guard !meals.isEmpty else {
            throw CommandError(
                .noInput,
                "\(arguments.command): nothing to copy on \(source)"
                    + (slot.map { " for \($0)" } ?? ""))
        }
        // The same time on the other day, or the first after it if a change of the clocks skips that time.
        let dates = try meals.map {
            try home.movedDate($0.meal.localDate, to: target, at: nil, Everywhere.at)
        }
        let (copies, findings) = try replica.write { diary in
            var (copies, findings): ([MealDetail], [Finding]) = ([], [])
            for (detail, date) in zip(meals, dates) {
                let isConsumed = detail.meal.isConsumed && !arguments[MealOptions.notConsumed]
                let copy = MealCopy(
                    of: detail.meal, items: detail.items, on: date, isConsumed: isConsumed,
                    newID: diary.newID)
                var meal = copy.meal
                if isConsumed { meal.consumedAt = date.occurredAt }
                findings += try diary.add(meal, items: copy.items)
                if let added = try diary.meal(meal.id) { copies.append(added) }
            }
            return (copies, findings)
        }
        home.warn(findings)
        try home.show(.array(copies.map(\.json))) { home in
            let shown = Shown(preferences: try home.preferences)
            home.say("Copied \(counted(Int64(copies.count), "meal")) to \(target):")
            let short = try replica.read { try $0.shortIDs(of: .meal, for: copies.map(\.meal.id)) }
            for copy in copies {
                let line = copy.line(shown, today: today, style: home.style)
                home.say("  \(line)  \(short[copy.meal.id] ?? "")")
            }
        }
    }
}
