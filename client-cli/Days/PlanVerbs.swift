import MacrologArgumentParsing
import MacrologTerminal
import MacrologJSON
import Macrolog
import MacrologFaces

/// `plan show`, `add`, `done`, `delete`, `copy-week`: planned meals.
enum PlanVerbs {
    static let day = Parameter.optionalArgument(
        "day", .day, "The first day: today, monday (the next one) or 2026-11-20. Otherwise --date.")
    static let days = Parameter.option(
        "days", .integer("N", in: 1...366), otherwise: "7", "How many days.")

    static let show = Verb(
        "plan show", "Show what is planned.", example: "plan show", "plan show monday --days 14",
        run: { arguments, home in
            let first = try arguments[day].map { try home.typedDay($0, day, arguments) } ?? home.day
            let last = first.advanced(by: Int(arguments[days]) - 1)
            let rows = try home.replica.read { try $0.planLines(on: first...last) }
            try home.show(.array(rows.map(\.json))) { home in
                guard !rows.isEmpty else {
                    return home.say(
                        "Nothing planned. macrolog plan add 'Eat out' --slot dinner")
                }
                let ids = try home.replica.read {
                    try $0.shortIDs(of: .planEntry, for: rows.map(\.entry.id))
                }
                let shown = try home.shown
                var table = Table(
                    Table.Column("id"), Table.Column("day"), Table.Column("slot"),
                    Table.Column("what"), Table.Column("amount"), Table.Column("done"))
                for row in rows {
                    table.add(
                        Table.Cell(ids[row.entry.id] ?? "", .dim),
                        Table.Cell(row.entry.localDate.day.short),
                        Table.Cell(row.entry.slot.map { shown.slot($0).lowercased() } ?? ""),
                        Table.Cell(row.name),
                        Table.Cell(row.entry.amount.map { shown.amount($0) } ?? ""),
                        Table.Cell(row.isDone ? "done" : ""))
                }
                home.say(table.lines(style: home.style, width: home.terminalWidth))
            }
        }
    ) {
        day
        days
    }

    static let name = Parameter.optionalArgument(
        "name", .text, "What is planned; optional with --food.")
    static let recipe = Parameter.flag("recipe", "NAME is one of your recipes.")
    static let template = Parameter.flag("template", "NAME is one of your templates.")

    static let add = Verb(
        "plan add", "Plan a meal.",
        example: "plan add Chili --recipe --date friday --slot dinner",
        "plan add --food Oats --amount '1 cup' --slot breakfast",
        "plan add 'Eat out' --slot dinner",
        explanation: """
            On --date, or today; a weekday is the next one. The nutrients are taken when the plan is
            done: the meal gets what the recipe, the food or the template has on that day.
            """, run: addEntry
    ) {
        name
        Slots.slot
        PortionOptions.all
        LoggedFood.food
        recipe
        template
    }

    private static func addEntry(arguments: ParsedArguments, home: inout Home) throws {
        let kinds = [arguments[recipe], arguments[template], arguments.has(LoggedFood.food)].filter
        { $0 }
        if kinds.count > 1 {
            throw arguments.usageError(
                of: name, "cannot be a recipe, a template and a food at once",
                instead: "one of --recipe, --template and --food")
        }
        guard let typed = arguments[name] ?? arguments[LoggedFood.food] else {
            throw arguments.usageError(
                of: name, "is missing", instead: "what is planned: 'Eat out'")
        }
        let portion = try PortionOptions.read(arguments, &home)
        var entry = PlanEntry(
            id: try home.replica.newID(), on: LocalDate(day: try home.day),
            slot: try Slots.typed(arguments, &home))
        entry.amount = portion?.amount
        if arguments[recipe] {
            let found = try home.read { try RecipeNames.require(typed, name, arguments, $0) }
            (entry.name, entry.recipeID) = (found.name, found.id)
            let detail = try home.read { try RecipeVerbs.require(found.id, $0) }
            _ = try portion?.item(of: detail, meal: entry.id, arguments, &home)
        } else if arguments[template] {
            let found = try home.read {
                try RecipeNames.requireTemplate(typed, name, arguments, $0)
            }
            (entry.name, entry.templateID) = (found.name, found.id)
        } else if let wanted = arguments[LoggedFood.food] {
            let food = try home.read {
                try FoodNames.require(wanted, LoggedFood.food, arguments, $0)
            }
            try take(food, portion, into: &entry, arguments, &home)
            entry.name = arguments[name] ?? food.name
        } else if portion != nil,
            let food = try home.read({
                try FoodNames.find(typed, name, arguments, $0, instead: LoggedFood.instead)
            })
        {
            try take(food, portion, into: &entry, arguments, &home)
        } else {
            entry.name = typed
        }
        home.warn(try home.replica.write { try $0.add(entry) })
        let line = try home.replica.read { try $0.planLine(of: entry) }
        let short = try home.shortID(.planEntry, entry.id)
        try home.show(line.json) { home in
            home.say("Planned \(line.formatted(try home.shown, home.style))  \(short)")
        }
    }

    /// The typed amount of a food, else the last amount, else a serving.
    private static func take(
        _ food: Food, _ portion: Portion?, into entry: inout PlanEntry,
        _ arguments: ParsedArguments,
        _ home: inout Home
    ) throws {
        let item = try home.read {
            try LoggedFood.item(
                of: food, portion, meal: entry.id, LoggedFood.food, arguments, $0, &$1)
        }
        (entry.name, entry.foodID, entry.amount) = (food.name, food.id, item.amount)
    }

    static let id = Parameter.argument("plan", .id, "The plan, by the last digits of its id.")

    static let done = Verb(
        "plan done", "Log the meal of a plan.", example: "plan done d1e5",
        "plan done d1e5 --time 19:30",
        explanation: """
            The meal is on the plan's day, at --time, or now if that is today. Doing it twice, or on
            two devices, logs one meal.
            """,
        run: { arguments, home in
            let target = try home.find(PlanEntry.self, arguments[id], id, arguments)
            let entry = try home.replica.read { try $0.require(PlanEntry.self, target) }
            let made: (meal: Identifier, wasDone: Bool)
            do {
                let date = try date(of: entry, arguments, &home)
                made = try home.replica.write { try $0.perform(target, on: date) }
            } catch let error as PortionError {
                throw CommandError(.dataErr, "\(arguments.command): \(error)")
            } catch let error as EntryError {
                guard case .deleted(let kind) = error.code,
                    let planned = entry.recipeID ?? entry.foodID ?? entry.templateID
                else { throw error }
                throw CommandError(
                    .dataErr,
                    "\(arguments.command): the \(kind.title) that was planned is deleted; restore it: "
                        + "macrolog restore \(try home.shortID(kind, planned))",
                    code: "deleted")
            }
            if !made.wasDone, let recipe = entry.recipeID,
                let detail = try home.replica.read({ try $0.recipe(recipe) })
            {
                home.warn(ofIngredients: detail)
            }
            try home.tellMeal(made.wasDone ? "Done already:" : "Added", made.meal)
        }
    ) {
        id
        MealOptions.time
    }

    private static func date(
        of entry: PlanEntry, _ arguments: ParsedArguments, _ home: inout Home
    ) throws -> LocalDate {
        let day = entry.localDate.day
        let now = try home.entryDate(time: arguments[MealOptions.time], MealOptions.time)
        if now.day == day { return now }
        guard arguments[MealOptions.time] != nil else { return LocalDate(day: day) }
        return try home.movedDate(now, to: day, at: nil, MealOptions.time)
    }

    static let delete = Verb(
        "plan delete", "Delete a plan; a meal that was logged from it stays.",
        example: "plan delete d1e5",
        run: { arguments, home in
            let target = try home.find(PlanEntry.self, arguments[id], id, arguments)
            try EntryKind.of(.planEntry).delete([target], &home)
        }
    ) { id }

    static let from = Parameter.argument(
        "from", .day, "Any day of the week to copy: -7, monday (the last one), 2026-11-20.")
    static let to = Parameter.optionalArgument(
        "to", .day, "Any day of the week to fill: monday (the next one). Otherwise the week after.")

    static let copyWeek = Verb(
        "plan copy-week", "Copy the plan of a week.", example: "plan copy-week today",
        "plan copy-week 2026-11-16 2026-12-07",
        explanation: "Existing entries stay; copying twice adds nothing twice.",
        run: { arguments, home in
            let start = Int(try home.preferences.weekStart ?? 1)
            let week = try home.typedDay(arguments[from], from, arguments, isPast: true)
                .week(startingOn: start)
            let target =
                try arguments[to].map {
                    try home.typedDay($0, to, arguments).week(startingOn: start)
                }
                ?? week.upperBound.advanced(by: 1).week(startingOn: start)
            guard target != week else {
                throw arguments.usageError(of: to, "is the week to copy", instead: "another week")
            }
            let lines = try home.replica.write { diary in
                try diary.copyPlan(week, to: target.lowerBound).map { try diary.planLine(of: $0) }
            }
            try home.show(.array(lines.map(\.json))) { home in
                home.say(
                    "Planned \(counted(Int64(lines.count), "entry", "entries")) for the week of "
                        + "\(target.lowerBound).")
                for line in lines { home.say("  \(line.formatted(try home.shown, home.style))") }
            }
        }
    ) {
        from
        to
    }
}

extension PlanLine {
    /// `Chili, 2 servings, dinner, Fri 20 Nov`
    func formatted(_ shown: Shown, _ style: Style) -> String {
        var parts = [style.paint(printable(name), .bold)]
        if let amount = entry.amount { parts.append(printable(shown.amount(amount))) }
        if let slot = entry.slot { parts.append(printable(shown.slot(slot)).lowercased()) }
        parts.append(entry.localDate.day.short)
        return parts.joined(separator: ", ")
    }
}
