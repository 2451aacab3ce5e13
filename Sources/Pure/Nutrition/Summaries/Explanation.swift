public import MacrologEvents

/// The explanation of a day's total: the meals that it sums up, and the events that wrote each.
public struct Explanation: Hashable, Sendable {
    /// The share of one meal.
    public struct Part: Hashable, Sendable {
        /// The meal, with its items.
        public let meal: MealDetail
        /// The share that was eaten, in the nutrient's unit.
        public let amount: Int64
        /// The events that wrote what counts, in the order of the log: the amounts of the meal and
        /// its items, whether and how much of it was eaten, and on which day.
        public let events: [LoggedEvent]

        /// One meal's share of the total.
        package init(meal: MealDetail, amount: Int64, events: [LoggedEvent]) {
            self.meal = meal
            self.amount = amount
            self.events = events
        }
    }

    /// The nutrient of the total.
    public let nutrient: Nutrient
    /// The day's total, in the nutrient's unit: the sum of the parts.
    public let total: Int64
    /// The meals that know the nutrient, by time.
    public let parts: [Part]

    /// A total and its parts.
    package init(nutrient: Nutrient, total: Int64, parts: [Part]) {
        self.nutrient = nutrient
        self.total = total
        self.parts = parts
    }
}
