/// The result, or the forecast, of giving past meals a food's current numbers.
public struct FoodHistory: Hashable, Sendable {
    /// An item of a meal, before and after.
    public struct Edit: Hashable, Sendable {
        /// The meal's day.
        public let day: Day
        /// The item as it is stored.
        public let old: MealItem
        /// The item with the food's current numbers for its amount.
        public let new: MealItem

        /// An item before and after.
        package init(day: Day, old: MealItem, new: MealItem) {
            self.day = day
            self.old = old
            self.new = new
        }
    }

    /// The items that change, by day.
    public let edits: [Edit]
    /// How many items have these numbers already.
    public let same: Int
    /// Items that a person has changed: they stay as they are.
    public let edited: [MealItem]
    /// Items whose amount cannot be converted: they stay as they are.
    public let unmeasured: [MealItem]

    /// The items by what happens to them.
    package init(edits: [Edit], same: Int, edited: [MealItem], unmeasured: [MealItem]) {
        self.edits = edits
        self.same = same
        self.edited = edited
        self.unmeasured = unmeasured
    }
}
