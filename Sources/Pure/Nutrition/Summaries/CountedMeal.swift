package import MacrologEvents

/// What counts of a meal for its day. Every fold of a meal asks for it, so that its fields are read in one
/// pass.
package struct CountedMeal: Sendable {
    /// The day it counts for.
    package let day: Day
    /// The meal of the day; `nil` when not set.
    package private(set) var slot: UTF8Text?
    /// Whether it has been eaten.
    package private(set) var isConsumed = false
    /// The part of it that was eaten, from 0 to 100,000.
    package private(set) var consumedShareBasisPoints: Int64 = 10_000
    /// Its own nutrients, without those of its items.
    package private(set) var nutrients = Nutrients()

    /// Reads a meal's fields; `nil` where ``Meal/init(id:fields:)`` is.
    package init?(_ fields: ValueMap) {
        guard let day = fields[Self.localDate].flatMap({ LocalDate($0) })?.day else { return nil }
        self.day = day
        nutrients.reserve(fields.entries.count)
        for entry in fields.entries {
            switch entry.value {
            case .int(let number):
                if let nutrient = Nutrient(key: entry.name) {
                    nutrients.add(nutrient, number)
                } else if entry.name == Self.share {
                    consumedShareBasisPoints = number
                }
            case .bool(let flag) where entry.name == Self.consumed: isConsumed = flag
            case .text(let word) where entry.name == Self.type: slot = word
            default: break
            }
        }
    }

    private static let localDate = Meal.localDate.spec.name
    private static let share = Meal.consumedShareBasisPoints.spec.name
    private static let consumed = Meal.isConsumed.spec.name
    private static let type = Meal.type.spec.name
}
