/// A recipe with its ingredients and their sum.
public struct RecipeDetail: Hashable, Sendable {
    /// The recipe itself: name, servings, weight.
    public let recipe: Recipe
    /// Its ingredients in their order.
    public let items: [RecipeItem]
    /// The contents of the whole dish.
    public let contents: RecipeContents

    /// A recipe and what it sums up to.
    package init(recipe: Recipe, items: [RecipeItem], contents: RecipeContents) {
        self.recipe = recipe
        self.items = items
        self.contents = contents
    }
}
