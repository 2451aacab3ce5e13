import MacrologArgumentParsing
import MacrologTerminal
import MacrologJSON
import Macrolog
import MacrologFaces

/// `template save`, `log`, `list`, `delete`: meals that are eaten repeatedly.
enum TemplateVerbs {
    static let meal = Parameter.argument("meal", .id, "The meal, by the last digits of its id.")
    static let name = Parameter.argument("name", .text, "The name of the template.")
    static let template = Parameter.argument(
        "template", .text, "The template, by the last digits of its id or by its name.")

    static let save = Verb(
        "template save", "Save a meal as a template.", example: "template save 3f2a 'My breakfast'",
        explanation: """
            The template gets the meal's present items. A template of that name is replaced.
            """,
        run: { arguments, home in
            let target = try home.find(Meal.self, arguments[meal], meal, arguments)
            guard let detail = try home.replica.read({ try $0.meal(target) }) else {
                throw EntryError(.notFound(.meal))
            }
            var items = detail.items.map { TemplateItem($0) }
            for index in items.indices where items[index].name.isEmpty {
                items[index].name = detail.title
            }
            if !detail.meal.nutrients.isEmpty || items.isEmpty {
                items.insert(
                    TemplateItem(name: detail.title, nutrients: detail.meal.nutrients), at: 0)
            }
            let old = try home.replica.read { try $0.templates(matching: arguments[name]) }
                .first { SearchText.isSame($0.name, arguments[name]) }
            var kept =
                try old
                ?? MealTemplate(id: home.replica.newID(), name: arguments[name], items: [])
            kept.name = arguments[name]
            kept.items = items
            home.warn(try home.replica.write { try $0.save(kept) })
            try home.show(kept.json) { home in
                let short = try home.shortID(.mealTemplate, kept.id)
                home.say("Stored \(kept.line(try Shown(preferences: home.preferences)))  \(short)")
            }
        }
    ) {
        meal
        name
    }

    static let log = Verb(
        "template log", "Log a meal from a template.", example: "template log breakfast",
        "template log breakfast --date yesterday --slot lunch",
        run: { arguments, home in
            let kept = try home.read {
                try RecipeNames.requireTemplate(arguments[template], template, arguments, $0)
            }
            var meal = try MealOptions.meal(named: kept.name, arguments, &home)
            meal.source = .template
            var items: [MealItem] = []
            for part in kept.items {
                items.append(part.item(id: try home.replica.newID(), of: meal.id))
            }
            home.warn(try home.replica.write { try $0.add(meal, items: items) })
            try home.tellMeal("Added", meal.id)
        }
    ) {
        template
        MealOptions.all
    }

    static let list = Verb(
        "template list", "List the templates.", example: "template list",
        run: { arguments, home in
            let all = try home.replica.read { try $0.templates() }
            try home.show(.array(all.map(\.json))) { home in
                guard !all.isEmpty else {
                    return home.say("No templates yet. macrolog template save MEAL NAME")
                }
                let shown = Shown(preferences: try home.preferences)
                let ids = try home.replica.read {
                    try $0.shortIDs(of: .mealTemplate, for: all.map(\.id))
                }
                for one in all {
                    home.say(
                        home.style.paint(ids[one.id] ?? "", .dim) + "  \(one.line(shown))")
                }
            }
        }
    ) {}

    static let delete = Verb(
        "template delete", "Delete a template.", example: "template delete breakfast",
        run: { arguments, home in
            let kept = try home.read {
                try RecipeNames.requireTemplate(arguments[template], template, arguments, $0)
            }
            try EntryKind.of(MealTemplate.kind).delete([kept.id], &home)
        }
    ) { template }
}

extension MealTemplate {
    fileprivate func line(_ shown: Shown) -> String {
        var parts = [printable(name), counted(Int64(items.count), "item")]
        if let energy = totals[.energy] { parts.append(shown.energyWithUnit(energy)) }
        return parts.joined(separator: ", ")
    }
}
