package import MacrologEvents
package import MacrologLog
import MacrologNutrition
package import MacrologReadModels
import MacrologSQLite

/// Which meals name which photos.
enum Photos {
    static let model = ReadModel(
        tables: [table], folds: [.rows(of: .meal, in: table) { rows($0) }])

    /// `name` is the SHA-256 of the photo's bytes.
    static let table = ReadModelTable("photo", key: [.blob("name"), .blob("meal")], entity: "meal")

    private static func rows(_ meal: Readable) -> [[Value]] {
        guard !meal.isDeleted, meal.fields["photo_sha256s"] != nil else { return [] }
        return (meal.entity(Meal.self)?.photoHashes ?? []).map { [.bytes($0), .id(meal.id)] }
    }
}

extension Store {
    /// Each photo of a meal, and the meal; in no order.
    package mutating func photosOfMeals() throws(LogError) -> [(name: [UInt8], meal: Identifier)] {
        try db.all("SELECT name, meal FROM photo") { ($0.bytes(0), $0.identifier(1)) }
    }
}
