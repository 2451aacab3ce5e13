public import MacrologEvents

extension Kind {
    /// A planned meal.
    public static let planEntry = Kind(
        "plan_entry", title: "plan", added: "plan.added", day: PlanEntry.localDate.spec,
        sharedIDs: [PlanEntry.copyID]
    ) {
        PlanEntry.localDate
        PlanEntry.slot
        PlanEntry.name
        PlanEntry.recipeID
        PlanEntry.foodID
        PlanEntry.templateID
        PlanEntry.amount
        PlanEntry.doneMealID
    }
}

/// Something meant to be eaten on a day: a food, a recipe, a template, or just a name.
public struct PlanEntry: Entity {
    /// `plan_entry` in events: its fields with their units and bounds.
    public static let kind = Kind.planEntry
    /// Names the entity in events.
    public let id: Identifier
    /// Every field, those this version does not know included.
    public internal(set) var fields: ValueMap

    static let localDate = SharedFields.localDate
    static let slot = Field.word("slot", .slot)
    static let name = Field.text("name", 1...200)
    static let recipeID = Field.reference("recipe_id").shown(as: "recipe")
    static let foodID = Field.reference("food_id").shown(as: "food")
    static let templateID = Field.reference("template_id").shown(as: "template")
    static let amount = Field.amount("amount")
    static let doneMealID = Field.reference("done_meal_id")

    static let copyID = SharedID(
        "plan_copy/{plan_entry}/{day}", for: "a plan that was copied to a day")

    /// Reads the stored fields; `nil` when the day is missing or malformed.
    public init?(id: Identifier, fields: ValueMap) {
        guard Self.kind.isComplete(fields) else { return nil }
        self.id = id
        self.fields = fields
    }

    /// A plan for a day and a meal slot.
    public init(id: Identifier, on localDate: LocalDate, slot: UTF8Text? = nil) {
        self.id = id
        fields = ValueMap()
        self.localDate = localDate
        self.slot = slot
    }

    /// The day it counts for, with its instant and zone.
    public var localDate: LocalDate {
        get { fields[Self.localDate] }
        set { fields[Self.localDate] = newValue }
    }

    /// The meal slot: `breakfast`, or a person's own slot.
    public var slot: UTF8Text? {
        get { fields[Self.slot] }
        set { fields[Self.slot] = newValue }
    }

    /// Its name, if it has no food, recipe or template; 1 to 200 bytes.
    public var name: String? {
        get { fields[Self.name] }
        set { fields[Self.name] = newValue }
    }

    /// The recipe that is planned; `nil` for something else.
    public var recipeID: Identifier? {
        get { fields[Self.recipeID] }
        set { fields[Self.recipeID] = newValue }
    }

    /// The food that is planned; `nil` for something else.
    public var foodID: Identifier? {
        get { fields[Self.foodID] }
        set { fields[Self.foodID] = newValue }
    }

    /// The template that is planned; `nil` for something else.
    public var templateID: Identifier? {
        get { fields[Self.templateID] }
        set { fields[Self.templateID] = newValue }
    }

    /// How much of it is planned.
    public var amount: Amount? {
        get { fields[Self.amount] }
        set { fields[Self.amount] = newValue }
    }

    /// The meal that it became.
    public var doneMealID: Identifier? {
        get { fields[Self.doneMealID] }
        set { fields[Self.doneMealID] = newValue }
    }
}
