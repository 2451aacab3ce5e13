import MacrologDiary
import MacrologEvents
public import MacrologNutrition
import MacrologReadModels

extension Replica {
    /// The explanation of each known total of a day, in the order of nutrients.
    public func explain(_ day: Day) throws -> [Explanation] {
        try withDiary { try $0.explain(day) }
    }
}
