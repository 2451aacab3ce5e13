import MacrologEvents
package import MacrologLog
package import MacrologNutrition
package import MacrologReadModels
import MacrologSQLite

/// Meal templates by name.
enum Templates {
    static let model = ReadModel(
        tables: [table],
        folds: [
            .row(of: MealTemplate.self, in: table) {
                [.id($0.id), .text(UTF8Text(SearchText($0.name).text))]
            }
        ])

    /// `name` is folded for searching.
    static let table = ReadModelTable("meal_template", key: [.blob("id")], columns: [.text("name")])
}

/// Reading templates.
extension Store {
    /// The templates whose names have words with the typed prefixes, by name; all for an empty
    /// text.
    package mutating func templates(matching typed: String) throws(LogError) -> [MealTemplate] {
        let ids = try db.all("SELECT id, name FROM meal_template ORDER BY name, id") {
            (id: $0.identifier(0), name: $0.text(1))
        }
        let found = ids.filter { Store.begins(SearchText($0.name), with: typed) }
        return try entities(MealTemplate.self, found.map { $0.id })
    }
}
