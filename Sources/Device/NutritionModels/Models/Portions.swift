package import MacrologEvents
package import MacrologLog
package import MacrologNutrition
package import MacrologReadModels
import MacrologSQLite

/// The household measures of each food.
enum Portions {
    static let model = ReadModel(
        tables: [table],
        folds: [.row(of: FoodPortion.self, in: table) { [.id($0.foodID), .id($0.id)] }])

    static let table = ReadModelTable("food_portion", key: [.blob("food"), .blob("id")])
}

/// Reading household measures.
extension Store {
    /// A food with its household measures.
    package mutating func servingSizes(of food: Identifier) throws(LogError) -> ServingSizes? {
        guard let found = try entity(Food.self, food) else { return nil }
        let ids = try db.all("SELECT id FROM food_portion WHERE food = ? ORDER BY id", food) {
            $0.identifier(0)
        }
        return ServingSizes(
            found, portions: try entities(FoodPortion.self, ids))
    }
}
