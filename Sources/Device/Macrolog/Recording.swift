import MacrologDiary
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
    /// exist yet is added. Preferences, the profile and the log of a day can be saved even after an
    /// undo has deleted them.
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
    package func markConsumed(_ meal: Identifier, _ isConsumed: Bool = true) throws {
        try withDiary { try $0.markConsumed(meal, isConsumed) }
    }

    /// Logs a body mass in grams.
    ///
    /// - Returns: The weigh-in, and what is unusual about it.
    @discardableResult
    package func logWeight(
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
