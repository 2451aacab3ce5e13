public import MacrologEvents

extension Kind {
    /// A nutrient that a person defined.
    package static let customNutrient = Kind(
        "custom_nutrient", title: "nutrient", added: "nutrient.added",
        sharedIDs: [CustomNutrient.sharedID], check: CustomNutrient.check
    ) {
        CustomNutrient.key
        CustomNutrient.name
        CustomNutrient.unit
        CustomNutrient.direction
    }
}

/// A nutrient that a person defined: the meaning of the field `x:…` of foods and meals.
public struct CustomNutrient: Entity {
    /// `custom_nutrient` in events: its fields with their units and bounds.
    public static let kind = Kind.customNutrient
    /// Names the entity in events.
    public let id: Identifier
    /// Every field, those this version does not know included.
    public internal(set) var fields: ValueMap

    static let key = Field.word("key", .nutrient).shown(key: "nutrient").required(else: "")
    static let name = Field.text("name", 1...60).required(else: "")
    static let unit = Field<CustomUnit?>.choice("unit").assuming(.grams)
    static let direction = Field<GoalDirection?>.choice("direction")

    static let sharedID = SharedID("custom_nutrient/{key}", for: "a nutrient that a person defined")

    static func check(_ fields: ValueMap, _ today: Day) -> [Finding] {
        guard let nutrient = Nutrient(key: fields[key]), Nutrient.known.contains(nutrient) else {
            return []
        }
        return [
            Finding(
                .hard, kind: "custom_nutrient", field: "key",
                problem: "is a nutrient that everybody has",
                hint: "type x: and a name of your own, such as x:betaine")
        ]
    }

    /// Reads the stored fields; `nil` when the key or the name is missing or malformed.
    public init?(id: Identifier, fields: ValueMap) {
        guard Self.kind.isComplete(fields) else { return nil }
        self.id = id
        self.fields = fields
    }

    /// A nutrient, with the id `Identities.customNutrient(_:)`.
    ///
    /// - Parameters:
    ///   - nutrient: One whose key begins with `x:`.
    ///   - name: Its name, 1 to 60 bytes.
    public init(_ nutrient: Nutrient, name: String, unit: CustomUnit = .grams) {
        id = Identities.customNutrient(nutrient)
        fields = ValueMap()
        key = nutrient.key
        self.name = name
        self.unit = unit
    }

    /// The field: `x:betaine`.
    public var key: UTF8Text {
        get { fields[Self.key] }
        set { fields[Self.key] = newValue }
    }

    /// Its name, 1 to 60 bytes.
    public var name: String {
        get { fields[Self.name] }
        set { fields[Self.name] = newValue }
    }

    /// The unit, of which a field holds thousandths.
    public var unit: CustomUnit? {
        get { fields[Self.unit] }
        set { fields[Self.unit] = newValue }
    }

    /// Which side of a target is the good one.
    public var direction: GoalDirection? {
        get { fields[Self.direction] }
        set { fields[Self.direction] = newValue }
    }
}
