import MacrologArgumentParsing
import MacrologTerminal
import Macrolog
import MacrologFaces

/// Finds the recipe or template that a person means by its name, or by its id.
enum RecipeNames {
    /// The recipe for a typed word: by the end of its id, else by its name.
    static func require<Value>(
        _ text: String, _ parameter: Parameter<Value>, _ arguments: ParsedArguments,
        _ diary: borrowing Diary
    ) throws -> Recipe {
        let found = try diary.recipes(matching: text)
        return try one(
            of: Recipe.self, found.map { ($0, $0.name) }, called: text, parameter, arguments, diary,
            "macrolog recipe list")
    }

    /// The template for a typed word: by the end of its id, else by its name.
    static func requireTemplate<Value>(
        _ text: String, _ parameter: Parameter<Value>, _ arguments: ParsedArguments,
        _ diary: borrowing Diary
    ) throws -> MealTemplate {
        let found = try diary.templates(matching: text)
        return try one(
            of: MealTemplate.self, found.map { ($0, $0.name) }, called: text, parameter, arguments,
            diary, "macrolog template list")
    }

    private static func one<E: Entity, Value>(
        of type: E.Type, _ near: [(entity: E, name: String)], called text: String,
        _ parameter: Parameter<Value>, _ arguments: ParsedArguments, _ diary: borrowing Diary,
        _ list: String
    ) throws -> E {
        if let reference = try? Form<Reference>.id.read(text) {
            let ids = try diary.ids(of: E.kind, endingIn: reference.text)
            if ids.count == 1, let found = try diary.entity(type, ids[0]) {
                return found
            }
        }
        let word = E.kind == .recipe ? "recipe" : "template"
        let exact = near.filter { SearchText.isSame($0.name, text) }
        // A search without letters and digits finds all.
        let found = exact.isEmpty && !SearchText(text).words.isEmpty ? near : exact
        guard let first = found.first else {
            throw CommandError(
                .noInput,
                "\(arguments.command): there is no \(word) called \"\(printable(text))\"; see: \(list)"
            )
        }
        guard found.count == 1 else {
            let ids = try diary.shortIDs(of: E.kind, for: found.map(\.entity.id))
            let lines = found.prefix(8).map {
                "  \(ids[$0.entity.id] ?? "")  \(printable($0.name))"
            }
            throw arguments.usageError(
                of: parameter,
                "\"\(printable(text))\" matches \(found.count) \(word)s:\n"
                    + lines.joined(separator: "\n") + "\n\(arguments.command): that is ambiguous",
                instead: "more of the name, or an id")
        }
        return first.entity
    }
}

extension Home {
    /// Says which ingredients a meal of a recipe lacks, or has without their nutrients.
    func warn(ofIngredients detail: RecipeDetail) {
        for problem in detail.contents.problems { warn(problem.sentence) }
    }

    /// Says which nutrients of a recipe are those of some ingredients only.
    mutating func warn(ofPartlyKnown detail: RecipeDetail) throws {
        let totals = detail.contents.totals
        let shown = Shown(preferences: try preferences)
        let lacking = Nutrient.main.filter {
            (1..<max(1, totals.parts)).contains(totals.coverage(of: $0).known)
        }
        guard !lacking.isEmpty else { return }
        let names = lacking.map { shown.name(of: $0) }.joined(separator: ", ")
        warn(
            "\(printable(detail.recipe.name)): \(names) \(lacking.count == 1 ? "is" : "are") known of "
                + "some ingredients only; macrolog recipe show says of how many")
    }
}

extension Portion {
    /// An amount of a recipe, as an item of a meal.
    func item(
        of detail: RecipeDetail, meal: Identifier, _ arguments: ParsedArguments, _ home: inout Home
    ) throws -> MealItem {
        let id = try home.replica.newID()
        let item: MealItem
        do throws(PortionError) { item = try detail.item(id, of: meal, amount) } catch {
            if case .mass = self {
                throw arguments.usageError(
                    of: PortionOptions.grams,
                    "does not fit: the weight of \(printable(detail.recipe.name)) is unknown",
                    instead: "--serving 1, or set its weight: macrolog recipe edit")
            }
            let isTypedAsMass = arguments.has(PortionOptions.grams)
            throw arguments.usageError(
                of: isTypedAsMass ? PortionOptions.grams : PortionOptions.serving,
                "does not fit: the amount of a recipe is in servings or grams",
                instead: "--serving 1 or --grams 250")
        }
        home.warn(ofIngredients: detail)
        try home.warn(ofPartlyKnown: detail)
        return item
    }
}
