public import MacrologEvents

/// A meal to be logged again, with a snapshot of its items.
public struct MealTemplate: Entity {
    /// The kind.
    public static let kind = Kind.mealTemplate
    /// Names the entity in events.
    public let id: Identifier
    /// Every field, those this version does not know included.
    public internal(set) var fields: ValueMap

    /// Reads cells; `nil` when the name is missing.
    public init?(id: Identifier, fields: ValueMap) {
        guard fields.string("name") != nil else { return nil }
        self.id = id
        self.fields = fields
    }

    /// A template by name, 1 to 200 bytes, of up to 100 items.
    public init(id: Identifier, name: String, items: [TemplateItem]) {
        self.id = id
        fields = ["name": .text(Text(name)), "items": TemplateItem.value(items)]
    }

    /// The name, 1 to 200 bytes.
    public var name: String {
        get { fields.string("name") ?? "" }
        set { fields.put("name", newValue) }
    }

    /// Its items, up to 100, which change together.
    public var items: [TemplateItem] {
        get { fields["items"].flatMap { TemplateItem.list($0) } ?? [] }
        set { fields["items"] = TemplateItem.value(newValue) }
    }
}
