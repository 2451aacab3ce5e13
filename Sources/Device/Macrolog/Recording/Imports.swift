package import MacrologEvents
import MacrologLog
package import MacrologNutrition
import MacrologReadModels

/// Distinguishes what imports have written from what people have changed.
extension Replica {
    /// What imports last wrote about an entity, field by field, without undone imports.
    ///
    /// An event is an import's when it belongs to a group and names the origin of the entity.
    ///
    /// - Parameter origin: The field with the origin, which every import writes again.
    package func imported(_ entity: EntityKey, by origin: Text) throws -> ValueMap {
        try withStore { store in
            var said = ValueMap()
            for event in try store.history(of: entity).map(\.event) where event.group != nil {
                guard try !UndoableAction.isUndone(event, in: &store) else { continue }
                for change in event.changes where change.entity == entity {
                    for case .set(let fields) in change.operations where fields[origin] != nil {
                        for field in fields.entries { said[field.name] = field.value }
                    }
                }
            }
            return said
        }
    }
}

/// Whether an entity that a file names by its id exists.
package enum Presence: Hashable, Sendable {
    /// Nothing is known of it.
    case absent
    /// It exists.
    case here
    /// A person has deleted it.
    case deleted
    /// It was added by an action that was undone.
    case undone
}

extension Replica {
    /// Whether an entity exists, and if not, why.
    package func presence<E: Entity>(of type: E.Type, _ id: Identifier) throws -> Presence {
        let key = EntityKey(E.kind.name, id)
        return try withStore { store in
            guard let state = try store.state(of: key) else { return .absent }
            guard state.isDeleted else { return .here }
            guard let dot = state.cell(.life)?.winner.stamp.dot,
                let event = try store.history(of: key).first(where: { $0.event.dot == dot })?.event
            else { return .deleted }
            return event.type == UndoableAction.type ? .undone : .deleted
        }
    }

    /// An entity, even if it is deleted.
    package func includingDeleted<E: Entity>(_ type: E.Type, _ id: Identifier) throws -> E? {
        try withStore { try $0.entity(type, id, includingDeleted: true) }
    }

    /// An import of a file that this device started and that was interrupted before its end.
    package func interruptedImport(of type: Text, _ hash: [UInt8]) throws -> ImportBatch? {
        try withStore { store in
            let device = store.log.device
            return try store.entities(ImportBatch.self).last { batch in
                guard batch.type == type, batch.fileHash == hash, batch.newRows == nil else {
                    return false
                }
                let key = EntityKey(Kind.importBatch.name, batch.id)
                return try store.history(of: key).first?.event.dot.device == device
            }
        }
    }
}
