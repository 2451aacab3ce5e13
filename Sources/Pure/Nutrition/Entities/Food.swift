public import MacrologEvents

/// A food and its nutrients, per 100 g, per 100 ml or per serving.
public struct Food: NutrientHolder {
    /// The kind.
    public static let kind = Kind.food
    /// Names the entity in events.
    public let id: Identifier
    /// Every field, those this version does not know included.
    public var fields: ValueMap

    /// Reads cells; `nil` when the name is missing.
    public init?(id: Identifier, fields: ValueMap) {
        guard fields.string("name") != nil else { return nil }
        self.id = id
        self.fields = fields
    }

    /// A food by name, with its known nutrients.
    public init(
        id: Identifier, name: String, basis: FoodBasis = .per100Grams,
        nutrients: Nutrients = Nutrients()
    ) {
        self.id = id
        fields = ["name": .text(Text(name)), "basis": .text(basis.name)]
        self.nutrients = nutrients
    }

    /// The name, 1 to 200 bytes.
    public var name: String {
        get { fields.string("name") ?? "" }
        set { fields.put("name", newValue) }
    }

    /// The brand, up to 120 bytes.
    public var brand: String? {
        get { fields.string("brand") }
        set { fields.put("brand", newValue) }
    }

    /// The canonical barcode, fourteen digits; see ``Barcode``.
    public var gtin: String? {
        get { fields.string("gtin") }
        set { fields.put("gtin", newValue) }
    }

    /// The reference amount of the nutrients; 100 g by default.
    public var basis: FoodBasis? {
        get { fields.choice("basis") }
        set { fields.put("basis", choice: newValue) }
    }

    /// One serving.
    public var serving: Amount? {
        get { fields["serving"].flatMap { Amount($0) } }
        set { fields["serving"] = newValue?.value }
    }

    /// Whether carbohydrate includes fibre; total by default.
    public var carbBasis: CarbBasis? {
        get { fields.choice("carb_basis") }
        set { fields.put("carb_basis", choice: newValue) }
    }

    /// The ingredients as printed, up to 4,000 bytes.
    public var ingredients: String? {
        get { fields.string("ingredients_text") }
        set { fields.put("ingredients_text", newValue) }
    }

    /// The source of the numbers.
    public var source: FoodSource? {
        get { fields.choice("source") }
        set { fields.put("source", choice: newValue) }
    }

    /// The food's name at its source, up to 120 bytes.
    public var sourceReference: String? {
        get { fields.string("source_ref") }
        set { fields.put("source_ref", newValue) }
    }

    /// Whether it is listed first.
    public var isFavourite: Bool? {
        get { fields.flag("favourite") }
        set { fields.put("favourite", newValue) }
    }

    /// Whether it is no longer offered.
    public var isArchived: Bool? {
        get { fields.flag("archived") }
        set { fields.put("archived", newValue) }
    }
}
