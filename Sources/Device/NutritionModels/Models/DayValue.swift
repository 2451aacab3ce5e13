import MacrologEvents
import MacrologNutrition

extension Value {
    /// The number of a day.
    static func day(_ day: Day) -> Value { .int(day.number) }
}
