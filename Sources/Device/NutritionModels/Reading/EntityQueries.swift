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

    /// The entities of a kind whose id begins with the given hexadecimal digits, at most two:
    /// enough to know whether a short id is unique.
    package mutating func ids(
        of kind: Kind, from: Identifier, through: Identifier
    ) throws(LogError) -> [Identifier] {
        try db.reading(part: kind.name.string) { db throws(LogError) in
            try db.all(
                "SELECT id FROM entity WHERE id BETWEEN ? AND ? AND kind = ? LIMIT 2", from,
                through, kind.name
            ) { $0.identifier(0) }
        }
    }

    /// The entities of a kind, in no order. Deleted ones are included if requested, and if no table
    /// lists the others.
    package mutating func ids(
        of kind: Kind, includingDeleted: Bool = false
    ) throws(LogError) -> [Identifier] {
        guard !includingDeleted, let table = NutritionModels.list(of: kind) else {
            return try db.reading(part: kind.name.string) { db throws(LogError) in
                try db.all("SELECT id FROM entity WHERE kind = ?", kind.name) { $0.identifier(0) }
            }
        }
        var ids: [Identifier] = []
        if table.isByKind {
            try db.forEach(table.ids, kind.name) { ids.append($0.identifier(0)) }
        } else {
            try db.forEach(table.ids) { ids.append($0.identifier(0)) }
        }
        return ids
    }

    /// All entities, deleted ones too, by id and kind.
    package mutating func entityKeys() throws(LogError) -> [EntityKey] {
        try db.all("SELECT kind, id FROM entity ORDER BY id, kind") {
            EntityKey($0.name(0), $0.identifier(1))
        }
    }

    /// Everything in quarantine.
    package mutating func quarantine() throws(LogError) -> [Quarantine] {
        try Quarantine.all(in: &db)
    }
}
