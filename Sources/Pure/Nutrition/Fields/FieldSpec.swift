public import MacrologEvents

/// One field of a kind: its name in events and what it accepts.
public struct FieldSpec: Hashable, Sendable {
    /// The name in events; a unit at its end is the unit of the number.
    public let name: Text
    /// What a value, or one element of a set, must be.
    public let shape: Shape
    /// Whether an entity cannot do without it: it is never set to null.
    public let isRequired: Bool
    /// How many elements a set is meant to hold; `nil` for a field that holds one value. Elements
    /// of a set are added and removed one by one.
    public let elementsMax: Int?

    /// Whether elements are added and removed, rather than a value set.
    public var isSet: Bool { elementsMax != nil }

    init(_ name: Text, _ shape: Shape, isRequired: Bool = false, elementsMax: Int? = nil) {
        self.name = name
        self.shape = shape
        self.isRequired = isRequired
        self.elementsMax = elementsMax
    }
}
