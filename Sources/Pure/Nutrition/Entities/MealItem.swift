public import MacrologEvents

extension Kind {
    /// A part of a meal.
    public static let mealItem = Kind(
        "meal_item", title: "item", added: "item.added",
        partOf: Kind.Whole("meal", MealItem.mealID),
        sharedIDs: [MealItem.plannedID, MealItem.analyzedID, MealItem.copyID]
    ) {
        MealItem.mealID
        MealItem.name
        MealItem.brand
        MealItem.foodID
        MealItem.recipeID
        MealItem.amount
        MealItem.position
        MealItem.isEditedByUser
        Nutrient.fields
    }
}

/// One part of a meal, with a snapshot of its nutrients: a later edit of the food does not change it.
public struct MealItem: NutrientHolder {
    /// `meal_item` in events: its fields with their units and bounds.
    public static let kind = Kind.mealItem
    /// Names the entity in events.
    public let id: Identifier
    /// Every field, those this version does not know included.
    public var fields: ValueMap

    static let mealID = Field.reference("meal_id").shown(as: "meal").required(else: .zero)
    static let name = Field.text("name", 1...200)
    static let brand = Field.text("brand", 0...120)
    static let foodID = Field.reference("food_id").shown(as: "food")
    static let recipeID = Field.reference("recipe_id").shown(as: "recipe")
    static let amount = Field.amount("amount")
    static let position = Field.text("position", 1...64)
    static let isEditedByUser = Field.flag("edited_by_user").assuming(false)

    static let plannedID = SharedID("plan_item/{plan_entry}/{index}", for: "a part of that meal")
    static let analyzedID = SharedID(
        "analysis_item/{question}/{index}", for: "a part of a meal that an analysis proposed")
    static let copyID = SharedID("copied_item/{meal}/{meal_item}", for: "a part of that copy")

    /// Reads the stored fields; `nil` when the meal is missing.
    public init?(id: Identifier, fields: ValueMap) {
        guard Self.kind.isComplete(fields) else { return nil }
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
        fields = ValueMap()
        self.mealID = mealID
        self.name = name
        self.amount = amount
        self.nutrients = nutrients
    }

    /// The meal it belongs to.
    public var mealID: Identifier {
        get { fields[Self.mealID] }
        set { fields[Self.mealID] = newValue }
    }

    /// The name, 1 to 200 bytes.
    public var name: String? {
        get { fields[Self.name] }
        set { fields[Self.name] = newValue }
    }

    /// The brand, up to 120 bytes, where no food says it.
    public var brand: String? {
        get { fields[Self.brand] }
        set { fields[Self.brand] = newValue }
    }

    /// The food it was taken from.
    public var foodID: Identifier? {
        get { fields[Self.foodID] }
        set { fields[Self.foodID] = newValue }
    }

    /// The recipe it was taken from.
    public var recipeID: Identifier? {
        get { fields[Self.recipeID] }
        set { fields[Self.recipeID] = newValue }
    }

    /// How much was eaten of it, as typed, and its mass where that is known.
    public var amount: Amount? {
        get { fields[Self.amount] }
        set { fields[Self.amount] = newValue }
    }

    /// Its place among the items: a fractional key of 1 to 64 bytes.
    public var position: String? {
        get { fields[Self.position] }
        set { fields[Self.position] = newValue }
    }

    /// Whether a person changed what an analysis proposed.
    public var isEditedByUser: Bool? {
        get { fields[Self.isEditedByUser] }
        set { fields[Self.isEditedByUser] = newValue }
    }
}
