/// A meal with its items and their sum.
public struct MealDetail: Hashable, Sendable {
    /// The meal itself: name, slot, time, own nutrients.
    public let meal: Meal
    /// Its items in their order.
    public let items: [MealItem]
    /// The sum of its own nutrients and those of its items, for the share that was eaten.
    public let totals: NutrientTotals
    /// Whether the meal has a conflict that is not resolved.
    public let hasConflict: Bool
    /// Whether a newer version of the software wrote something about the meal or its items that
    /// this version cannot show.
    public let isEditedByNewerVersion: Bool

    /// A meal and what it sums up to.
    package init(
        meal: Meal, items: [MealItem], totals: NutrientTotals, hasConflict: Bool,
        isEditedByNewerVersion: Bool
    ) {
        self.meal = meal
        self.items = items
        self.totals = totals
        self.hasConflict = hasConflict
        self.isEditedByNewerVersion = isEditedByNewerVersion
    }
}
