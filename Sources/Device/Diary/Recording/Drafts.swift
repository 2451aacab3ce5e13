package import MacrologEvents
package import MacrologNutrition

/// What a person does to an entity, as a draft.
extension Draft {
    /// Adds an entity with everything it holds.
    ///
    /// - Parameters:
    ///   - entity: The entity.
    ///   - deleted: The deleted entity of that id, if there is one. It is restored with the new
    ///     content, and nothing of the old remains.
    ///   - today: The local day, against which dates are judged.
    package static func add<E: Entity>(_ entity: E, replacing deleted: E? = nil, today: Day)
        -> Draft
    {
        let change = entity.addition(replacing: deleted)
        let changed = change.operations.flatMap { $0.fields }.map { $0.name }
        return Draft(
            E.kind.type(from: nil, to: entity.fields, changed: changed),
            [change] + entity.wholeChanges,
            findings: entity.findings(today: today))
    }

    /// Adds a meal together with its items.
    ///
    /// - Parameters:
    ///   - meal: The meal.
    ///   - items: Its items.
    ///   - deleted: The deleted meal of that id, if there is one; see ``add(_:replacing:today:)``.
    ///   - deletedItems: Those deleted items that have ids of these.
    ///   - today: The local day, against which dates are judged.
    package static func add(
        _ meal: Meal, items: [MealItem], replacing deleted: Meal? = nil,
        deletedItems: [MealItem] = [], today: Day
    ) -> Draft {
        Draft(
            "meal.added",
            [meal.addition(replacing: deleted)]
                + items.map { item in
                    item.addition(replacing: deletedItems.first { $0.id == item.id })
                },
            findings: meal.findings(today: today) + items.flatMap { $0.findings(today: today) })
    }

    /// Changes an entity into another; `nil` when nothing differs.
    package static func edit<E: Entity>(from old: E, to new: E, today: Day) -> Draft? {
        let operations = new.operations(since: old)
        guard !operations.isEmpty else { return nil }
        let changed = operations.flatMap { $0.fields }.map { $0.name }
        let before = old.findings(today: today)
        return Draft(
            E.kind.type(from: old.fields, to: new.fields, changed: changed),
            [Change(EntityKey(E.kind.name, new.id), operations)] + new.wholeChanges,
            findings: new.findings(today: today).filter {
                $0.severity == .soft || changed.contains($0.field) || !before.contains($0)
            })
    }

    /// Hides an entity on every device, unless another device changes it concurrently.
    package static func delete<E: Entity>(_ entity: E) -> Draft {
        Draft(
            E.kind.type(.deleted),
            [Change(EntityKey(E.kind.name, entity.id), [.delete])] + entity.wholeChanges)
    }

    /// Restores a deleted entity.
    package static func restore<E: Entity>(_ entity: E) -> Draft {
        Draft(
            E.kind.type(.restored),
            [Change(EntityKey(E.kind.name, entity.id), [.restore])] + entity.wholeChanges)
    }
}

extension Entity {
    /// Writes all fields, even those that a deleted entity has already: then an undo of this knows
    /// that it created the entity, and deletes it.
    ///
    ///     a1 adds a meal · a2 undoes a1 · a3 adds it again, writing every field · a4 undoes a3
    fileprivate func addition(replacing deleted: Self?) -> Change {
        let key = EntityKey(Self.kind.name, id)
        guard let deleted else { return Change(key, operations()) }
        return Change(key, [.restore] + operations(replacing: deleted))
    }

    /// A change of a part says that its whole exists.
    fileprivate var wholeChanges: [Change] {
        Self.kind.whole(of: fields).map { [Change($0, [.restore])] } ?? []
    }
}
