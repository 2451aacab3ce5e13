public import MacrologEvents

extension Kind {
    /// A food and its nutrients.
    public static let food = Kind(
        "food", added: "food.added", sharedIDs: [Food.barcodeID, Food.tableID], check: Food.check
    ) {
        Food.name
        Food.brand
        Food.gtin
        Food.basis
        Food.serving
        Food.carbBasis
        Food.ingredients
        Food.source
        Food.sourceReference
        Food.isFavourite
        Food.isArchived
        Nutrient.fields
    }
}

/// A food and its nutrients, per 100 g, per 100 ml or per serving.
public struct Food: NutrientHolder {
    /// `food` in events: its fields with their units and bounds.
    public static let kind = Kind.food
    /// Names the entity in events.
    public let id: Identifier
    /// Every field, those this version does not know included.
    public var fields: ValueMap

    static let name = Field.text("name", 1...200).required(else: "")
    static let brand = Field.text("brand", 0...120)
    static let gtin = Field.string("gtin", .gtin).shown(key: "barcode")
    static let basis = Field<FoodBasis?>.choice("basis").assuming(.per100Grams)
    static let serving = Field.amount("serving")
    static let carbBasis = Field<CarbBasis?>.choice("carb_basis").assuming(.total)
        .shown(as: "carbohydrate basis")
    static let ingredients = Field.text("ingredients_text", 0...4_000, lines: true)
    static let source = Field<FoodSource?>.choice("source").assuming(.user)
    static let sourceReference = Field.text("source_ref", 0...120).shown(as: "source")
    static let isFavourite = Field.flag("favourite").assuming(false).shown(key: "favorite")
    static let isArchived = Field.flag("archived").assuming(false)

    static let barcodeID = SharedID("food/{gtin}", for: "a food with a barcode")
    static let tableID = SharedID("food/{source}/{source_ref}", for: "a food of an official table")

    /// Reads the stored fields; `nil` when the name is missing.
    public init?(id: Identifier, fields: ValueMap) {
        guard Self.kind.isComplete(fields) else { return nil }
        self.id = id
        self.fields = fields
    }

    /// A food by name, with its known nutrients.
    public init(
        id: Identifier, name: String, basis: FoodBasis = .per100Grams,
        nutrients: Nutrients = Nutrients()
    ) {
        self.id = id
        fields = ValueMap()
        self.name = name
        self.basis = basis
        self.nutrients = nutrients
    }

    /// The name, 1 to 200 bytes.
    public var name: String {
        get { fields[Self.name] }
        set { fields[Self.name] = newValue }
    }

    /// The brand, up to 120 bytes.
    public var brand: String? {
        get { fields[Self.brand] }
        set { fields[Self.brand] = newValue }
    }

    /// The canonical barcode, fourteen digits; see `Barcode`.
    public var gtin: String? {
        get { fields[Self.gtin] }
        set { fields[Self.gtin] = newValue }
    }

    /// The reference amount of the nutrients; 100 g by default.
    public var basis: FoodBasis? {
        get { fields[Self.basis] }
        set { fields[Self.basis] = newValue }
    }

    /// The amount of one serving, as on the label.
    public var serving: Amount? {
        get { fields[Self.serving] }
        set { fields[Self.serving] = newValue }
    }

    /// Whether carbohydrate includes fibre; total by default.
    public var carbBasis: CarbBasis? {
        get { fields[Self.carbBasis] }
        set { fields[Self.carbBasis] = newValue }
    }

    /// The ingredients as printed, up to 4,000 bytes.
    public var ingredients: String? {
        get { fields[Self.ingredients] }
        set { fields[Self.ingredients] = newValue }
    }

    /// The source of the numbers.
    public var source: FoodSource? {
        get { fields[Self.source] }
        set { fields[Self.source] = newValue }
    }

    /// The food's name at its source, up to 120 bytes.
    public var sourceReference: String? {
        get { fields[Self.sourceReference] }
        set { fields[Self.sourceReference] = newValue }
    }

    /// Whether it is listed first.
    public var isFavourite: Bool? {
        get { fields[Self.isFavourite] }
        set { fields[Self.isFavourite] = newValue }
    }

    /// Whether it is no longer offered.
    public var isArchived: Bool? {
        get { fields[Self.isArchived] }
        set { fields[Self.isArchived] = newValue }
    }
}
