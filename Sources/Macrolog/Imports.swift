package import Events
import Log
import Projections

/// Telling what imports have said from what people have done.
extension Replica {
    /// What imports last said about an entity, field by field; what was taken back was never said.
    ///
    /// An event is an import's when it belongs to a group and says where the entity comes from.
    ///
    /// - Parameter origin: The field that says so, which every import writes anew.
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
