import MacrologArgumentParsing
import MacrologTerminal
import Macrolog
import MacrologFaces

/// What can be done with the entries of one kind by an id alone, and by which of its verbs.
struct EntryKind: Sendable {
    let kind: Kind
    /// The verb that changes one; `nil` where none takes an id.
    let edit: Verb?
    /// Whether that verb moves one to the day of `--date` or `--at`.
    let moves: Bool
    /// What is typed where no verb changes one by its id.
    let insteadOfEdit: String?
    let delete: Way
    let restore: Way

    /// How something is done with one entry.
    enum Way: Sendable {
        /// By the kind's own verb, whose first argument is an id.
        case verb(Verb)
        /// By this, where the kind has no verb for it.
        case here(@Sendable (Identifier, inout Home) throws -> Void)

        /// Does it, with the options that were typed.
        func take(_ id: Identifier, _ words: ParsedArguments, _ home: inout Home) async throws {
            switch self {
            case .here(let act): try act(id, &home)
            case .verb(let verb):
                let again = verb.path + words.typedOptions + ["\(id)"]
                guard case .run(let command, let own) = try program.read(again) else { return }
                try await command.run(own, &home)
            }
        }
    }

    private init<E: Entity>(
        _ type: E.Type, edit: Verb? = nil, moves: Bool = false, instead: String? = nil, delete: Way,
        restore: Way
    ) {
        kind = E.kind
        self.edit = edit
        self.moves = moves
        insteadOfEdit = instead
        self.delete = delete
        self.restore = restore
    }

    static func of(_ kind: UTF8Text) -> EntryKind? { all.first { $0.kind.name == kind } }

    static let all: [EntryKind] = [
        EntryKind(
            Meal.self, edit: MealEdit.command, delete: .verb(MealDelete.command),
            restore: .verb(MealRestore.command)),
        EntryKind(
            MealItem.self, edit: ItemEdit.command, delete: .verb(ItemDelete.command),
            restore: restore(MealItem.self) { try $1.tell("Restored", $0) }),
        EntryKind(
            WeighIn.self, edit: WeightEdit.command, moves: true,
            delete: .verb(WeightDelete.command),
            restore: restore(WeighIn.self) { try $1.tell("Restored", $0) }),
        EntryKind(
            BodyFat.self, edit: BodyFatVerbs.edit, moves: true, delete: .verb(BodyFatVerbs.delete),
            restore: .verb(BodyFatVerbs.restore)),
        EntryKind(
            BodyMeasure.self, edit: MeasureVerbs.edit, moves: true,
            delete: .verb(MeasureVerbs.delete),
            restore: .verb(MeasureVerbs.restore)),
        EntryKind(
            Ketone.self, edit: KetoneVerbs.edit, moves: true, delete: .verb(KetoneVerbs.delete),
            restore: .verb(KetoneVerbs.restore)),
        EntryKind(
            Water.self, edit: WaterVerbs.edit, moves: true, delete: .verb(WaterVerbs.delete),
            restore: .verb(WaterVerbs.restore)),
        EntryKind(
            Fast.self, edit: FastVerbs.edit, moves: true, delete: .verb(FastVerbs.delete),
            restore: .verb(FastVerbs.restore)),
        EntryKind(
            ActivityEntry.self, edit: ActivityVerbs.edit, moves: true,
            delete: .verb(ActivityVerbs.delete),
            restore: .verb(ActivityVerbs.restore)),
        EntryKind(
            CheckIn.self, instead: "checkin log --date DAY", delete: .verb(CheckInVerbs.delete),
            restore: .verb(CheckInVerbs.restore)),
        EntryKind(
            Food.self, edit: FoodEdit.command, delete: .verb(FoodMarks.delete),
            restore: .verb(FoodMarks.restore)),
        EntryKind(
            FoodPortion.self, instead: "food portion add", delete: delete(FoodPortion.self),
            restore: restore(FoodPortion.self) { portion, home in
                try home.show(portion.json) { try $0.tellRestored(portion) }
            }),
        EntryKind(
            CustomNutrient.self, instead: "nutrient add", delete: delete(CustomNutrient.self),
            restore: restore(CustomNutrient.self) { nutrient, home in
                try home.show(nutrient.json) { try $0.tellRestored(nutrient) }
            }),
        EntryKind(
            Recipe.self, edit: RecipeVerbs.edit, delete: .verb(RecipeVerbs.delete),
            restore: restore(Recipe.self) { try RecipeVerbs.tell("Restored", $0.id, &$1) }),
        EntryKind(
            RecipeItem.self, delete: .verb(RecipeItems.delete),
            restore: .here { id, home in
                let item = try home.replica.read {
                    try $0.entity(RecipeItem.self, id, includingDeleted: true)
                }
                guard let item else { throw EntryError(.notFound(.recipeItem)) }
                // Nothing is recorded that cannot be shown.
                _ = try home.read { try RecipeVerbs.require(item.recipeID, $0) }
                try home.replica.write { try $0.restore(RecipeItem.self, id) }
                try RecipeVerbs.tell("Changed", item.recipeID, &home)
            }),
        EntryKind(
            MealTemplate.self, instead: "template save", delete: .verb(TemplateVerbs.delete),
            restore: restore(MealTemplate.self) { template, home in
                try home.show(template.json) { try $0.tellRestored(template) }
            }),
        EntryKind(
            PlanEntry.self, delete: .verb(PlanVerbs.delete),
            restore: restore(PlanEntry.self) { entry, home in
                let line = try home.replica.read { try $0.planLine(of: entry) }
                try home.show(line.json) { try $0.tellRestored(entry) }
            }),
        EntryKind(
            GoalPlan.self, instead: "goal set --date DAY", delete: .verb(GoalDelete.command),
            restore: restore(GoalPlan.self) { try GoalShow.show(on: $0.startDate, &$1) }),
        EntryKind(
            Reminder.self, edit: ReminderVerbs.edit, delete: .verb(ReminderVerbs.delete),
            restore: restore(Reminder.self) { try ReminderVerbs.tell("Restored", $0, &$1) }),
    ]

    private static func delete<E: Entity>(_ type: E.Type) -> Way {
        .here { id, home in
            let name = try home.title(of: EntityKey(E.kind.name, id))
            try home.replica.write { try $0.delete(type, id) }
            try home.show(.deleted([id])) {
                $0.say("Deleted \(name). macrolog undo restores it.")
            }
        }
    }

    /// - Parameter tell: Reports the entry that exists again.
    private static func restore<E: Entity>(
        _ type: E.Type, _ tell: @escaping @Sendable (E, inout Home) throws -> Void
    ) -> Way {
        .here { id, home in
            try home.replica.write { try $0.restore(type, id) }
            try tell(try home.replica.read { try $0.require(type, id) }, &home)
        }
    }
}

extension Home {
    fileprivate mutating func tellRestored<E: Entity>(_ entity: E) throws {
        let name = try title(of: EntityKey(E.kind.name, entity.id))
        say("Restored \(name)  \(try shortID(E.kind, entity.id))")
    }
}
