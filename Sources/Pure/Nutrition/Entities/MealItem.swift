public import MacrologEvents

/// One part of a meal, with a snapshot of its nutrients: a later edit of the food does not change it.
public struct MealItem: NutrientHolder {
    /// The kind.
    public static let kind = Kind.mealItem
    /// Names the entity in events.
    public let id: Identifier
    /// Every field, those this version does not know included.
    public var fields: ValueMap

    /// Reads cells; `nil` when the meal is missing.
    public init?(id: Identifier, fields: ValueMap) {
        guard fields.identifier("meal_id") != nil else { return nil }
        self.id = id
        self.fields = fields
    }

    /// A part of a meal.
    ///
    /// - Parameters:
    ///   - name: 1 to 200 bytes.
    ///   - nutrients: Those of the whole amount, not per 100 g.
    public init(
        id: Identifier, of mealID: Identifier, name: String, amount: Amount? = nil,
        nutrients: Nutrients = Nutrients()
    ) {
        self.id = id
        fields = ["meal_id": .bytes(mealID.bytes), "name": .text(Text(name))]
        fields["amount"] = amount?.value
        self.nutrients = nutrients
    }

    /// The meal it belongs to.
    public var mealID: Identifier {
        get { fields.identifier("meal_id") ?? Identifier(high: 0, low: 0) }
        set { fields.put("meal_id", newValue) }
    }

    /// The name, 1 to 200 bytes.
    public var name: String? {
        get { fields.string("name") }
        set { fields.put("name", newValue) }
    }

    /// The brand, up to 120 bytes, where no food says it.
    public var brand: String? {
        get { fields.string("brand") }
        set { fields.put("brand", newValue) }
    }

    /// The food it was taken from.
    public var foodID: Identifier? {
        get { fields.identifier("food_id") }
        set { fields.put("food_id", newValue) }
    }

    /// The recipe it was taken from.
    public var recipeID: Identifier? {
        get { fields.identifier("recipe_id") }
        set { fields.put("recipe_id", newValue) }
    }

    /// How much.
    public var amount: Amount? {
        get { fields["amount"].flatMap { Amount($0) } }
        set { fields["amount"] = newValue?.value }
    }

    /// Its place among the items: a fractional key of 1 to 64 bytes.
    public var position: String? {
        get { fields.string("position") }
        set { fields.put("position", newValue) }
    }

    /// Whether a person changed what an analysis proposed.
    public var isEditedByUser: Bool? {
        get { fields.flag("edited_by_user") }
        set { fields.put("edited_by_user", newValue) }
    }
}
