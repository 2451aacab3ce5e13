import MacrologDiary
import MacrologEvents
import MacrologNutrition
import MacrologReadModels

/// Distinguishes what imports have written from what people have changed.
extension Replica {
    /// What imports last wrote about an entity, field by field, without undone imports.
    ///
    /// An event is an import's when it belongs to a group and names the origin of the entity.
    ///
    /// - Parameter origin: The field with the origin, which every import writes again.
    package func imported(_ entity: EntityKey, by origin: Text) throws -> ValueMap {
        try withDiary { try $0.imported(entity, by: origin) }
    }
}

extension Replica {
    /// Whether an entity exists, and if not, why.
    package func presence<E: Entity>(of type: E.Type, _ id: Identifier) throws -> Presence {
        try withDiary { try $0.presence(of: type, id) }
    }

    /// An entity, even if it is deleted.
    package func includingDeleted<E: Entity>(_ type: E.Type, _ id: Identifier) throws -> E? {
        try withDiary { try $0.includingDeleted(type, id) }
    }

    /// An import of a file that this device started and that was interrupted before its end.
    package func interruptedImport(of type: Text, _ hash: [UInt8]) throws -> ImportBatch? {
        try withDiary { try $0.interruptedImport(of: type, hash) }
    }
}
