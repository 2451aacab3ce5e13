public import MacrologEvents

/// A nutrient that a person defined: the meaning of the field `x:…` of foods and meals.
public struct CustomNutrient: Entity {
    /// The kind.
    public static let kind = Kind.customNutrient
    /// Names the entity in events.
    public let id: Identifier
    /// Every field, those this version does not know included.
    public internal(set) var fields: ValueMap

    /// Reads cells; `nil` when the key or the name is missing or malformed.
    public init?(id: Identifier, fields: ValueMap) {
        guard fields["key"]?.text.flatMap({ Nutrient(key: $0) }) != nil,
            fields.string("name") != nil
        else { return nil }
        self.id = id
        self.fields = fields
    }

    /// A nutrient, with the id ``Identities/customNutrient(_:)``.
    ///
    /// - Parameters:
    ///   - nutrient: One whose key begins with `x:`.
    ///   - name: Its name, 1 to 60 bytes.
    public init(_ nutrient: Nutrient, name: String, unit: CustomUnit = .grams) {
        id = Identities.customNutrient(nutrient)
        fields = [
            "key": .text(nutrient.key), "name": .text(Text(name)), "unit": .text(unit.name),
        ]
    }

    /// The field: `x:betaine`.
    public var key: Text {
        get { fields["key"]?.text ?? "" }
        set { fields["key"] = .text(newValue) }
    }

    /// Its name, 1 to 60 bytes.
    public var name: String {
        get { fields.string("name") ?? "" }
        set { fields.put("name", newValue) }
    }

    /// The unit, of which a field holds thousandths.
    public var unit: CustomUnit? {
        get { fields.choice("unit") }
        set { fields.put("unit", choice: newValue) }
    }

    /// Which side of a target is the good one.
    public var direction: GoalDirection? {
        get { fields.choice("direction") }
        set { fields.put("direction", choice: newValue) }
    }
}
