public import MacrologEvents

/// An ingredient of a recipe: a food, another recipe or, with neither, a name with nutrients of its own
/// (those of the whole amount).
public struct RecipeItem: NutrientHolder {
    /// The kind.
    public static let kind = Kind.recipeItem
    /// Names the entity in events.
    public let id: Identifier
    /// Every field, those this version does not know included.
    public var fields: ValueMap

    /// Reads cells; `nil` when the recipe is missing.
    public init?(id: Identifier, fields: ValueMap) {
        guard fields.identifier("recipe_id") != nil else { return nil }
        self.id = id
        self.fields = fields
    }

    /// An ingredient.
    ///
    /// - Parameters:
    ///   - name: 1 to 200 bytes.
    ///   - nutrients: Those of the whole amount; only for an ingredient that is no food and no recipe.
    public init(
        id: Identifier, of recipeID: Identifier, name: String? = nil, foodID: Identifier? = nil,
        subRecipeID: Identifier? = nil, amount: Amount? = nil, nutrients: Nutrients = Nutrients()
    ) {
        self.id = id
        fields = ["recipe_id": .bytes(recipeID.bytes)]
        fields.put("name", name)
        fields.put("food_id", foodID)
        fields.put("sub_recipe_id", subRecipeID)
        fields["amount"] = amount?.value
        self.nutrients = nutrients
    }

    /// The recipe it belongs to.
    public var recipeID: Identifier {
        get { fields.identifier("recipe_id") ?? Identifier(high: 0, low: 0) }
        set { fields.put("recipe_id", newValue) }
    }

    /// The name, 1 to 200 bytes.
    public var name: String? {
        get { fields.string("name") }
        set { fields.put("name", newValue) }
    }

    /// The food.
    public var foodID: Identifier? {
        get { fields.identifier("food_id") }
        set { fields.put("food_id", newValue) }
    }

    /// The recipe that is an ingredient of this one.
    public var subRecipeID: Identifier? {
        get { fields.identifier("sub_recipe_id") }
        set { fields.put("sub_recipe_id", newValue) }
    }

    /// How much; of a recipe, `serving` is a unit.
    public var amount: Amount? {
        get { fields["amount"].flatMap { Amount($0) } }
        set { fields["amount"] = newValue?.value }
    }

    /// Its place among the ingredients: a fractional key of 1 to 64 bytes.
    public var position: String? {
        get { fields.string("position") }
        set { fields.put("position", newValue) }
    }
}
