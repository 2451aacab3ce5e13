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

    static let again = Parameter.flag(
        "again", "Copy once more what was copied to that day before.")

    static let command = Verb(
        "copy day", "Copy the meals of a day to another day.",
        example: "copy day yesterday", "copy day yesterday today --slot breakfast",
        explanation: """
            Every meal keeps its time; one that a change of the clocks skips is the first after it.
            Planned meals stay planned; with --not-consumed all copies are.
            A meal that was copied to that day before with the same items, here or on another device,
            stays as it is there; with --again it is copied once more. One `undo` undoes the whole copy.
            """, run: run
    ) {
        from
        to
        Slots.slot
        MealOptions.notConsumed
        again
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
                guard
                    let copy = try next(
                        of: detail, to: date, isConsumed: isConsumed, again: arguments[again],
                        diary)
                else { continue }
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
            if !copies.isEmpty {
                home.say("Copied \(counted(Int64(copies.count), "meal")) to \(target):")
            }
            let short = try replica.read { try $0.shortIDs(of: .meal, for: copies.map(\.meal.id)) }
            for copy in copies {
                let line = copy.line(shown, today: today, style: home.style)
                home.say("  \(line)  \(short[copy.meal.id] ?? "")")
            }
        }
        let there = Int64(meals.count - copies.count)
        if there > 0 {
            home.warn(
                "\(counted(there, "meal")) copied to \(target) before: left as "
                    + "\(there == 1 ? "it is" : "they are"); --again copies once more")
        }
    }

    /// The copy of a meal to record; `nil` where that day has one, and no other is wanted.
    private static func next(
        of detail: MealDetail, to date: LocalDate, isConsumed: Bool, again: Bool,
        _ diary: borrowing Diary
    ) throws -> MealCopy? {
        var ordinal = 0
        while true {
            let copy = MealCopy(
                of: detail.meal, items: detail.items, to: date, ordinal: ordinal,
                isConsumed: isConsumed)
            let id = copy.meal.id
            guard try diary.entity(Meal.self, id, includingDeleted: true) != nil else {
                return copy
            }
            // One that was moved to another day since is not there any more.
            if !again, try diary.meal(id)?.meal.localDate.day == date.day { return nil }
            ordinal += 1
        }
    }
}
