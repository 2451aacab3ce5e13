public import MacrologEvents

extension Kind {
    /// A household measure of a food: a slice, a cup.
    package static let foodPortion = Kind(
        "food_portion", title: "measure", added: "food.portion_added",
        partOf: Kind.Whole("food", FoodPortion.foodID), sharedIDs: [FoodPortion.sharedID]
    ) {
        FoodPortion.foodID
        FoodPortion.label
        FoodPortion.milligrams
    }
}

/// A household measure of a food, such as a slice of 30 g.
public struct FoodPortion: Entity {
    /// `food_portion` in events: its fields with their units and bounds.
    public static let kind = Kind.foodPortion
    /// Names the entity in events.
    public let id: Identifier
    /// Every field, those this version does not know included.
    public internal(set) var fields: ValueMap

    static let foodID = Field.reference("food_id").shown(as: "food").required(else: .zero)
    static let label = Field.text("label", 1...60).shown(key: "measure").required(else: "")
    static let milligrams = Field.number("grams_mg", .milligrams, 1...50_000_000)
        .shown(key: "mass_g").required(else: 0)

    static let sharedID = SharedID("food_portion/{food_id}/{label}", for: "a portion of a food")

    /// Reads the stored fields; `nil` when the food, the label or the mass is missing.
    public init?(id: Identifier, fields: ValueMap) {
        guard Self.kind.isComplete(fields) else { return nil }
        self.id = id
        self.fields = fields
    }

    /// A portion, with the id `Identities.foodPortion(of:label:)`.
    ///
    /// - Parameters:
    ///   - label: 1 to 60 bytes, such as `slice`.
    ///   - milligrams: 1 to 50,000,000.
    public init(of foodID: Identifier, label: String, milligrams: Int64) {
        id = Identities.foodPortion(of: foodID, label: label)
        fields = ValueMap()
        self.foodID = foodID
        self.label = label
        self.milligrams = milligrams
    }

    /// The food that it is a measure of.
    public var foodID: Identifier {
        get { fields[Self.foodID] }
        set { fields[Self.foodID] = newValue }
    }

    /// Its name, 1 to 60 bytes.
    public var label: String {
        get { fields[Self.label] }
        set { fields[Self.label] = newValue }
    }

    /// The mass of one, in milligrams from 1 to 50,000,000.
    public var milligrams: Int64 {
        get { fields[Self.milligrams] }
        set { fields[Self.milligrams] = newValue }
    }
}
