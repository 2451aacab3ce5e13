public import MacrologDiary
public import MacrologEvents
public import MacrologNutrition
import MacrologNutritionModels
import MacrologReadModels

/// Recording what a person does.
extension Replica {
    /// Records drafts, in order, in one durable transaction: all of them, or none.
    ///
    /// - Parameters:
    ///   - drafts: What to record.
    ///   - group: Identifies the action of which they are parts, if there are several: they are shown
    ///     and undone together.
    /// - Returns: What is unusual about them; the actions are recorded all the same.
    /// - Throws: ``EntryError`` with code `invalid` when a field breaks a hard bound.
    @discardableResult
    public func record(_ drafts: [Draft], group: Identifier? = nil) throws -> [Finding] {
        try withDiary { try $0.record(drafts, group: group) }
    }

    /// Adds a meal with its items.
    @discardableResult
    public func add(_ meal: Meal, items: [MealItem] = []) throws -> [Finding] {
        try withDiary { try $0.add(meal, items: items) }
    }

    /// Adds an item to a meal, a food, a weigh-in, a goal plan.
    @discardableResult
    public func add(_ entity: some Entity) throws -> [Finding] {
        try withDiary { try $0.add(entity) }
    }

    /// Records how an entity differs from what is stored, and nothing else. An entity that does not
    /// exist yet is added.
    ///
    /// What a sync has brought between reading the entity and saving it counts as a difference, too,
    /// and is written over: a screen that stays open uses ``save(_:since:)``.
    @discardableResult
    public func save<E: Entity>(_ entity: E) throws -> [Finding] {
        try withDiary { try $0.save(entity) }
    }

    /// Records how an entity differs from what was read, and nothing else: fields that another device
    /// has edited meanwhile keep that device's values.
    ///
    ///     let read = try replica.require(Meal.self, id)
    ///     var meal = read
    ///     meal.note = note  // … minutes later
    ///     try replica.save(meal, since: read)
    ///
    /// - Parameters:
    ///   - entity: The entity as it should be.
    ///   - read: The same entity as it was when the person began to change it.
    /// - Returns: What is unusual about it; it is recorded all the same.
    /// - Throws: ``EntryError`` with code `deleted` or `notFound` when it does not exist any more, or
    ///   `invalid` when a changed field breaks a hard bound.
    @discardableResult
    public func save<E: Entity>(_ entity: E, since read: E) throws -> [Finding] {
        try withDiary { try $0.save(entity, since: read) }
    }

    /// Records an entity whose id follows from its content, such as a measure of a food: a new one
    /// is added, a deleted one is restored, an existing one is changed where it differs.
    @discardableResult
    public func put<E: Entity>(_ entity: E) throws -> [Finding] {
        try withDiary { try $0.put(entity) }
    }

    /// Records that a meal has been eaten, or has not.
    public func markConsumed(_ meal: Identifier, _ isConsumed: Bool = true) throws {
        try withDiary { try $0.markConsumed(meal, isConsumed) }
    }

    /// Logs a body mass in grams.
    ///
    /// - Returns: The weigh-in, and what is unusual about it.
    @discardableResult
    public func logWeight(
        grams: Int64, on localDate: LocalDate
    ) throws -> (weighIn: WeighIn, findings: [Finding]) {
        try withDiary { try $0.logWeight(grams: grams, on: localDate) }
    }

    /// Deletes an entity. Deleting a meal deletes its items, and restoring it restores them.
    public func delete<E: Entity>(_ type: E.Type, _ id: Identifier) throws {
        try withDiary { try $0.delete(type, id) }
    }

    /// Restores a deleted entity.
    public func restore<E: Entity>(_ type: E.Type, _ id: Identifier) throws {
        try withDiary { try $0.restore(type, id) }
    }

    /// An entity that must exist.
    public func require<E: Entity>(_ type: E.Type, _ id: Identifier) throws -> E {
        try withDiary { try $0.require(type, id) }
    }
}

/// Planned meals, and making meals from them.
extension Replica {
    /// The plan of some days, by day and time.
    public func plan(on days: ClosedRange<Day>) throws -> [PlanEntry] {
        try withDiary { try $0.plan(on: days) }
    }

    /// Makes the meal of a plan, and stores in the plan which meal it is: one action, and only one
    /// meal, however often and on however many devices, since its id and those of its parts follow
    /// from the plan's.
    ///
    /// The meal holds what the recipe, food or template holds now. A recipe or food without an
    /// amount counts as one serving; a plan that is only a name becomes a meal of that name.
    ///
    /// - Parameters:
    ///   - id: The plan's id.
    ///   - localDate: When it was eaten; the plan's day, when not given.
    ///   - isConsumed: Whether it has been eaten.
    /// - Throws: ``EntryError`` when the plan, or what it names, no longer exists;
    ///   ``PortionError`` when its amount cannot be converted.
    public func perform(
        _ id: Identifier, on localDate: LocalDate? = nil, isConsumed: Bool = true
    ) throws -> PlannedMeal {
        try withDiary { try $0.perform(id, on: localDate, isConsumed: isConsumed) }
    }

    /// Copies the plans of some days to later days: each entry as it is, not done.
    ///
    /// Ids follow from those of the originals and the day, so copying twice plans nothing twice,
    /// here or on another device. An existing copy stays as it is.
    ///
    /// - Returns: The copies that were made.
    public func copyPlan(_ days: ClosedRange<Day>, to first: Day) throws -> [PlanEntry] {
        try withDiary { try $0.copyPlan(days, to: first) }
    }
}

/// Recipes and templates.
extension Replica {
    /// The recipes whose names have words with the typed prefixes, by name; all for an empty text.
    public func recipes(matching typed: String = "") throws -> [Recipe] {
        try withDiary { try $0.recipes(matching: typed) }
    }

    /// A recipe with its ingredients and what they come to; `nil` when it does not exist or is
    /// deleted.
    public func recipe(_ id: Identifier) throws -> RecipeDetail? {
        try withDiary { try $0.recipe(id) }
    }

    /// The templates whose names have words with the typed prefixes, by name; all for an empty
    /// text.
    public func templates(matching typed: String = "") throws -> [MealTemplate] {
        try withDiary { try $0.templates(matching: typed) }
    }

    /// A food with its household measures; `nil` when it does not exist or is deleted.
    public func servingSizes(of food: Identifier) throws -> ServingSizes? {
        try withDiary { try $0.servingSizes(of: food) }
    }

    /// Adds an ingredient to a recipe, after the others.
    ///
    /// - Throws: ``EntryError`` with code `recursiveRecipe` when the recipe would contain
    ///   itself, at any depth.
    @discardableResult
    public func addIngredient(_ item: RecipeItem) throws -> [Finding] {
        try withDiary { try $0.addIngredient(item) }
    }
}

/// Water, fasts and activity. Single entries are added, read, changed and deleted like any entity:
/// `add`, `entities(_:on:)`, `save`, `delete`.
extension Replica {
    /// What was drunk on a day, and the target of the active plan; includes the water in food if
    /// the person wants it counted (``Preferences/countsFoodWater``).
    public func hydration(on day: Day) throws -> Hydration {
        try withDiary { try $0.hydration(on: day) }
    }

    /// The energy and the steps of a day's activity, each counted once. Active energy is part of
    /// the targets of a dynamic plan.
    public func movement(on day: Day) throws -> DayEnergy {
        try withDiary { try $0.movement(on: day) }
    }

    /// The last body fat percentage up to a day, from weigh-ins and readings alike.
    public func bodyFat(upTo day: Day) throws -> BodyComposition.Sample? {
        try withDiary { try $0.bodyFat(upTo: day) }
    }

    /// The forecast of the weight on a day; `nil` without two weigh-ins at least seven days apart
    /// in the four weeks that end with the last one.
    public func weightOutlook(on day: Day) throws -> WeightOutlook? {
        try withDiary { try $0.weightOutlook(on: day) }
    }

    /// All fasts.
    public func fasting() throws -> Fasting {
        try withDiary { try $0.fasting() }
    }

    /// The time from the first to the last meal of a day, in milliseconds since 1970 UTC; `nil` if
    /// there was none, or no time is known.
    public func eatingWindow(on day: Day) throws -> ClosedRange<Int64>? {
        try withDiary { try $0.eatingWindow(on: day) }
    }

    /// Starts a fast.
    ///
    /// - Parameters:
    ///   - instant: Milliseconds since 1970 UTC; now, when not given.
    ///   - targetMinutes: The intended duration, 60 to 10,080.
    ///   - preset: The name of that duration: `16:8`.
    /// - Throws: ``EntryError`` with code `fastInProgress` while one is running. If two devices start
    ///   a fast concurrently, both are kept.
    @discardableResult
    public func startFast(
        at instant: Int64? = nil, targetMinutes: Int64? = nil, preset: String? = nil
    ) throws -> Fast {
        try withDiary {
            try $0.startFast(at: instant, targetMinutes: targetMinutes, preset: preset)
        }
    }

    /// Ends the running fast.
    ///
    /// - Parameter instant: Milliseconds since 1970 UTC; now, when not given.
    /// - Throws: ``EntryError`` with code `noFastInProgress` when none is running, and `invalid` for an
    ///   end before its start.
    @discardableResult
    public func endFast(at instant: Int64? = nil) throws -> Fast {
        try withDiary { try $0.endFast(at: instant) }
    }

    /// Marks the running fast as one that does not count.
    ///
    /// - Parameter instant: Milliseconds since 1970 UTC; now, when not given.
    /// - Throws: ``EntryError`` with code `noFastInProgress` when none is running.
    @discardableResult
    public func cancelFast(at instant: Int64? = nil) throws -> Fast {
        try withDiary { try $0.cancelFast(at: instant) }
    }
}

/// Distinguishes what imports have written from what people have changed.
extension Replica {
    /// What imports last wrote about an entity, field by field, without undone imports.
    ///
    /// An event is an import's when it belongs to a group and names the origin of the entity.
    ///
    /// - Parameter origin: The field with the origin, which every import writes again.
    package func imported(_ entity: EntityKey, by origin: Text) throws -> ValueMap {
        try withDiary { try $0.imported(entity, by: origin) }
    }
}

extension Replica {
    /// Whether an entity exists, and if not, why.
    package func presence<E: Entity>(of type: E.Type, _ id: Identifier) throws -> Presence {
        try withDiary { try $0.presence(of: type, id) }
    }

    /// An entity, even if it is deleted.
    package func includingDeleted<E: Entity>(_ type: E.Type, _ id: Identifier) throws -> E? {
        try withDiary { try $0.includingDeleted(type, id) }
    }

    /// An import of a file that this device started and that was interrupted before its end.
    package func interruptedImport(of type: Text, _ hash: [UInt8]) throws
        -> InterruptedImport?
    {
        try withDiary { try $0.interruptedImport(of: type, hash) }
    }
}
