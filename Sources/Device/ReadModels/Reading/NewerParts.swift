public import MacrologEvents
package import MacrologLog
package import MacrologNutrition
import MacrologSQLite

/// What a newer version of the software wrote about an entity, and this version stores and syncs
/// but cannot show. Editing the entity here leaves it as it is, because only changed fields are
/// written.
public struct NewerParts: Hashable, Sendable {
    /// The fields that this version does not know, in canonical order of their names.
    public let fields: [Text]
    /// Whether the entity has an operation that this version does not know.
    public let hasUnknownVerb: Bool

    /// `nil` where this version knows all of it.
    init?(_ state: EntityState, of kind: Kind) {
        fields = state.allFields.entries.map { $0.name }.filter { kind.field($0) == nil }
        hasUnknownVerb = state.isEditedByNewerVersion
        guard hasUnknownVerb || !fields.isEmpty else { return nil }
    }
}

extension Store {
    /// What a newer version wrote about an entity, even of an unknown kind; `nil` where this
    /// version knows all of it.
    package mutating func newerParts(of kind: Kind, _ id: Identifier) throws(LogError)
        -> NewerParts?
    {
        try state(of: EntityKey(kind.name, id)).flatMap { NewerParts($0, of: kind) }
    }

    /// Whether a newer version wrote about a meal, or about one of its items.
    mutating func isEditedByNewerVersion(meal: Identifier, items: [MealItem]) throws(LogError)
        -> Bool
    {
        if try newerParts(of: .meal, meal) != nil { return true }
        for item in items where try newerParts(of: .mealItem, item.id) != nil { return true }
        return false
    }
}
