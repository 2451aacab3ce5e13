package import MacrologEvents
package import MacrologLog
package import MacrologNutrition
package import MacrologReadModels
import MacrologSQLite

/// Recipes by name, and the ingredients of each.
enum Recipes {
    static let model = ReadModel(
        tables: [table, items],
        folds: [
            .row(of: Recipe.self, in: table) {
                [.id($0.id), .text(UTF8Text(SearchText($0.name).text))]
            },
            .row(of: RecipeItem.self, in: items) { [.id($0.recipeID), .id($0.id)] },
        ])

    /// `name` is folded for searching.
    static let table = ReadModelTable("recipe", key: [.blob("id")], columns: [.text("name")])

    static let items = ReadModelTable("recipe_item", key: [.blob("recipe"), .blob("id")])
}

/// Reading recipes.
extension Store {
    /// The recipes whose names have words with the typed prefixes, by name; all for an empty text.
    package mutating func recipes(matching typed: String) throws(LogError) -> [Recipe] {
        let ids = try db.all("SELECT id, name FROM recipe ORDER BY name, id") {
            (id: $0.identifier(0), name: $0.text(1))
        }
        let found = ids.filter { Store.begins(SearchText($0.name), with: typed) }
        return try entities(Recipe.self, found.map { $0.id })
    }

    static func begins(_ name: SearchText, with typed: String) -> Bool {
        SearchText(typed).words.allSatisfy { word in
            name.words.contains { $0.starts(with: word) }
        }
    }

    /// A recipe with its ingredients and their sum; `nil` when it does not exist or is deleted.
    package mutating func recipe(_ id: Identifier) throws(LogError) -> RecipeDetail? {
        guard let recipe = try entity(Recipe.self, id) else { return nil }
        let book = try recipeBook(from: id)
        guard let contents = book.contents(of: id) else { return nil }
        return RecipeDetail(recipe: recipe, items: try items(ofRecipe: id), contents: contents)
    }

    /// The ingredients of a recipe that are not deleted, in their order.
    package mutating func items(ofRecipe id: Identifier) throws(LogError) -> [RecipeItem] {
        let ids = try db.all("SELECT id FROM recipe_item WHERE recipe = ? ORDER BY id", id) {
            $0.identifier(0)
        }
        return try entities(RecipeItem.self, ids).sorted {
            let (left, right) = (UTF8Text($0.position ?? ""), UTF8Text($1.position ?? ""))
            return left == right ? $0.id < $1.id : left < right
        }
    }

    /// A recipe and everything that it contains, read at once.
    package mutating func recipeBook(from id: Identifier) throws(LogError) -> RecipeBook {
        var recipes: [Identifier: Recipe] = [:]
        var items: [Identifier: [RecipeItem]] = [:]
        var foods: [Identifier: ServingSizes] = [:]
        var open = [id]
        while let next = open.popLast() {
            guard items[next] == nil else { continue }
            let parts = try self.items(ofRecipe: next)
            items[next] = parts
            recipes[next] = try entity(Recipe.self, next)
            open += parts.compactMap { $0.subRecipeID }
            for food in parts.compactMap({ $0.foodID }) where foods[food] == nil {
                foods[food] = try servingSizes(of: food)
            }
        }
        let (knownRecipes, knownItems, knownFoods) = (recipes, items, foods)
        return RecipeBook(
            recipe: { knownRecipes[$0] }, items: { knownItems[$0] ?? [] },
            food: { knownFoods[$0] })
    }
}
