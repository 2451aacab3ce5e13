import MacrologEvents
package import MacrologLog
package import MacrologNutrition
package import MacrologReadModels
import MacrologSQLite

/// Entities that belong to no day, nor to another entity: their ids by kind.
enum Lists {
    static let model = ReadModel(
        tables: [table],
        folds: [
            fold(Reminder.self), fold(CustomNutrient.self), fold(Recommendation.self),
            fold(ImportBatch.self), fold(Photo.self),
        ])

    static let table = ReadModelTable("listed", key: [.text("kind"), .blob("id")])

    private static func fold<E: ListedEntity>(_ type: E.Type) -> Fold {
        .row(of: type, in: table) { [.text(E.kind.name), .id($0.id)] }
    }
}

/// Reading them.
extension Store {
    /// The entities of a kind that are not deleted, oldest id first.
    package mutating func entities<E: ListedEntity>(_ type: E.Type) throws(LogError) -> [E] {
        let ids = try db.all(
            "SELECT id FROM listed WHERE kind = ? ORDER BY id", E.kind.name
        ) { $0.identifier(0) }
        return try entities(type, ids)
    }
}
