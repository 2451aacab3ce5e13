package import MacrologEvents
package import MacrologLog
package import MacrologNutrition
package import MacrologReadModels
import MacrologSQLite

extension NewerParts {
    /// `nil` where this version knows all of it.
    init?(_ state: EntityState, of kind: Kind) {
        let fields = state.allFields.entries.map { $0.name }.filter { kind.field($0) == nil }
        guard state.isEditedByNewerVersion || !fields.isEmpty else { return nil }
        self.init(fields: fields, hasUnknownVerb: state.isEditedByNewerVersion)
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
