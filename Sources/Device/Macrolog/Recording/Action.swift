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
        let type = (entity as? DayLog).map(EventTypes.type) ?? EventTypes.type(E.kind, .added)
        return Action(
            type, [entity.change(wasDeleted)] + entity.parentChanges,
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
            [meal.change(deleted.contains(meal.id))]
                + items.map { $0.change(deleted.contains($0.id)) },
            findings: meal.findings(today: today) + items.flatMap { $0.findings(today: today) })
    }

    /// Changes an entity into another; `nil` when nothing differs.
    public static func edit<E: Entity>(from old: E, to new: E, today: Day) -> Action? {
        let changes = new.changes(since: old)
        guard !changes.isEmpty else { return nil }
        let changed = Set(changes.map(\.field))
        return Action(
            EventTypes.editType(old, new, changed),
            [Change(EntityKey(E.kind.name, new.id), .writing(changes))] + new.parentChanges,
            findings: new.findings(today: today).filter {
                $0.severity == .soft || changed.contains($0.field)
            })
    }

    /// Hides an entity on every device, unless another device changes it concurrently.
    public static func delete<E: Entity>(_ entity: E) -> Action {
        Action(
            EventTypes.type(E.kind, .deleted),
            [Change(EntityKey(E.kind.name, entity.id), [.delete])] + entity.parentChanges)
    }

    /// Restores a deleted entity.
    public static func restore<E: Entity>(_ entity: E) -> Action {
        Action(
            EventTypes.type(E.kind, .restored),
            [Change(EntityKey(E.kind.name, entity.id), [.restore])] + entity.parentChanges)
    }
}

extension Entity {
    /// Writes all fields, so that an undo of this undoes an addition, even if the deletion was the
    /// undo of an earlier one.
    fileprivate func change(_ wasDeleted: Bool) -> Change {
        Change(
            EntityKey(Self.kind.name, id), (wasDeleted ? [.restore] : []) + .writing(changes()))
    }

    /// A change of an item says that its meal exists, so that a concurrent deletion of the meal
    /// does not silently delete the item too.
    fileprivate var parentChanges: [Change] {
        guard let item = self as? MealItem else { return [] }
        return [Change(EntityKey(Kind.meal.name, item.mealID), [.restore])]
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

/// The types of events, as the catalogue of nutrition names them.
enum EventTypes {
    enum Verb { case added, edited, deleted, restored }

    static func type(_ kind: Kind, _ verb: Verb) -> Text {
        let (noun, first) = noun(of: kind)
        let word =
            switch verb {
            case .added: first
            case .edited: "edited"
            case .deleted: "deleted"
            case .restored: "restored"
            }
        // Parts have the noun of their whole: `recipe.item_added`.
        return Text(noun.hasSuffix("_") ? noun + word : "\(noun).\(word)")
    }

    /// The name of a kind in events, and its first verb.
    private static func noun(of kind: Kind) -> (String, String) {
        switch kind {
        case .profile: ("profile", "edited")
        case .preferences: ("preferences", "edited")
        case .goalPlan: ("goal", "set")
        case .food: ("food", "added")
        case .foodPortion: ("food.portion_", "added")
        case .recipe: ("recipe", "added")
        case .recipeItem: ("recipe.item_", "added")
        case .customNutrient: ("nutrient", "added")
        case .meal: ("meal", "added")
        case .mealItem: ("item", "added")
        case .mealTemplate: ("template", "added")
        case .planEntry: ("plan", "added")
        case .photo: ("photo", "attached")
        case .analysis: ("analysis", "recorded")
        case .weighIn: ("weight", "logged")
        case .bodyFat: ("body_fat", "logged")
        case .bodyMeasure: ("measure", "logged")
        case .ketone: ("ketone", "logged")
        case .activity: ("activity", "logged")
        case .energyDay: ("energy_day", "imported")
        case .water: ("water", "logged")
        case .fast: ("fast", "started")
        case .dayLog: ("day", "noted")
        case .reminder: ("reminder", "added")
        case .recommendation: ("ai", "recorded")
        case .importBatch: ("import", "started")
        case .device: ("device", "renamed")
        }
    }

    static func editType<E: Entity>(_ old: E, _ new: E, _ changed: Set<Text>) -> Text {
        if let meal = new as? Meal {
            if changed.isSubset(of: ["consumed", "consumed_at"]) && changed.contains("consumed") {
                return meal.isConsumed ? "meal.consumed" : "meal.unconsumed"
            }
            if changed.isSubset(of: ["local_date", "meal_type"]) { return "meal.moved" }
            if changed == ["photo_sha256s"], let old = old as? Meal {
                return old.photoHashes.allSatisfy { meal.photoHashes.contains($0) }
                    ? "photo.attached" : "photo.removed"
            }
        }
        if let fast = new as? Fast {
            if changed.contains("ended_at"), fast.endedAt != nil { return "fast.ended" }
            if changed.contains("cancelled"), fast.isCancelled { return "fast.cancelled" }
        }
        if let log = new as? DayLog { return changed.contains("status") ? type(log) : "day.noted" }
        return type(E.kind, .edited)
    }

    /// The type of an event about a day: by the day's status, if that is set.
    static func type(_ log: DayLog) -> Text {
        guard log.fields["status"] != nil else { return "day.noted" }
        return switch log.status {
        case .complete: "day.completed"
        case .skipped: "day.skipped"
        case .open: "day.reopened"
        }
    }
}

extension Replica {
    /// Every type of event that this version records.
    package static let eventTypes: Set<Text> = {
        let verbs: [EventTypes.Verb] = [.added, .edited, .deleted, .restored]
        let plain = Kind.allCases.flatMap { kind in verbs.map { EventTypes.type(kind, $0) } }
        return Set(plain).union([
            "meal.consumed", "meal.unconsumed", "meal.moved", "photo.removed", "fast.ended",
            "fast.cancelled", "day.completed", "day.skipped", "day.reopened",
        ])
    }()
}
