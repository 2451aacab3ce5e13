public import MacrologEvents

/// Something meant to be eaten on a day: a food, a recipe, a template, or just a name.
public struct PlanEntry: Entity {
    /// The kind.
    public static let kind = Kind.planEntry
    /// Names the entity in events.
    public let id: Identifier
    /// Every field, those this version does not know included.
    public internal(set) var fields: ValueMap

    /// Reads cells; `nil` when the day is missing or malformed.
    public init?(id: Identifier, fields: ValueMap) {
        guard fields["local_date"].flatMap({ LocalDate($0) }) != nil else { return nil }
        self.id = id
        self.fields = fields
    }

    /// A plan for a day and a meal of it.
    public init(id: Identifier, on localDate: LocalDate, slot: Text? = nil) {
        self.id = id
        fields = ["local_date": localDate.value]
        fields["slot"] = slot.map { .text($0) }
    }

    /// The day it counts for, with its instant and zone.
    public var localDate: LocalDate {
        get { fields["local_date"].flatMap { LocalDate($0) } ?? LocalDate(day: .earliest) }
        set { fields["local_date"] = newValue.value }
    }

    /// The meal of the day: `breakfast`, or a person's own slot.
    public var slot: Text? {
        get { fields["slot"]?.text }
        set { fields["slot"] = newValue.map { .text($0) } }
    }

    /// Its name, if it has no food, recipe or template; 1 to 200 bytes.
    public var name: String? {
        get { fields.string("name") }
        set { fields.put("name", newValue) }
    }

    /// The recipe.
    public var recipeID: Identifier? {
        get { fields.identifier("recipe_id") }
        set { fields.put("recipe_id", newValue) }
    }

    /// The food.
    public var foodID: Identifier? {
        get { fields.identifier("food_id") }
        set { fields.put("food_id", newValue) }
    }

    /// The template.
    public var templateID: Identifier? {
        get { fields.identifier("template_id") }
        set { fields.put("template_id", newValue) }
    }

    /// How much.
    public var amount: Amount? {
        get { fields["amount"].flatMap { Amount($0) } }
        set { fields["amount"] = newValue?.value }
    }

    /// The meal that it became.
    public var doneMealID: Identifier? {
        get { fields.identifier("done_meal_id") }
        set { fields.put("done_meal_id", newValue) }
    }
}
