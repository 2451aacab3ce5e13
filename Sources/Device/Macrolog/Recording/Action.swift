public import MacrologEvents
public import MacrologNutrition

/// One action of a person, ready to be recorded: only what changes, and what is wrong with it.
public struct Action: Hashable, Sendable {
    /// The event's type, such as `meal.added`.
    public let type: Text
    /// What changes.
    public let changes: [Change]
    /// What is unusual or wrong, field by field. An action with a hard finding is refused.
    public let findings: [Finding]

    /// Creates an action from its parts.
    public init(_ type: Text, _ changes: [Change], findings: [Finding] = []) {
        self.type = type
        self.changes = changes
        self.findings = findings
    }
}

extension Action {
    /// Adds an entity with everything it holds.
    ///
    /// - Parameter wasDeleted: Whether a deleted entity of that id exists, which is then restored.
    public static func add<E: Entity>(
        _ entity: E, wasDeleted: Bool = false, today: Day
    ) -> Action {
        let changes = entity.changes()
        return Action(
            E.kind.type(from: nil, to: entity.fields, changed: changes.map(\.field)),
            [entity.change(changes, wasDeleted)] + entity.wholeChanges,
            findings: entity.findings(today: today))
    }

    /// Adds a meal together with its items.
    ///
    /// - Parameter deleted: Those items that exist and are deleted, which are then restored.
    public static func add(
        _ meal: Meal, items: [MealItem], deleted: Set<Identifier> = [], today: Day
    ) -> Action {
        Action(
            "meal.added",
            [meal.change(meal.changes(), deleted.contains(meal.id))]
                + items.map { $0.change($0.changes(), deleted.contains($0.id)) },
            findings: meal.findings(today: today) + items.flatMap { $0.findings(today: today) })
    }

    /// Changes an entity into another; `nil` when nothing differs.
    public static func edit<E: Entity>(from old: E, to new: E, today: Day) -> Action? {
        let changes = new.changes(since: old)
        guard !changes.isEmpty else { return nil }
        let changed = changes.map(\.field)
        return Action(
            E.kind.type(from: old.fields, to: new.fields, changed: changed),
            [Change(EntityKey(E.kind.name, new.id), .writing(changes))] + new.wholeChanges,
            findings: new.findings(today: today).filter {
                $0.severity == .soft || changed.contains($0.field)
            })
    }

    /// Hides an entity on every device, unless another device changes it concurrently.
    public static func delete<E: Entity>(_ entity: E) -> Action {
        Action(
            E.kind.type(.deleted),
            [Change(EntityKey(E.kind.name, entity.id), [.delete])] + entity.wholeChanges)
    }

    /// Restores a deleted entity.
    public static func restore<E: Entity>(_ entity: E) -> Action {
        Action(
            E.kind.type(.restored),
            [Change(EntityKey(E.kind.name, entity.id), [.restore])] + entity.wholeChanges)
    }
}

extension Entity {
    /// Writes all fields, so that an undo of this undoes an addition, even if the deletion was the
    /// undo of an earlier one.
    fileprivate func change(_ changes: [FieldChange], _ wasDeleted: Bool) -> Change {
        Change(EntityKey(Self.kind.name, id), (wasDeleted ? [.restore] : []) + .writing(changes))
    }

    /// A change of a part says that its whole exists.
    fileprivate var wholeChanges: [Change] {
        Self.kind.whole(of: fields).map { [Change($0, [.restore])] } ?? []
    }
}

extension [Operation] {
    /// One `set` with all fields, then the additions and removals of set elements.
    fileprivate static func writing(_ changes: [FieldChange]) -> [Operation] {
        var fields = ValueMap()
        var members: [Operation] = []
        for change in changes {
            switch change {
            case .set(let field, let value): fields[field] = value
            case .add(let field, let element): members.append(.add(field: field, element: element))
            case .remove(let field, let element):
                members.append(.remove(field: field, element: element))
            }
        }
        return (fields.entries.isEmpty ? [] : [.set(fields)]) + members
    }
}
