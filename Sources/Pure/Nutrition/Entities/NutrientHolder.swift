public import MacrologEvents

/// An entity with one field for each nutrient: a food, a meal, an item of a meal.
public protocol NutrientHolder: Entity {
    /// Every field that was written, by its name in events.
    var fields: ValueMap { get set }
}

extension NutrientHolder {
    /// The amount of a nutrient, in its unit; `nil` is unknown, not zero.
    public subscript(nutrient: Nutrient) -> Int64? {
        get { fields[nutrient.key]?.int }
        set { fields[nutrient.key] = newValue.map { .int($0) } }
    }

    /// All nutrients that are known. Setting replaces them all.
    public var nutrients: Nutrients {
        get { Nutrients(fields: fields) }
        set {
            for entry in nutrients.entries where newValue[entry.nutrient] == nil {
                self[entry.nutrient] = nil
            }
            for entry in newValue.entries { self[entry.nutrient] = entry.amount }
        }
    }
}
