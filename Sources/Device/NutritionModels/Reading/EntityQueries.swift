package import MacrologEvents
package import MacrologLog
package import MacrologNutrition
package import MacrologReadModels
import MacrologSQLite

/// Reading single entities.
extension Store {
    /// An entity as read models may use it; `nil` when it does not exist, lacks a required field,
    /// or is deleted and not requested.
    package mutating func entity<E: Entity>(
        _ type: E.Type, _ id: Identifier, includingDeleted: Bool = false
    ) throws(LogError) -> E? {
        let entity = EntityKey(E.kind.name, id)
        guard let state = try EntityTable.state(of: entity, in: &db) else { return nil }
        guard includingDeleted || !state.isDeleted else { return nil }
        return E(id: id, fields: Readable(entity, E.kind, state).fields)
    }

    /// Those of some entities that exist, in the order of their ids here.
    package mutating func entities<E: Entity>(
        _ type: E.Type, _ ids: [Identifier]
    ) throws(LogError) -> [E] {
        var entities: [E] = []
        for id in ids {
            if let entity = try entity(type, id) { entities.append(entity) }
        }
        return entities
    }

    /// Calls the closure with the entities of a kind until it returns `false`: the newest day first
    /// where entities of the kind have days, else in no order and without a day. Deleted ones are
    /// included if requested, and if no table lists the others.
    package mutating func forEachID(
        of kind: Kind, includingDeleted: Bool = false, while body: (Identifier, Day?) -> Bool
    ) throws(LogError) {
        guard !includingDeleted, let table = NutritionModels.list(of: kind) else {
            return try db.reading(part: kind.name.string) { db throws(LogError) in
                try db.forEachWhile("SELECT id FROM entity WHERE kind = ?", kind.name) {
                    body($0.identifier(0), nil)
                }
            }
        }
        let parameters = table.isByKind ? [Value.text(kind.name)] : []
        try db.forEachWhile(table.ids, RowValues(parameters[...])) {
            body($0.identifier(0), $0.intOrNull(1).flatMap { Day(number: $0) })
        }
    }

    /// Whether a table lists the entities of a kind that are not deleted.
    package func lists(_ kind: Kind) -> Bool { NutritionModels.list(of: kind) != nil }

    /// All entities, or those with an id, deleted ones too, by id and kind.
    package mutating func entityKeys(of id: Identifier? = nil) throws(LogError) -> [EntityKey] {
        guard let id else {
            return try db.all("SELECT kind, id FROM entity ORDER BY id, kind") {
                EntityKey($0.name(0), $0.identifier(1))
            }
        }
        return try db.all("SELECT kind FROM entity WHERE id = ? ORDER BY kind", id) {
            EntityKey($0.name(0), id)
        }
    }

    /// Everything in quarantine.
    package mutating func quarantine() throws(LogError) -> [Quarantine] {
        try Quarantine.all(in: &db)
    }
}
