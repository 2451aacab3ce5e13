public import MacrologEvents

extension Kind {
    /// A meal to be logged again.
    public static let mealTemplate = Kind(
        "meal_template", title: "template", added: "template.added"
    ) {
        MealTemplate.name
        MealTemplate.items
    }
}

/// A meal to be logged again, with a snapshot of its items.
public struct MealTemplate: Entity {
    /// `meal_template` in events: its fields with their units and bounds.
    public static let kind = Kind.mealTemplate
    /// Names the entity in events.
    public let id: Identifier
    /// Every field, those this version does not know included.
    public internal(set) var fields: ValueMap

    static let name = Field.text("name", 1...200).required(else: "")
    static let items = Field.items("items")

    /// Reads the stored fields; `nil` when the name is missing.
    public init?(id: Identifier, fields: ValueMap) {
        guard Self.kind.isComplete(fields) else { return nil }
        self.id = id
        self.fields = fields
    }

    /// A template by name, 1 to 200 bytes, of up to 100 items.
    public init(id: Identifier, name: String, items: [TemplateItem]) {
        self.id = id
        fields = ValueMap()
        self.name = name
        self.items = items
    }

    /// The name, 1 to 200 bytes.
    public var name: String {
        get { fields[Self.name] }
        set { fields[Self.name] = newValue }
    }

    /// Its items, up to 100, which change together.
    public var items: [TemplateItem] {
        get { fields[Self.items] }
        set { fields[Self.items] = newValue }
    }
}
