public import MacrologEvents

/// A dish made of foods and of other recipes, and how much it yields.
///
/// A serving's nutrients are computed from its items, see ``RecipeBook``; a meal keeps a snapshot.
public struct Recipe: Entity {
    /// The kind.
    public static let kind = Kind.recipe
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

    /// A dish by name, 1 to 200 bytes.
    public init(id: Identifier, name: String, servingsMilli: Int64? = nil) {
        self.id = id
        fields = ["name": .text(Text(name))]
        fields.put("yield_servings_milli", servingsMilli)
    }

    /// The name, 1 to 200 bytes.
    public var name: String {
        get { fields.string("name") ?? "" }
        set { fields.put("name", newValue) }
    }

    /// How many servings it yields, in thousandths from 1 to 1,000,000; one when not set.
    public var servingsMilli: Int64? {
        get { fields.number("yield_servings_milli") }
        set { fields.put("yield_servings_milli", newValue) }
    }

    /// What the whole dish weighs when done, in milligrams from 1 to 50,000,000. Water boils
    /// off and pasta swells: without it a gram of the dish is a gram of its ingredients.
    public var cookedMilligrams: Int64? {
        get { fields.number("cooked_mass_mg") }
        set { fields.put("cooked_mass_mg", newValue) }
    }

    /// How it is made, up to 16,384 bytes.
    public var steps: String? {
        get { fields.string("steps") }
        set { fields.put("steps", newValue) }
    }

    /// Its source, up to 500 bytes.
    public var url: String? {
        get { fields.string("url") }
        set { fields.put("url", newValue) }
    }
}
