package import MacrologEvents
import MacrologLog
import MacrologNutrition
package import MacrologSQLite

/// Folds entities into read models: what the log's generic state means for a day, a trend, a goal.
package struct ReadModels: ReadModelUpdater {
    private var meals = MealTable()

    package init() {}

    package mutating func update(
        _ entity: EntityKey, from old: EntityState?, to new: EntityState, in db: inout Connection
    ) throws {
        guard let kind = Kind(name: entity.kind) else { return }
        let (oldFields, newFields) = (old?.allFields, new.allFields)
        // A seal changes what is known of a write, and rarely its meaning.
        if let old, oldFields == newFields, old.isDeleted == new.isDeleted { return }
        let before = old.map {
            Readable(entity, kind, oldFields ?? ValueMap(), isDeleted: $0.isDeleted)
        }
        let after = Readable(entity, kind, newFields, isDeleted: new.isDeleted)
        try Quarantine.update(entity, from: before, to: after, in: &db)
        switch kind {
        case .meal:
            meals.noteMeal(entity.id, from: before, to: after)
            try PhotoTable.update(entity.id, from: before, to: after, in: &db)
        case .mealItem: try meals.noteItem(entity.id, from: before, to: after, in: &db)
        case .weighIn: try WeighInTable.update(entity.id, from: before, to: after, in: &db)
        case .goalPlan: try GoalPlanTable.update(entity.id, from: before, to: after, in: &db)
        case .dayLog: try DayLogTable.update(entity.id, from: before, to: after, in: &db)
        case .food: try FoodTable.update(entity.id, to: after, in: &db)
        case .foodPortion:
            try RecipeTable.projectPortion(entity.id, from: before, to: after, in: &db)
        case .recipe: try RecipeTable.projectRecipe(entity.id, from: before, to: after, in: &db)
        case .recipeItem: try RecipeTable.projectItem(entity.id, from: before, to: after, in: &db)
        case .mealTemplate:
            try RecipeTable.projectTemplate(entity.id, from: before, to: after, in: &db)
        case .water: try DayTable.update(Water.self, from: before, to: after, in: &db)
        case .ketone: try DayTable.update(Ketone.self, from: before, to: after, in: &db)
        case .bodyFat: try DayTable.update(BodyFat.self, from: before, to: after, in: &db)
        case .bodyMeasure: try DayTable.update(BodyMeasure.self, from: before, to: after, in: &db)
        case .activity: try DayTable.update(Activity.self, from: before, to: after, in: &db)
        case .energyDay: try DayTable.update(EnergyDay.self, from: before, to: after, in: &db)
        case .fast: try DayTable.update(Fast.self, from: before, to: after, in: &db)
        case .planEntry: try DayTable.update(PlanEntry.self, from: before, to: after, in: &db)
        case .reminder: try ListTable.update(Reminder.self, from: before, to: after, in: &db)
        case .customNutrient:
            try ListTable.update(CustomNutrient.self, from: before, to: after, in: &db)
        case .recommendation:
            try ListTable.update(Recommendation.self, from: before, to: after, in: &db)
        case .importBatch: try ListTable.update(ImportBatch.self, from: before, to: after, in: &db)
        // There is one of each, or other entities refer to them.
        case .profile, .preferences, .photo, .analysis, .device: break
        }
    }

    package mutating func flush(in db: inout Connection) throws {
        try meals.flush(in: &db)
    }

    package mutating func clear(in db: inout Connection) throws {
        meals = MealTable()
        for table in [
            "DELETE FROM meal", "DELETE FROM meal_item", "DELETE FROM day_log",
            "DELETE FROM weigh_in", "DELETE FROM goal_plan", "DELETE FROM food",
            "INSERT INTO food_text (food_text) VALUES ('delete-all')", "DELETE FROM food_use",
            "DELETE FROM quarantine", "DELETE FROM photo", "DELETE FROM recipe",
            "DELETE FROM recipe_item", "DELETE FROM food_portion", "DELETE FROM meal_template",
            "DELETE FROM by_day", "DELETE FROM listed",
        ] as [StaticString] {
            try db.run(table)
        }
    }
}

extension ReadModels {
    /// Empties the read models of some entities, before these are folded again.
    mutating func clear(_ range: IDRange, in db: inout Connection) throws {
        for table in [
            "DELETE FROM meal WHERE id > ? AND id <= ?",
            "DELETE FROM meal_item WHERE id > ? AND id <= ?",
            "DELETE FROM weigh_in WHERE id > ? AND id <= ?",
            "DELETE FROM goal_plan WHERE id > ? AND id <= ?",
            "DELETE FROM food WHERE id > ? AND id <= ?",
            "DELETE FROM quarantine WHERE id > ? AND id <= ?",
            "DELETE FROM photo WHERE meal > ? AND meal <= ?",
            "DELETE FROM food_use WHERE meal > ? AND meal <= ?",
            "DELETE FROM recipe WHERE id > ? AND id <= ?",
            "DELETE FROM recipe_item WHERE id > ? AND id <= ?",
            "DELETE FROM food_portion WHERE id > ? AND id <= ?",
            "DELETE FROM meal_template WHERE id > ? AND id <= ?",
            "DELETE FROM by_day WHERE id > ? AND id <= ?",
            "DELETE FROM listed WHERE id > ? AND id <= ?",
        ] as [StaticString] {
            try db.run(table, range.after, range.through)
        }
        for day in try DayLogTable.days(of: range, in: &db) {
            try db.run("DELETE FROM day_log WHERE day = ?", day)
        }
    }

    /// The meals to which some items belong.
    static func parents(
        of range: IDRange, in db: inout Connection
    ) throws -> [Identifier] {
        try db.all(
            "SELECT DISTINCT meal FROM meal_item WHERE id > ? AND id <= ?", range.after,
            range.through
        ) { Identifier(bytes: $0.bytes(0)) }.compactMap(\.self)
    }

    /// Computes the sums of some meals again from their items.
    mutating func sumAnew(_ meals: [Identifier], in db: inout Connection) throws {
        for meal in meals { try self.meals.note(meal, in: &db) }
        try flush(in: &db)
        // For rows that were edited by hand the index may hold other words.
        try db.run("INSERT INTO food_text (food_text) VALUES ('rebuild')")
    }
}

/// An entity of a known kind in the form that read models use: sets as arrays, and without the
/// fields that break a hard bound.
struct Readable {
    let id: Identifier
    let fields: ValueMap
    let findings: [Finding]
    let isDeleted: Bool

    init(_ entity: EntityKey, _ kind: Kind, _ state: EntityState) {
        self.init(entity, kind, state.allFields, isDeleted: state.isDeleted)
    }

    init(_ entity: EntityKey, _ kind: Kind, _ all: ValueMap, isDeleted: Bool) {
        var fields = all
        let findings = Catalogue.hardFindings(kind: kind, fields: fields)
        for finding in findings { fields[finding.field] = nil }
        self.id = entity.id
        self.fields = fields
        self.findings = findings
        self.isDeleted = isDeleted
    }

    /// The stored entity, unless it is deleted or lacks a required field.
    static func load<E: Entity>(
        _ type: E.Type, _ id: Identifier, in db: inout Connection
    ) throws -> E? {
        let entity = EntityKey(E.kind.name, id)
        return try EntityTable.state(of: entity, in: &db)
            .flatMap { Readable(entity, E.kind, $0).entity(type) }
    }

    /// The entity, unless it is deleted or lacks a required field.
    func entity<E: Entity>(_ type: E.Type) -> E? {
        isDeleted ? nil : E(id: id, fields: fields)
    }
}

extension EntityState {
    /// The values of all fields, and for each set an array of its elements.
    package var allFields: ValueMap {
        var fields = self.fields
        // Set elements come last, those of one field together.
        var last: Text?
        for cell in cells.reversed() {
            guard case .member(let field, _) = cell.key else { break }
            guard last != field else { continue }
            last = field
            let elements = members(field)
            if !elements.isEmpty { fields[field] = .array(elements) }
        }
        return fields
    }
}
