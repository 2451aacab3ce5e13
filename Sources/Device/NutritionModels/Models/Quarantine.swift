package import MacrologEvents
package import MacrologLog
import MacrologNutrition
import MacrologReadModels
import MacrologSQLite

/// Fields that another device set beyond a hard bound. The log stores and syncs them; the read
/// models treat them as unknown; this list names them.
package struct Quarantine: Hashable, Sendable {
    /// The entity that has the field.
    package let entity: EntityKey
    /// The name of the field in events.
    package let field: UTF8Text
    /// What is wrong with it, without repeating it.
    package let finding: String

    /// Everything in quarantine.
    package static func all(in db: inout LogConnection) throws(LogError) -> [Quarantine] {
        try db.all("SELECT id, kind, field, finding FROM quarantine ORDER BY id, kind, field") {
            Quarantine(
                entity: EntityKey($0.name(1), $0.identifier(0)), field: $0.name(2),
                finding: $0.text(3))
        }
    }
}

extension Quarantine {
    static let model = ReadModel(
        tables: [table], folds: [.rows(of: nil, in: table) { rows($0) }])

    static let table = ReadModelTable(
        "quarantine", key: [.blob("id"), .text("kind"), .text("field")],
        columns: [.text("finding")])

    private static func rows(_ entity: Readable) -> [[Value]] {
        entity.findings.map {
            [
                .id(entity.id), .text(entity.kind.name), .text($0.field),
                .text(UTF8Text($0.description)),
            ]
        }
    }
}
