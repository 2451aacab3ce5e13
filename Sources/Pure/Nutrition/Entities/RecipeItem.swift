public import MacrologEvents

extension Kind {
    /// An ingredient of a recipe.
    public static let recipeItem = Kind(
        "recipe_item", title: "ingredient", added: "recipe.item_added",
        partOf: Kind.Whole("recipe", RecipeItem.recipeID), check: RecipeItem.check
    ) {
        RecipeItem.recipeID
        RecipeItem.name
        RecipeItem.foodID
        RecipeItem.subRecipeID
        RecipeItem.amount
        RecipeItem.position
        Nutrient.fields
    }
}

/// An ingredient of a recipe: a food, another recipe or, with neither, a name with nutrients of its own
/// (those of the whole amount).
public struct RecipeItem: NutrientHolder {
    /// `recipe_item` in events: its fields with their units and bounds.
    public static let kind = Kind.recipeItem
    /// Names the entity in events.
    public let id: Identifier
    /// Every field, those this version does not know included.
    public var fields: ValueMap

    static let recipeID = Field.reference("recipe_id").shown(as: "recipe").required(else: .zero)
    static let name = Field.text("name", 1...200)
    static let foodID = Field.reference("food_id").shown(as: "food")
    static let subRecipeID = Field.reference("sub_recipe_id").shown(as: "recipe")
    static let amount = Field.amount("amount")
    static let position = Field.text("position", 1...64)

    static func check(_ fields: ValueMap, _ today: Day) -> [Finding] {
        guard fields["food_id"]?.bytes != nil, fields["sub_recipe_id"]?.bytes != nil else {
            return []
        }
        return [
            Finding(
                .hard, kind: "recipe_item", field: "sub_recipe_id",
                problem: "stands beside a food", hint: "give a food or a recipe, not both")
        ]
    }

    /// Reads the stored fields; `nil` when the recipe is missing.
    public init?(id: Identifier, fields: ValueMap) {
        guard Self.kind.isComplete(fields) else { return nil }
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
        fields = ValueMap()
        self.recipeID = recipeID
        self.name = name
        self.foodID = foodID
        self.subRecipeID = subRecipeID
        self.amount = amount
        self.nutrients = nutrients
    }

    /// The recipe it belongs to.
    public var recipeID: Identifier {
        get { fields[Self.recipeID] }
        set { fields[Self.recipeID] = newValue }
    }

    /// The name, 1 to 200 bytes.
    public var name: String? {
        get { fields[Self.name] }
        set { fields[Self.name] = newValue }
    }

    /// The food that it is; `nil` for a recipe or a name.
    public var foodID: Identifier? {
        get { fields[Self.foodID] }
        set { fields[Self.foodID] = newValue }
    }

    /// The recipe that is an ingredient of this one.
    public var subRecipeID: Identifier? {
        get { fields[Self.subRecipeID] }
        set { fields[Self.subRecipeID] = newValue }
    }

    /// How much; of a recipe, `serving` is a unit.
    public var amount: Amount? {
        get { fields[Self.amount] }
        set { fields[Self.amount] = newValue }
    }

    /// Its place among the ingredients: a fractional key of 1 to 64 bytes.
    public var position: String? {
        get { fields[Self.position] }
        set { fields[Self.position] = newValue }
    }
}
