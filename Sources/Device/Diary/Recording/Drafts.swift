public import MacrologEvents
public import MacrologNutrition

/// What a person does to an entity, as a draft.
extension Draft {
    /// Adds an entity with everything it holds.
    ///
    /// - Parameter wasDeleted: Whether a deleted entity of that id exists, which is then restored.
    public static func add<E: Entity>(
        _ entity: E, wasDeleted: Bool = false, today: Day
    ) -> Draft {
        let operations = entity.operations()
        let changed = operations.flatMap { $0.fields }.map { $0.name }
        return Draft(
            E.kind.type(from: nil, to: entity.fields, changed: changed),
            [entity.change(operations, wasDeleted)] + entity.wholeChanges,
            findings: entity.findings(today: today))
    }

    /// Adds a meal together with its items.
    ///
    /// - Parameter deleted: Those items that exist and are deleted, which are then restored.
    public static func add(
        _ meal: Meal, items: [MealItem], deleted: Set<Identifier> = [], today: Day
    ) -> Draft {
        Draft(
            "meal.added",
            [meal.change(meal.operations(), deleted.contains(meal.id))]
                + items.map { $0.change($0.operations(), deleted.contains($0.id)) },
            findings: meal.findings(today: today) + items.flatMap { $0.findings(today: today) })
    }

    /// Changes an entity into another; `nil` when nothing differs.
    public static func edit<E: Entity>(from old: E, to new: E, today: Day) -> Draft? {
        let operations = new.operations(since: old)
        guard !operations.isEmpty else { return nil }
        let changed = operations.flatMap { $0.fields }.map { $0.name }
        return Draft(
            E.kind.type(from: old.fields, to: new.fields, changed: changed),
            [Change(EntityKey(E.kind.name, new.id), operations)] + new.wholeChanges,
            findings: new.findings(today: today).filter {
                $0.severity == .soft || changed.contains($0.field)
            })
    }

    /// Hides an entity on every device, unless another device changes it concurrently.
    public static func delete<E: Entity>(_ entity: E) -> Draft {
        Draft(
            E.kind.type(.deleted),
            [Change(EntityKey(E.kind.name, entity.id), [.delete])] + entity.wholeChanges)
    }

    /// Restores a deleted entity.
    public static func restore<E: Entity>(_ entity: E) -> Draft {
        Draft(
            E.kind.type(.restored),
            [Change(EntityKey(E.kind.name, entity.id), [.restore])] + entity.wholeChanges)
    }
}

extension Entity {
    /// Writes all fields, so that an undo of this undoes an addition, even if the deletion was the
    /// undo of an earlier one.
    fileprivate func change(_ operations: [Operation], _ wasDeleted: Bool) -> Change {
        Change(EntityKey(Self.kind.name, id), (wasDeleted ? [.restore] : []) + operations)
    }

    /// A change of a part says that its whole exists.
    fileprivate var wholeChanges: [Change] {
        Self.kind.whole(of: fields).map { [Change($0, [.restore])] } ?? []
    }
}
