public import MacrologEvents
import MacrologLog
import MacrologWire
public import Macrolog
public import MacrologNutrition

/// Imports the recipes of a file into a replica.
///
/// An ingredient with exactly the name of one of the person's foods becomes that food. Any other
/// keeps its words, and its amount if that can be read. Where nothing is known of any ingredient, what the page states
/// for a serving counts. Ids are computed from a recipe's source,
/// else from its name, so that importing it again changes nothing and importing a corrected file
/// corrects it; an ingredient is known by its name, and is where the file has it. Several recipes of
/// a page have ids of their own. A recipe that a person has deleted stays deleted; an ingredient is as the file says.
public struct RecipeImport: Sendable {
    /// The result of one recipe.
    public struct Row: Hashable, Sendable {
        /// Its result; the line is its index among the recipes of the file, from 1.
        public let outcome: ImportRow
        /// The recipe's id.
        public let id: Identifier
        /// Its name.
        public let name: String
        /// The results of its ingredients.
        public let ingredients: [Ingredient]
        /// Warnings about text that was changed or dropped.
        public let notices: [String]
    }

    /// The result of one line.
    public struct Ingredient: Hashable, Sendable {
        /// The original line.
        public let line: String
        /// The ingredient.
        public let item: RecipeItem
        /// The name of the matching food; `nil` if there is none.
        public let food: String?
    }

    private let file: RecipeFile
    private let hash: [UInt8]
    private let restoresDeleted: Bool

    /// Reads a whole file.
    ///
    /// - Parameter restoresDeleted: Whether recipes come back that a person has deleted.
    public init(_ bytes: [UInt8], restoresDeleted: Bool = false) throws(ImportError) {
        file = try RecipeFile(bytes)
        self.restoresDeleted = restoresDeleted
        hash = SHA256.hash(bytes)
    }

    /// The result that an import would have. Nothing is written.
    public func plan(in replica: Replica) throws -> [Row] {
        var group = ImportGroup.none(replica)
        return try take(replica, &group)
    }

    /// Imports each recipe in one transaction, all in one group; after an interruption, in the
    /// group of the interrupted import.
    public func run(in replica: Replica, group: Identifier? = nil) throws -> [Row] {
        var action =
            try group.map { ImportGroup(replica, $0) }
            ?? ImportGroup(replica, importing: "recipes", hash: hash)
        return try take(replica, &action)
    }

    private func take(_ replica: Replica, _ group: inout ImportGroup) throws -> [Row] {
        var known: [String: [String]] = [:]
        return try file.recipes.enumerated().map { index, recipe in
            // The same one may be on a page twice.
            let source = recipe.url ?? "name:" + recipe.name
            let content = recipe.url == nil ? recipe.ingredients.map(\.line) : [recipe.name]
            let title = content.joined(separator: "\n")
            let ordinal = known[source]?.firstIndex(of: title) ?? known[source]?.count ?? 0
            if ordinal == known[source]?.count ?? 0 { known[source, default: []].append(title) }
            let id = Identities.imported(
                .recipe, contentHash: SHA256.hash(Array(source.utf8)), ordinal: ordinal)
            return try take(recipe, id, index + 1, replica, &group)
        }
    }

    private func take(
        _ recipe: ReadRecipe, _ id: Identifier, _ place: Int, _ replica: Replica,
        _ group: inout ImportGroup
    ) throws -> Row {
        var notices = recipe.notices
        let today = try replica.today()
        let whole = try RowJudge(
            today: today, column: { _ in nil }, keepsDeleted: !restoresDeleted
        ).verdicts(Recipe.self, [(read(recipe, place, &notices), id)], in: replica) {
            .recipe($0)
        }[0]
        let isLast = place == file.recipes.count
        guard whole.row.outcome != .deleted else {
            _ = try group.record([], of: [whole.row], isLast: isLast, today: today)
            return Row(
                outcome: whole.row, id: id, name: recipe.name, ingredients: [], notices: [])
        }
        let judge = RowJudge(today: today, column: { _ in nil }, keepsDeleted: false)
        let lines = Array(recipe.ingredients.prefix(Self.ingredientsMax))
        if lines.count < recipe.ingredients.count {
            notices.append(
                "it has more than \(Self.ingredientsMax) ingredients: the rest is left out")
        }
        var parts: [(read: ReadRow, id: Identifier?)] = []
        var foods: [String?] = []
        let places = try places(of: lines, in: id, replica)
        let itemIDs = places.map(\.id)
        for (index, line) in lines.enumerated() {
            let food = try food(of: line, replica)
            foods.append(food?.name)
            var part = try read(line, food, index, of: id, replica)
            if !places[index].isKnown { try forgetOther(&part, itemIDs[index], replica) }
            parts.append((part, itemIDs[index]))
        }
        var items = try judge.verdicts(RecipeItem.self, parts, in: replica) { .ingredient($0) }
        let isAnyKnown = try isAnyKnown(
            foods, places.filter(\.isKnown).map(\.id), of: id, replica)
        if let stated = try self.stated(recipe, of: id, isAnyKnown: isAnyKnown, judge, replica) {
            items.append(stated)
        }
        if let serving = recipe.stated {
            notices.append(
                items.count > lines.count
                    ? "what it states for one serving (\(serving.text)) is an ingredient of its own, "
                        + "\"\(Self.statedName)\": take it out before you give the others nutrients"
                    : "what it states for one serving (\(serving.text)) is kept as text")
        }
        let isStatedGone = items.count == lines.count
        let gone = try (0..<Self.ingredientsMax + (isStatedGone ? 1 : 0))
            .map { Self.item($0, of: id) }.filter { !itemIDs.contains($0) }
            .compactMap { try replica.entity(RecipeItem.self, $0) }
        let all = [whole] + items
        let problems = all.flatMap { verdict -> [RowFinding] in
            if case .rejected(let problems) = verdict.row.outcome { problems } else { [] }
        }
        var drafts = all.compactMap(\.draft) + gone.map { Draft.delete($0) }
        if !problems.isEmpty { drafts = [] }
        let row = ImportRow(
            line: place, outcome: Self.outcome(all, gone: !gone.isEmpty, problems),
            content: problems.isEmpty ? whole.row.content : nil,
            warnings: all.flatMap(\.row.warnings))
        _ = try group.record(
            drafts, of: [row], isLast: isLast, today: today)
        return Row(
            outcome: row, id: id, name: recipe.name,
            ingredients: zip(zip(lines, items), foods).compactMap { pair, food in
                guard case .ingredient(let item)? = pair.1.row.content else { return nil }
                return Ingredient(line: pair.0.line, item: item, food: food)
            },
            notices: notices)
    }

    /// The result of a recipe from its parts: new if it is new; changed if any part is changed.
    private static func outcome(
        _ all: [RowJudge.Verdict], gone: Bool, _ problems: [RowFinding]
    ) -> ImportRow.Outcome {
        guard problems.isEmpty else { return .rejected(problems) }
        if case .new(let wasDeleted) = all[0].row.outcome { return .new(wasDeleted: wasDeleted) }
        let edits = all.flatMap { verdict -> [ImportEdit] in
            if case .changed(let edits) = verdict.row.outcome { edits } else { [] }
        }
        let isSame = !gone && all.allSatisfy { $0.row.outcome == .same }
        return isSame ? .same : .changed(edits)
    }

    private static let ingredientsMax = 100

    /// The name of the ingredient that has the nutrients which a page states for the dish as a whole.
    private static let statedName = "as the page states"

    /// Whether nutrients of an ingredient are known: of a food of its name, or because a person gave them.
    ///
    /// - Parameter kept: The stored ingredients that stay.
    private func isAnyKnown(
        _ foods: [String?], _ kept: [Identifier], of recipe: Identifier, _ replica: Replica
    ) throws -> Bool {
        if foods.contains(where: { $0 != nil }) { return true }
        return try stored(in: recipe, replica).contains { item in
            kept.contains(item.id)
                && (item.foodID != nil || item.subRecipeID != nil
                    || !item.nutrients.entries.isEmpty)
        }
    }

    /// The ingredients of a recipe that are not deleted by themselves, even if the recipe is.
    private func stored(in recipe: Identifier, _ replica: Replica) throws -> [RecipeItem] {
        try replica.withStore { try $0.items(ofRecipe: recipe) }
    }

    /// What the page states, for all servings, where nothing is known of any ingredient; `nil` where something is, where
    /// it does not count in servings, and where it cannot be true.
    private func stated(
        _ recipe: ReadRecipe, of id: Identifier, isAnyKnown: Bool, _ judge: RowJudge,
        _ replica: Replica
    ) throws -> RowJudge.Verdict? {
        guard !isAnyKnown, let serving = recipe.stated, !serving.nutrients.entries.isEmpty,
            recipe.cookedMilligrams == nil || recipe.servingsMilli != nil
        else { return nil }
        let own = try replica.entity(Recipe.self, id)?.servingsMilli
        let servings = recipe.servingsMilli ?? own ?? 1_000
        var read = ReadRow(line: Self.ingredientsMax + 1)
        read.stated["recipe_id"] = .bytes(id.bytes)
        read.stated["name"] = .text(UTF8Text(Self.statedName))
        for entry in serving.nutrients.scaled(part: servings, whole: 1_000).entries {
            read.stated[entry.nutrient.key] = .int(entry.amount)
        }
        read.defaults["position"] = .text("101")
        let verdict = try judge.verdicts(
            RecipeItem.self, [(read, Self.item(Self.ingredientsMax, of: id))], in: replica
        ) { .ingredient($0) }[0]
        if case .rejected = verdict.row.outcome { return nil }
        return verdict
    }

    /// The id of each line: that of the stored ingredient of its name, on whatever line that was, so that it keeps what
    /// a person has given it; else a free one. An ingredient that a person has renamed also has the name that its file
    /// gave it.
    private func places(
        of lines: [ReadIngredient], in recipe: Identifier, _ replica: Replica
    ) throws -> [(id: Identifier, isKnown: Bool)] {
        var free = (0..<Self.ingredientsMax).map { Self.item($0, of: recipe) }
        var stored = try stored(in: recipe, replica).filter { free.contains($0.id) }
        var found = [Identifier?](repeating: nil, count: lines.count)
        func take(_ nameOf: (RecipeItem) throws -> String?) rethrows {
            for index in lines.indices where found[index] == nil {
                let wanted = SearchText(Self.name(of: lines[index]))
                let match = try stored.firstIndex { item in
                    try nameOf(item).map { SearchText($0) == wanted } ?? false
                }
                guard let match else { continue }
                found[index] = stored.remove(at: match).id
                free.removeAll { $0 == found[index] }
            }
        }
        take { $0.name }
        try take { try importedName(of: $0.id, replica) }
        return lines.indices.map { index in
            if let id = found[index] { return (id, true) }
            let own = Self.item(index, of: recipe)
            let id = free.contains(own) ? own : free.first ?? own
            free.removeAll { $0 == id }
            return (id, false)
        }
    }

    /// The name that the last import gave an ingredient: an import's events belong to a group, and a person's change of one
    /// ingredient does not.
    private func importedName(of id: Identifier, _ replica: Replica) throws -> String? {
        let item = EntityKey(Kind.recipeItem.name, id)
        return try replica.withStore { store in
            var name: String?
            for entry in try store.history(of: item) where entry.event.group != nil {
                for change in entry.event.changes where change.entity == item {
                    for case .set(let fields) in change.operations {
                        name = fields["name"]?.text?.string ?? name
                    }
                }
            }
            return name
        }
    }

    /// Leaves nothing of the ingredient that had the id before.
    private func forgetOther(
        _ read: inout ReadRow, _ id: Identifier, _ replica: Replica
    ) throws {
        let old = try replica.read { try $0.entity(RecipeItem.self, id, includingDeleted: true) }
        for entry in old?.fields.entries ?? [] where read.stated[entry.name] == nil {
            read.stated[entry.name] = .null
        }
    }

    private static func name(of line: ReadIngredient) -> String { Product.cut(line.name, 200) }

    private static func item(_ index: Int, of recipe: Identifier) -> Identifier {
        Identities.imported(.recipeItem, contentHash: recipe.bytes, ordinal: index)
    }

    private func read(_ recipe: ReadRecipe, _ place: Int, _ notices: inout [String]) -> ReadRow {
        var read = ReadRow(line: place)
        let name = Product.cut(recipe.name, 200)
        if name.utf8.count < recipe.name.utf8.count { notices.append("its name is cut") }
        read.stated["name"] = .text(UTF8Text(name))
        read.stated["yield_servings_milli"] = recipe.servingsMilli.map { .int($0) }
        read.stated["cooked_mass_mg"] = recipe.cookedMilligrams.map { .int($0) }
        read.stated["steps"] = recipe.steps.map { .text(UTF8Text($0)) }
        if let url = recipe.url {
            if url.utf8.count <= 500 {
                read.stated["url"] = .text(UTF8Text(url))
            } else {
                notices.append("its address is too long and left out")
            }
        }
        return read
    }

    /// The person's only food of exactly this name.
    private func food(of line: ReadIngredient, _ replica: Replica) throws -> Food? {
        let wanted = SearchText(line.food)
        guard !wanted.words.isEmpty else { return nil }
        let found = try replica.foods(matching: line.food, limit: 50, forgiving: false)
            .filter { $0.isArchived != true && SearchText($0.name) == wanted }
        return found.count == 1 ? found[0] : nil
    }

    private func read(
        _ line: ReadIngredient, _ food: Food?, _ index: Int, of recipe: Identifier,
        _ replica: Replica
    ) throws -> ReadRow {
        var read = ReadRow(line: index + 1)
        read.stated["recipe_id"] = .bytes(recipe.bytes)
        read.stated["name"] = .text(UTF8Text(Self.name(of: line)))
        read.stated["food_id"] = food.map { .bytes($0.id.bytes) }
        var amount = line.amount
        if let food, let typed = amount, typed.milligrams == nil,
            let servingSizes = try replica.read({ try $0.servingSizes(of: food.id) }),
            let measured = try? servingSizes.amount(milli: typed.milli, of: typed.unit)
        {
            amount = measured
        }
        read.stated["amount"] = amount?.value
        read.stated["position"] = .text(UTF8Text(String(String(1_001 + index).dropFirst())))
        return read
    }
}
