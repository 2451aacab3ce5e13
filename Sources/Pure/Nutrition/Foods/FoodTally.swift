/// What was eaten of one food over some days.
public struct FoodTally: Hashable, Sendable {
    /// Its name in the latest entry.
    public let name: String
    /// On how many days it was eaten.
    public let days: Int
    /// How often it was eaten.
    public let times: Int
    /// The sum of all of it.
    public let totals: NutrientTotals

    /// What was eaten of one food.
    package init(name: String, days: Int, times: Int, totals: NutrientTotals) {
        self.name = name
        self.days = days
        self.times = times
        self.totals = totals
    }
}
