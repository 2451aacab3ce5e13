package import MacrologEvents
import MacrologLog
import MacrologNutrition
package import MacrologSQLite

/// Fields that another device set beyond a hard bound. The log stores and syncs them; the read
/// models treat them as unknown; this list names them.
package struct Quarantine: Hashable, Sendable {
    /// The entity.
    package let entity: EntityKey
    /// The field.
    package let field: Text
    /// What is wrong with it, without repeating it.
    package let finding: String

    /// Everything in quarantine.
    package static func all(in db: inout Connection) throws -> [Quarantine] {
        try db.all("SELECT id, kind, field, finding FROM quarantine ORDER BY id, kind, field") {
            Quarantine(
                entity: EntityKey($0.name(1), $0.identifier(0)), field: $0.name(2),
                finding: $0.text(3))
        }
    }

    static func update(
        _ entity: EntityKey, from old: Readable?, to new: Readable, in db: inout Connection
    ) throws {
        guard old?.findings.isEmpty == false || !new.findings.isEmpty else { return }
        try db.run("DELETE FROM quarantine WHERE id = ? AND kind = ?", entity.id, entity.kind)
        for finding in new.findings {
            try db.run(
                "INSERT INTO quarantine (id, kind, field, finding) VALUES (?, ?, ?, ?)", entity.id,
                entity.kind, finding.field, finding.description)
        }
    }
}
