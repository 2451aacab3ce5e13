import MacrologArgumentParsing
import MacrologTerminal
import Macrolog
import MacrologFaces

/// What can be done with the entries of one kind by an id alone: `edit`, `delete` and `restore` of entries of any kind
/// do it, and so do the kind's own verbs, such as `meal delete`.
struct EntryKind: Sendable {
    typealias Delete = @Sendable ([Identifier], inout Home) throws -> Void
    typealias Restore = @Sendable (Identifier, inout Home) throws -> Void

    let kind: Kind
    /// The verb that changes one; `nil` where none takes an id.
    let edit: Verb?
    /// Whether that verb moves one to the day of `--date` or `--at`.
    let moves: Bool
    /// What is typed where no verb changes one by its id.
    let insteadOfEdit: String?
    /// Deletes some, each once, and reports it.
    let delete: Delete
    /// Restores a deleted one, and reports it.
    let restore: Restore

    /// - Parameters:
    ///   - delete: Deletes some and reports it, where more is said than what is gone.
    ///   - deleted: What is said after `Deleted`, read before it is gone.
    ///   - restored: Reports the entry that exists again.
    private init<E: Entity>(
        _ type: E.Type, edit: Verb? = nil, moves: Bool = false, instead: String? = nil,
        delete: Delete? = nil,
        deleted: @escaping @Sendable (E, inout Home) throws -> String = { entity, home in
            undoable(try home.title(of: EntityKey(E.kind.name, entity.id)))
        },
        restore: Restore? = nil, restored: @escaping @Sendable (E, inout Home) throws -> Void
    ) {
        kind = E.kind
        self.edit = edit
        self.moves = moves
        insteadOfEdit = instead
        self.delete =
            delete ?? { ids, home in
                var lines: [String] = []
                var once: [Identifier] = []
                for id in ids where !once.contains(id) {
                    once.append(id)
                    let entity = try home.replica.read { try $0.require(type, id) }
                    lines.append(try deleted(entity, &home))
                }
                let all = once
                try home.replica.write { diary in for id in all { try diary.delete(type, id) } }
                try home.show(.deleted(all)) { home in
                    for line in lines { home.say("Deleted \(line)") }
                }
            }
        self.restore =
            restore ?? { id, home in
                try home.replica.write { try $0.restore(type, id) }
                try restored(try home.replica.read { try $0.require(type, id) }, &home)
            }
    }

    /// A kind whose entries have a day and a value.
    ///
    /// - Parameter warn: Reports what is unusual about one that exists again.
    private init<E: FormattedEntry>(
        ofDay type: E.Type, edit: Verb?, instead: String? = nil,
        warn: @escaping @Sendable (E, inout Home) throws -> Void = { _, _ in }
    ) {
        @Sendable func text(_ entry: E, _ home: inout Home) throws -> String {
            let shown = Shown(preferences: try home.preferences)
            return printable(entry.formatted(shown)) + entry.formattedDay + "  "
        }
        self.init(
            type, edit: edit, moves: edit != nil, instead: instead,
            deleted: { try text($0, &$1) + $0.id.lastDigits(4) },
            restored: { entry, home in
                try warn(entry, &home)
                try home.show(entry.json) {
                    $0.say(
                        "Restored " + (try text(entry, &$0)) + (try $0.shortID(E.kind, entry.id)))
                }
            })
    }

    static func of(_ kind: UTF8Text) -> EntryKind? { all.first { $0.kind.name == kind } }

    /// The row of a kind that has verbs of its own.
    static func of(_ kind: Kind) -> EntryKind {
        guard let found = of(kind.name) else { preconditionFailure("a kind without a row") }
        return found
    }

    static let all: [EntryKind] = [
        EntryKind(
            Meal.self, edit: MealEdit.command,
            deleted: { meal, home in
                let detail = try home.replica.read { try $0.meal(meal.id) }
                return printable(detail?.title ?? "meal") + "  " + meal.id.lastDigits(4)
            }, restored: { try $1.tellMeal("Restored", $0.id) }),
        EntryKind(
            MealItem.self, edit: ItemEdit.command,
            deleted: { item, _ in printable(item.name ?? "item") + "  " + item.id.lastDigits(4) },
            restored: { try $1.tell("Restored", $0) }),
        EntryKind(
            WeighIn.self, edit: WeightEdit.command, moves: true,
            deleted: { weighIn, home in
                let weight = Shown(preferences: try home.preferences).weight(weighIn.grams)
                return "\(weight) of \(weighIn.localDate.day)  \(weighIn.id.lastDigits(4))"
            }, restored: { try $1.tell("Restored", $0) }),
        EntryKind(ofDay: BodyFat.self, edit: BodyFatVerbs.edit),
        EntryKind(ofDay: BodyMeasure.self, edit: MeasureVerbs.edit),
        EntryKind(ofDay: Ketone.self, edit: KetoneVerbs.edit),
        EntryKind(ofDay: Water.self, edit: WaterVerbs.edit),
        EntryKind(ofDay: Fast.self, edit: FastVerbs.edit) { try $1.warnOfOverlap($0) },
        EntryKind(ofDay: ActivityEntry.self, edit: ActivityVerbs.edit),
        EntryKind(ofDay: CheckIn.self, edit: nil, instead: "checkin log --date DAY"),
        EntryKind(
            Food.self, edit: FoodEdit.command,
            deleted: { food, home in
                "\(printable(food.fullName)). macrolog food restore "
                    + "\(try home.shortID(.food, food.id)) restores it."
            },
            restored: { food, home in
                try home.warn(ofSameBarcode: food)
                try home.tell("Restored", food)
            }),
        EntryKind(
            FoodPortion.self, instead: "food portion add",
            deleted: { portion, _ in undoable(portion.label) },
            restored: { portion, home in
                try home.show(portion.json) { try $0.tellRestored(portion) }
            }),
        EntryKind(
            CustomNutrient.self, instead: "nutrient add",
            deleted: { nutrient, _ in undoable(nutrient.key.string) },
            restored: { nutrient, home in
                try home.show(nutrient.json) { try $0.tellRestored(nutrient) }
            }),
        EntryKind(
            Recipe.self, edit: RecipeVerbs.edit,
            restored: { try RecipeVerbs.tell("Restored", $0.id, &$1) }),
        EntryKind(
            RecipeItem.self,
            delete: { ids, home in
                for id in ids { try RecipeItems.delete(id, &home) }
            },
            restore: { id, home in
                let item = try home.replica.read {
                    try $0.entity(RecipeItem.self, id, includingDeleted: true)
                }
                guard let item else { throw EntryError(.notFound(.recipeItem)) }
                // Nothing is recorded that cannot be shown.
                _ = try home.read { try RecipeVerbs.require(item.recipeID, $0) }
                try home.replica.write { try $0.restore(RecipeItem.self, id) }
                try RecipeVerbs.tell("Changed", item.recipeID, &home)
            }, restored: { _, _ in }),
        EntryKind(
            MealTemplate.self, instead: "template save",
            restored: { template, home in
                try home.show(template.json) { try $0.tellRestored(template) }
            }),
        EntryKind(
            PlanEntry.self,
            deleted: { entry, home in
                let line = try home.replica.read { try $0.planLine(of: entry) }
                return line.formatted(try home.shown, home.style)
                    + ". macrolog undo restores it."
            },
            restored: { entry, home in
                let line = try home.replica.read { try $0.planLine(of: entry) }
                try home.show(line.json) { try $0.tellRestored(entry) }
            }),
        EntryKind(
            GoalPlan.self, instead: "goal set --date DAY",
            delete: { ids, home in for id in ids { try GoalDelete.delete(id, &home) } },
            restored: { try GoalShow.show(on: $0.startDate, &$1) }),
        EntryKind(
            Reminder.self, edit: ReminderVerbs.edit,
            delete: { ids, home in for id in ids { try ReminderVerbs.delete(id, &home) } },
            restored: { try ReminderVerbs.tell("Restored", $0, &$1) }),
    ]

    private static func undoable(_ name: String) -> String {
        "\(printable(name)). macrolog undo restores it."
    }
}

extension Home {
    fileprivate mutating func tellRestored<E: Entity>(_ entity: E) throws {
        let name = try title(of: EntityKey(E.kind.name, entity.id))
        say("Restored \(name)  \(try shortID(E.kind, entity.id))")
    }
}
