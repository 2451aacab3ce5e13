public import MacrologEvents

/// A household measure of a food, such as a slice of 30 g.
public struct FoodPortion: Entity {
    /// The kind.
    public static let kind = Kind.foodPortion
    /// Names the entity in events.
    public let id: Identifier
    /// Every field, those this version does not know included.
    public internal(set) var fields: ValueMap

    /// Reads cells; `nil` when the food, the label or the mass is missing.
    public init?(id: Identifier, fields: ValueMap) {
        guard fields.identifier("food_id") != nil, fields.string("label") != nil,
            fields.number("grams_mg") != nil
        else { return nil }
        self.id = id
        self.fields = fields
    }

    /// A portion, with the id ``Identities/foodPortion(of:label:)``.
    ///
    /// - Parameters:
    ///   - label: 1 to 60 bytes, such as `slice`.
    ///   - milligrams: 1 to 50,000,000.
    public init(of foodID: Identifier, label: String, milligrams: Int64) {
        id = Identities.foodPortion(of: foodID, label: label)
        fields = [
            "food_id": .bytes(foodID.bytes), "label": .text(Text(label)),
            "grams_mg": .int(milligrams),
        ]
    }

    /// The food.
    public var foodID: Identifier {
        get { fields.identifier("food_id") ?? Identifier(high: 0, low: 0) }
        set { fields.put("food_id", newValue) }
    }

    /// Its name, 1 to 60 bytes.
    public var label: String {
        get { fields.string("label") ?? "" }
        set { fields.put("label", newValue) }
    }

    /// The mass of one, in milligrams from 1 to 50,000,000.
    public var milligrams: Int64 {
        get { fields.number("grams_mg") ?? 0 }
        set { fields.put("grams_mg", newValue) }
    }
}
