public import MacrologEvents
public import MacrologNutrition
import MacrologLog
import MacrologNutritionModels
import MacrologReadModels

/// Recipes and templates.
extension Diary {
    /// The recipes whose names have words with the typed prefixes, by name; all for an empty text.
    public func recipes(matching typed: String = "") throws(DiaryError) -> [Recipe] {
        try withStore { store throws(LogError) in try store.recipes(matching: typed) }
    }

    /// A recipe with its ingredients and what they come to; `nil` when it does not exist or is
    /// deleted.
    public func recipe(_ id: Identifier) throws(DiaryError) -> RecipeDetail? {
        try withStore { store throws(LogError) in try store.recipe(id) }
    }

    /// The templates whose names have words with the typed prefixes, by name; all for an empty
    /// text.
    public func templates(matching typed: String = "") throws(DiaryError)
        -> [MealTemplate]
    {
        try withStore { store throws(LogError) in try store.templates(matching: typed) }
    }

    /// The id under which a food with a barcode is stored: that of the food which has the barcode now. A new food's
    /// follows from the digits, so that devices which add the same product have one food.
    ///
    ///     a1 adds a bar with 4006381333931 · a2 corrects its barcode · a3 adds juice with 4006381333931
    ///     a3 is another food: the first id of the digits is the bar's
    public func foodID(of barcode: Barcode) throws(DiaryError) -> Identifier {
        let found = try withStore { store throws(LogError) in
            try store.ids(ofFoodsWith: barcode).first
        }
        if let found { return found }
        var id = Identities.food(barcode)
        while try entity(Food.self, id) != nil {
            id = .v5(namespace: id, name: barcode.gtin.string)
        }
        return id
    }

    /// A food with its household measures; `nil` when it does not exist or is deleted.
    public func servingSizes(of food: Identifier) throws(DiaryError) -> ServingSizes? {
        try withStore { store throws(LogError) in try store.servingSizes(of: food) }
    }

    /// An item of a meal with another amount, and its own nutrients in proportion: as its food or
    /// recipe converts the two amounts, else as these compare by themselves. Nothing is recorded.
    ///
    /// - Throws: ``PortionError`` for two amounts that nothing compares.
    public func rescaled(_ item: MealItem, to amount: Amount) throws(DiaryError) -> MealItem {
        let food: ServingSizes? = if let id = item.foodID { try servingSizes(of: id) } else { nil }
        let dish: RecipeDetail? = if let id = item.recipeID { try recipe(id) } else { nil }
        do throws(PortionError) {
            return try item.rescaled(to: amount, food: food, recipe: dish?.contents)
        } catch {
            throw .portion(error)
        }
    }

    /// Adds an ingredient to a recipe.
    ///
    /// - Throws: ``EntryError`` with code `recursiveRecipe` when the recipe would contain itself, at any
    ///   depth, or `notFound` or `deleted` for a recipe that is not there.
    @discardableResult
    public mutating func addIngredient(_ item: RecipeItem) throws(DiaryError) -> [Finding] {
        try requireRecipes(of: item)
        return try add(item)
    }

    /// Refuses an ingredient whose recipe is not there, or would contain itself.
    package func checkIngredient(_ item: RecipeItem) throws(DiaryError) {
        try requireRecipes(of: item)
        try requireNoCircle(of: item)
    }

    /// Refuses an ingredient by which its recipe would contain itself. Other entities make no circle.
    func requireNoCircle<E: Entity>(of part: E) throws(DiaryError) {
        guard E.kind == .recipeItem, let item = RecipeItem(id: part.id, fields: part.fields),
            let sub = item.subRecipeID
        else { return }
        let isCircle = try withStore { store throws(LogError) in
            try store.recipeBook(from: sub).wouldCycle(adding: sub, to: item.recipeID)
        }
        guard !isCircle else { throw .refused(.recursiveRecipe) }
    }

    private func requireRecipes(of item: RecipeItem) throws(DiaryError) {
        _ = try require(Recipe.self, item.recipeID)
        if let sub = item.subRecipeID { _ = try require(Recipe.self, sub) }
    }
}
