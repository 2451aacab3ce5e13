public import MacrologEvents

/// What an app records: one event that changes one entity. The type of the event is the app's own
/// word, such as `todo.added`; merging does not depend on it.
extension Draft {
    /// Sets fields. An entity exists from its first field on; the last writer of each field wins.
    public static func set(_ fields: ValueMap, of entity: EntityKey, as type: UTF8Text) -> Draft {
        Draft(type, [Change(entity, [.set(fields)])])
    }

    /// Adds an element to the set in a field. Elements that other devices add or remove at the same
    /// time are kept as they decide.
    public static func add(
        _ element: Value, to field: UTF8Text, of entity: EntityKey, as type: UTF8Text
    ) -> Draft {
        Draft(type, [Change(entity, [.add(field: field, element: element)])])
    }

    /// Removes an element from the set in a field: every addition of it that this device has seen.
    public static func remove(
        _ element: Value, from field: UTF8Text, of entity: EntityKey, as type: UTF8Text
    ) -> Draft {
        Draft(type, [Change(entity, [.remove(field: field, element: element)])])
    }

    /// Deletes an entity, unless another device changes it at the same time.
    public static func delete(_ entity: EntityKey, as type: UTF8Text) -> Draft {
        Draft(type, [Change(entity, [.delete])])
    }

    /// Restores a deleted entity with its fields.
    public static func restore(_ entity: EntityKey, as type: UTF8Text) -> Draft {
        Draft(type, [Change(entity, [.restore])])
    }
}
