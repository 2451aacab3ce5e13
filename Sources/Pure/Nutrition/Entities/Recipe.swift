public import MacrologEvents

extension Kind {
    /// A dish and how much it yields.
    public static let recipe = Kind("recipe", added: "recipe.added") {
        Recipe.name
        Recipe.servingsMilli
        Recipe.cookedMilligrams
        Recipe.steps
        Recipe.url
    }
}

/// A dish made of foods and of other recipes, and how much it yields.
///
/// A serving's nutrients are computed from its items, by `RecipeBook`; a meal keeps a snapshot.
public struct Recipe: Entity {
    /// `recipe` in events: its fields with their units and bounds.
    public static let kind = Kind.recipe
    /// Names the entity in events.
    public let id: Identifier
    /// Every field, those this version does not know included.
    public internal(set) var fields: ValueMap

    static let name = Field.text("name", 1...200).required(else: "")
    static let servingsMilli = Field.number("yield_servings_milli", .thousandths, 1...1_000_000)
        .assuming(1_000).shown(key: "servings")
    static let cookedMilligrams = Field.number("cooked_mass_mg", .milligrams, 1...50_000_000)
        .shown(key: "mass_g")
    static let steps = Field.text("steps", 0...16_384, lines: true).shown(key: "instructions")
    static let url = Field.text("url", 0...500)

    /// Reads the stored fields; `nil` when the name is missing.
    public init?(id: Identifier, fields: ValueMap) {
        guard Self.kind.isComplete(fields) else { return nil }
        self.id = id
        self.fields = fields
    }

    /// A dish by name, 1 to 200 bytes.
    public init(id: Identifier, name: String, servingsMilli: Int64? = nil) {
        self.id = id
        fields = ValueMap()
        self.name = name
        self.servingsMilli = servingsMilli
    }

    /// The name, 1 to 200 bytes.
    public var name: String {
        get { fields[Self.name] }
        set { fields[Self.name] = newValue }
    }

    /// How many servings it yields, in thousandths from 1 to 1,000,000; one when not set.
    public var servingsMilli: Int64? {
        get { fields[Self.servingsMilli] }
        set { fields[Self.servingsMilli] = newValue }
    }

    /// What the whole dish weighs when done, in milligrams from 1 to 50,000,000. Water boils
    /// off and pasta swells: without it a gram of the dish is a gram of its ingredients.
    public var cookedMilligrams: Int64? {
        get { fields[Self.cookedMilligrams] }
        set { fields[Self.cookedMilligrams] = newValue }
    }

    /// How it is made, up to 16,384 bytes.
    public var steps: String? {
        get { fields[Self.steps] }
        set { fields[Self.steps] = newValue }
    }

    /// Its source, up to 500 bytes.
    public var url: String? {
        get { fields[Self.url] }
        set { fields[Self.url] = newValue }
    }
}
