package import MacrologEvents
import MacrologLog
package import MacrologNutrition
import MacrologNutritionModels
import MacrologReadModels

/// Recording what a person does.
extension Diary {
    /// Records drafts, in order, in one durable transaction: all of them, or none.
    @discardableResult
    package mutating func record(_ drafts: [Draft], group: Identifier? = nil) throws(DiaryError)
        -> [Finding]
    {
        let findings = drafts.flatMap { $0.findings }
        let hard = findings.filter { $0.severity == .hard }
        guard hard.isEmpty else { throw .refused(.invalid(hard)) }
        let group = drafts.count > 1 ? group ?? newID() : group
        let reading = clock.read()
        try withStore { store throws(LogError) in
            _ = try store.record(drafts.map { $0.grouped(group) }, at: reading)
        }
        return findings
    }

    /// Adds a meal with its items.
    @discardableResult
    package mutating func add(_ meal: Meal, items: [MealItem] = []) throws(DiaryError) -> [Finding]
    {
        let today = try today()
        return try record([.add(meal, items: items, today: today)])
    }

    /// Adds an item to a meal, a food, a weigh-in, a goal plan.
    @discardableResult
    package mutating func add(_ entity: some Entity) throws(DiaryError) -> [Finding] {
        let today = try today()
        return try record([.add(entity, today: today)])
    }

    /// Records how an entity differs from what is stored, and nothing else. An entity that does not
    /// exist yet is added.
    @discardableResult
    package mutating func save<E: Entity>(_ entity: E) throws(DiaryError) -> [Finding] {
        guard let stored = try includingDeleted(E.self, entity.id) else { return try add(entity) }
        try requireAlive(E.self, entity.id)
        guard let edit = Draft.edit(from: stored, to: entity, today: try today()) else {
            return []
        }
        return try record([edit])
    }

    /// Records how an entity differs from what was read, and nothing else.
    @discardableResult
    package mutating func save<E: Entity>(_ entity: E, since read: E) throws(DiaryError)
        -> [Finding]
    {
        assert(entity.id == read.id)
        try requireAlive(E.self, entity.id)
        let today = try today()
        guard let edit = Draft.edit(from: read, to: entity, today: today) else { return [] }
        return try record([edit])
    }

    /// Records an entity whose id follows from its content, such as a measure of a food: a new one
    /// is added, a deleted one is restored, an existing one is changed where it differs.
    @discardableResult
    package mutating func put<E: Entity>(_ entity: E) throws(DiaryError) -> [Finding] {
        guard try isDeleted(E.self, entity.id),
            let stored = try includingDeleted(E.self, entity.id)
        else { return try save(entity) }
        let edit = Draft.edit(from: stored, to: entity, today: try today())
        return try record([.restore(stored)] + [edit].compactMap { $0 })
    }

    /// Whether such an entity exists and is deleted.
    package mutating func isDeleted<E: Entity>(_ type: E.Type, _ id: Identifier) throws(DiaryError)
        -> Bool
    {
        try state(of: type, id)?.isDeleted ?? false
    }

    /// Records that a meal has been eaten, or has not.
    package mutating func markConsumed(_ meal: Identifier, _ isConsumed: Bool = true)
        throws(DiaryError)
    {
        var changed = try require(Meal.self, meal)
        changed.isConsumed = isConsumed
        changed.consumedAt = isConsumed ? now : nil
        try save(changed)
    }

    /// Logs a body mass in grams.
    @discardableResult
    package mutating func logWeight(
        grams: Int64, on localDate: LocalDate
    ) throws(DiaryError) -> (weighIn: WeighIn, findings: [Finding]) {
        let weighIn = WeighIn(id: newID(), on: localDate, grams: grams)
        return (weighIn, try add(weighIn))
    }

    /// Deletes an entity. Deleting a meal deletes its items, and restoring it restores them.
    package mutating func delete<E: Entity>(_ type: E.Type, _ id: Identifier) throws(DiaryError) {
        try record([.delete(try require(type, id))])
    }

    /// Restores a deleted entity.
    package mutating func restore<E: Entity>(_ type: E.Type, _ id: Identifier) throws(DiaryError) {
        guard let entity = try includingDeleted(type, id) else {
            throw .refused(.notFound(E.kind))
        }
        try record([.restore(entity)])
    }

    /// An entity that must exist.
    package mutating func require<E: Entity>(_ type: E.Type, _ id: Identifier) throws(DiaryError)
        -> E
    {
        if let entity = try entity(type, id) { return entity }
        try requireAlive(type, id)
        throw .refused(.notFound(E.kind))
    }

    private mutating func state<E: Entity>(
        of type: E.Type, _ id: Identifier
    ) throws(DiaryError) -> EntityState? {
        let key = EntityKey(E.kind.name, id)
        return try withStore { store throws(LogError) in try store.state(of: key) }
    }

    private mutating func requireAlive<E: Entity>(_ type: E.Type, _ id: Identifier)
        throws(DiaryError)
    {
        guard let state = try state(of: type, id) else { throw .refused(.notFound(E.kind)) }
        if state.isDeleted { throw .refused(.deleted(E.kind)) }
    }
}
