import MacrologDiary
public import MacrologEvents
public import MacrologNutrition
import MacrologReadModels

/// Recipes and templates.
extension Replica {
    /// The recipes whose names have words with the typed prefixes, by name; all for an empty text.
    public func recipes(matching typed: String = "") throws -> [Recipe] {
        try withDiary { try $0.recipes(matching: typed) }
    }

    /// A recipe with its ingredients and what they come to; `nil` when it does not exist or is
    /// deleted.
    public func recipe(_ id: Identifier) throws -> RecipeDetail? {
        try withDiary { try $0.recipe(id) }
    }

    /// The templates whose names have words with the typed prefixes, by name; all for an empty
    /// text.
    public func templates(matching typed: String = "") throws -> [MealTemplate] {
        try withDiary { try $0.templates(matching: typed) }
    }

    /// A food with its household measures; `nil` when it does not exist or is deleted.
    public func servingSizes(of food: Identifier) throws -> ServingSizes? {
        try withDiary { try $0.servingSizes(of: food) }
    }

    /// Adds an ingredient to a recipe, after the others.
    ///
    /// - Throws: ``ReplicaError`` with code `recursiveRecipe` when the recipe would contain
    ///   itself, at any depth.
    @discardableResult
    public func addIngredient(_ item: RecipeItem) throws -> [Finding] {
        try withDiary { try $0.addIngredient(item) }
    }
}
