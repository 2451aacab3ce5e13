package import MacrologEvents
import MacrologLog
package import MacrologNutrition
import MacrologReadModels
import MacrologSQLite

/// A read model: its tables, and how entities are folded into them. Its queries are in the same
/// file.
struct ReadModel: Sendable {
    let tables: [ReadModelTable]
    let folds: [Fold]
    /// Empties an index beside the tables.
    var clear: [StaticString] = []
    /// Builds such an index again, after rows may have been edited by hand.
    var repair: [StaticString] = []
}

/// How the entities of a kind are folded into the tables of a read model.
struct Fold: Sendable {
    /// The kind; `nil` for every kind.
    let kind: Kind?
    /// The table with a row for each entity of the kind that is not deleted; `nil` when there is
    /// none.
    var list: ReadModelTable?
    /// Folds the change of an entity, or notes in the pending meals that one of them changed.
    let update:
        @Sendable (
            _ old: Readable?, _ new: Readable, _ meals: inout PendingMeals,
            _ db: inout LogConnection
        ) throws(LogError) -> Void

    /// Keeps one row for each entity, as long as the closure returns one.
    static func row<E: Entity>(
        of type: E.Type, in table: ReadModelTable, _ row: @escaping @Sendable (E) -> [Value]?
    ) -> Fold {
        var fold = rows(of: E.kind, in: table) { entity in
            entity.entity(type).flatMap(row).map { [$0] } ?? []
        }
        fold.list = table
        return fold
    }

    /// Keeps the rows that the closure returns for each entity.
    static func rows(
        of kind: Kind?, in table: ReadModelTable,
        _ rows: @escaping @Sendable (Readable) -> [[Value]]
    ) -> Fold {
        Fold(kind: kind) { old, new, _, db throws(LogError) in
            let (before, after) = (old.map(rows) ?? [], rows(new))
            // Most entities have none.
            if before.isEmpty, after.isEmpty { return }
            try table.replace(before, with: after, in: &db)
        }
    }
}

extension EntityState {
    /// The fields as a kind reads them: the elements of what it calls a set, and of others the value.
    package func fields(of kind: Kind) -> ValueMap {
        allFields { kind.field($0)?.isSet ?? true }
    }
}

/// An entity of a known kind in the form that read models use: sets as arrays, and without the
/// fields that break a hard bound.
struct Readable {
    let kind: Kind
    let id: Identifier
    let fields: ValueMap
    let findings: [Finding]
    let isDeleted: Bool
    /// What counts of a meal, unless it is deleted or lacks its day.
    let countedMeal: CountedMeal?

    init(_ entity: EntityKey, _ kind: Kind, _ state: EntityState) {
        self.init(entity, kind, state.fields(of: kind), isDeleted: state.isDeleted)
    }

    init(_ entity: EntityKey, _ kind: Kind, _ all: ValueMap, isDeleted: Bool) {
        var fields = all
        let (meal, findings) = kind == .meal ? CountedMeal.read(all) : (nil, kind.hardFindings(all))
        for finding in findings { fields[finding.field] = nil }
        countedMeal = isDeleted ? nil : meal
        self.kind = kind
        self.id = entity.id
        self.fields = fields
        self.findings = findings
        self.isDeleted = isDeleted
    }

    /// The stored entity, unless it is deleted or lacks a required field.
    static func load<E: Entity>(
        _ type: E.Type, _ id: Identifier, in db: inout LogConnection
    ) throws(LogError) -> E? {
        let entity = EntityKey(E.kind.name, id)
        return try EntityTable.state(of: entity, in: &db)
            .flatMap { Readable(entity, E.kind, $0).entity(type) }
    }

    /// The entity, unless it is deleted or lacks a required field.
    func entity<E: Entity>(_ type: E.Type) -> E? {
        isDeleted ? nil : E(id: id, fields: fields)
    }
}
