import MacrologArgumentParsing
import MacrologTerminal
import MacrologJSON
import Macrolog
import MacrologFaces

/// `recipe add`, `edit`, `add-item`, `delete-item`, `show`, `list`, `delete`.
enum RecipeVerbs {
    static let name = Parameter.argument("name", .text, "The name.")
    static let recipe = Parameter.argument(
        "recipe", .text, "The recipe, by the last digits of its id or by its name.")
    static let serves = Parameter.option("serves", .servings, "How many servings it yields.")
    static let cooked = Parameter.option(
        "cooked-mass", .portion, "The weight of the cooked dish: 1.2kg.")
    static let steps = Parameter.option("steps", .anyText, "The steps; '' for none.")
    static let url = Parameter.option("url", .anyText, "The source; '' for none.")
    static let newName = Parameter.option("name", .text, "The name.")

    static let add = Verb(
        "recipe add", "Add a recipe.", example: "recipe add Chili --serves 4",
        "recipe add Bread --serves 12 --cooked-mass 900g",
        explanation: """
            Add ingredients with `recipe add-item`. Cooking changes the weight: with --cooked-mass the
            nutrients are those of a gram of the cooked dish.
            """,
        run: { arguments, home in
            var recipe = Recipe(id: try home.replica.newID(), name: arguments[name])
            try apply(to: &recipe, arguments, &home)
            home.warn(try home.replica.write { try $0.add(recipe) })
            try tell("Stored", recipe.id, &home)
        }
    ) {
        name
        serves
        cooked
        steps
        url
    }

    static let edit = Verb(
        "recipe edit", "Change a recipe.", example: "recipe edit Chili --serves 6",
        explanation: "Meals that were logged with it keep their nutrients.",
        run: { arguments, home in
            let old = try home.read {
                try RecipeNames.require(arguments[recipe], recipe, arguments, $0)
            }
            var changed = old
            if let name = arguments[newName] { changed.name = name }
            try apply(to: &changed, arguments, &home)
            guard changed.isChanged(since: old) else { return home.sayUnchanged() }
            home.warn(try home.replica.write { try $0.save(changed) })
            try tell("Changed", changed.id, &home)
        }
    ) {
        recipe
        newName
        serves
        cooked
        steps
        url
    }

    static let list = Verb(
        "recipe list", "List the recipes.", example: "recipe list",
        run: { arguments, home in
            let details = try home.replica.read { diary in
                try diary.recipes().compactMap { try diary.recipe($0.id) }
            }
            try home.show(.array(details.map(\.json))) { home in
                guard !details.isEmpty else {
                    return home.say("No recipes yet. macrolog recipe add Chili --serves 4")
                }
                let shown = try home.shown
                let ids = try home.replica.read {
                    try $0.shortIDs(of: .recipe, for: details.map(\.recipe.id))
                }
                var table = Table(
                    Table.Column("id"), Table.Column("recipe"), Table.Column("serves", .decimal),
                    Table.Column(shown.energySymbol, .right), Table.Column("protein", .decimal),
                    Table.Column("carbs", .decimal), Table.Column("fat", .decimal),
                    Table.Column("fibre", .decimal))
                for detail in details {
                    let serving = detail.contents.servings(1_000)
                    table.add(
                        [
                            Table.Cell(ids[detail.recipe.id] ?? "", .dim),
                            Table.Cell(detail.recipe.name),
                            Table.Cell(
                                NumberFormat.grouped.text(detail.contents.servingsMilli, scale: 3)),
                        ]
                            + Nutrient.main.map {
                                Table.Cell(
                                    detail.contents.totals.atLeast($0)
                                        + shown.amount(serving[$0], of: $0))
                            })
                }
                home.say(table.lines(style: home.style, width: home.terminalWidth))
                home.say(home.style.paint("Numbers are for one serving.", .dim))
            }
        }
    ) {}

    static let show = Verb(
        "recipe show", "Show a recipe: ingredients and nutrients of a serving.",
        example: "recipe show Chili",
        run: { arguments, home in
            let found = try home.read {
                try RecipeNames.require(arguments[recipe], recipe, arguments, $0)
            }
            let detail = try home.read { try require(found.id, $0) }
            try home.show(detail.json) { home in home.say(try lines(detail, &home)) }
        }
    ) { recipe }

    static let delete = Verb(
        "recipe delete", "Delete a recipe; meals keep their items.",
        example: "recipe delete Chili",
        run: { arguments, home in
            let found = try home.read {
                try RecipeNames.require(arguments[recipe], recipe, arguments, $0)
            }
            try EntryKind.of(Recipe.kind).delete([found.id], &home)
        }
    ) { recipe }

    private static func apply(
        to recipe: inout Recipe, _ arguments: ParsedArguments, _ home: inout Home
    ) throws {
        let mark = try home.preferences.decimalMark ?? .auto
        if let typed = arguments[serves] {
            let milli = try number(typed, mark, serves, arguments) {
                try $0.read(typed.text)?.milli
            }
            recipe.servingsMilli = milli
        }
        if let typed = arguments[cooked] {
            recipe.cookedMilligrams = try number(typed, mark, cooked, arguments) { reader in
                try reader.read(typed.text)?.whole(.milligram, unitless: .gram)
            }
        }
        if let text = arguments[steps] { recipe.steps = text.isEmpty ? nil : text }
        if let text = arguments[url] { recipe.url = text.isEmpty ? nil : text }
    }

    private static func number(
        _ typed: TypedPortion, _ mark: DecimalMark, _ parameter: Parameter<TypedPortion?>,
        _ arguments: ParsedArguments, _ read: (NumberReader) throws -> Int64?
    ) throws -> Int64 {
        let example = parameter.specification.name == "serves" ? "4" : "1.2kg"
        if let number = try? read(NumberReader(decimalMark: mark)), number > 0 { return number }
        throw arguments.usageError(
            of: parameter, "\"\(printable(typed.text))\" is not a valid amount", instead: example)
    }

    static func require(_ id: Identifier, _ diary: borrowing Diary) throws -> RecipeDetail {
        guard let detail = try diary.recipe(id) else {
            throw EntryError(.notFound(.recipe))
        }
        return detail
    }

    /// Reports a recipe, and the current nutrients of a serving.
    static func tell(_ verb: String, _ id: Identifier, _ home: inout Home) throws {
        let detail = try home.read { try require(id, $0) }
        let shown = try home.shown
        let short = try home.shortID(.recipe, id)
        try home.show(detail.json) { home in
            var parts = [home.style.paint(printable(detail.recipe.name), .bold), detail.yield]
            if let energy = detail.contents.servings(1_000)[.energy] {
                let bound = detail.contents.totals.atLeast(.energy)
                parts.append("\(bound)\(shown.energyWithUnit(energy)) each")
            }
            home.say("\(verb) \(parts.joined(separator: ", "))  \(short)")
        }
    }

    private static func lines(_ detail: RecipeDetail, _ home: inout Home) throws -> [String] {
        let shown = try home.shown
        let contents = detail.contents
        let title = home.style.paint(printable(detail.recipe.name), .bold)
        let id = home.style.paint(try home.shortID(.recipe, detail.recipe.id), .dim)
        var yield = detail.yield
        if let mass = contents.milligrams, !detail.items.isEmpty || !contents.isRawMass {
            yield += ", \(NumberFormat.grouped.text(mass, scale: 6)) kg"
            if contents.isRawMass { yield += " before cooking" }
        }
        var lines = ["\(title)  \(id)"]
        for (index, line) in wrapped(yield, to: home.width - 20).enumerated() {
            lines.append(padded(index == 0 ? "Yields" : "", to: 20) + line)
        }
        if let url = detail.recipe.url { lines.append(padded("From", to: 20) + printable(url)) }
        lines.append("")
        if detail.items.isEmpty {
            let name = detail.recipe.name.quoted
            lines.append("No ingredients yet. macrolog recipe add-item \(name) Beans --grams 400")
        } else {
            lines += try ingredients(detail, shown, &home).lines(
                style: home.style, width: home.terminalWidth)
        }
        for problem in contents.problems {
            let sentence = try sentence(of: problem, &home)
            lines.append(home.style.paint("! \(sentence)", .yellow))
        }
        lines += ["", home.style.paint("One serving", .bold)]
        let serving = contents.servings(1_000)
        let others = serving.known.filter { !Nutrient.main.contains($0) }
        for nutrient in Nutrient.main + others {
            let known = contents.totals.coverage(of: nutrient)
            var line =
                padded(shown.name(of: nutrient).capitalised, to: 20)
                + shown.amountWithUnit(serving[nutrient], of: nutrient)
            if known.known < contents.totals.parts, known.known > 0 { line += "  (\(known))" }
            lines.append(line)
        }
        if let steps = detail.recipe.steps {
            lines += [""] + steps.split(separator: "\n").map { printable(String($0)) }
        }
        return lines
    }

    /// What is wrong with an ingredient, with the command to type where one helps.
    private static func sentence(
        of problem: RecipeContents.IngredientFinding, _ home: inout Home
    ) throws -> String {
        guard case .unweighed(_, let id) = problem,
            let recipe = try home.replica.read({ try $0.entity(Recipe.self, id) })
        else { return problem.sentence }
        return "\(problem.sentence): macrolog recipe edit \(recipe.name.quoted) --cooked-mass 300g"
    }

    private static func ingredients(
        _ detail: RecipeDetail, _ shown: Shown, _ home: inout Home
    ) throws -> Table {
        let ids = try home.replica.read {
            try $0.shortIDs(of: .recipeItem, for: detail.items.map(\.id))
        }
        var table = Table(
            Table.Column("id"), Table.Column("ingredient"), Table.Column("amount"))
        for item in detail.items {
            var name = try home.name(of: item)
            if item.subRecipeID != nil { name += " (recipe)" }
            table.add(
                Table.Cell(ids[item.id] ?? "", .dim), Table.Cell(name),
                Table.Cell(
                    item.amount.map { shown.amount($0) }
                        ?? (item.foodID == nil && item.subRecipeID == nil ? "" : "1 serving")))
        }
        return table
    }
}

extension Home {
    /// The current name of an ingredient.
    mutating func name(of item: RecipeItem) throws -> String {
        if let food = item.foodID, let found = try replica.read({ try $0.entity(Food.self, food) })
        {
            return found.fullName
        }
        if let sub = item.subRecipeID,
            let found = try replica.read({ try $0.entity(Recipe.self, sub) })
        {
            return found.name
        }
        return item.name ?? "ingredient"
    }
}

extension NutrientTotals {
    /// `≥ ` before a sum that some part does not know.
    fileprivate func atLeast(_ nutrient: Nutrient) -> String {
        self[nutrient] == nil || coverage(of: nutrient).isComplete ? "" : "≥ "
    }
}

extension RecipeDetail {
    /// `4 servings`
    var yield: String {
        let number = NumberFormat.grouped.text(contents.servingsMilli, scale: 3)
        return "\(number) serving\(contents.servingsMilli == 1_000 ? "" : "s")"
    }
}
