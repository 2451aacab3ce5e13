public import MacrologEvents
import MacrologLog
public import MacrologNutrition
import MacrologReadModels

/// Recording what a person does.
extension Replica {
    /// Records drafts, in order, in one durable transaction: all of them, or none.
    ///
    /// - Parameter group: Identifies the action of which they are parts, if there are several: they
    ///   are shown and undone together.
    /// - Returns: What is unusual about them; the actions are recorded all the same.
    /// - Throws: ``ReplicaError`` with code `invalid` when a field breaks a hard bound.
    @discardableResult
    public func record(_ drafts: [Draft], group: Identifier? = nil) throws -> [Finding] {
        let findings = drafts.flatMap(\.findings)
        let hard = findings.filter { $0.severity == .hard }
        guard hard.isEmpty else { throw ReplicaError(.invalid(hard)) }
        let group = drafts.count > 1 ? group ?? newID() : group
        let reading = clock.read()
        try withStore { store in
            _ = try store.record(drafts.map { $0.grouped(group) }, at: reading)
        }
        return findings
    }

    /// Adds a meal with its items.
    @discardableResult
    public func add(_ meal: Meal, items: [MealItem] = []) throws -> [Finding] {
        let today = localDay()
        return try record([.add(meal, items: items, today: today)])
    }

    /// Adds an item to a meal, a food, a weigh-in, a goal plan.
    @discardableResult
    public func add(_ entity: some Entity) throws -> [Finding] {
        try record([.add(entity, today: localDay())])
    }

    /// Records how an entity differs from what is stored, and nothing else: fields that another
    /// device edits meanwhile keep that device's values. An entity that does not exist yet is
    /// added.
    @discardableResult
    public func save<E: Entity>(_ entity: E) throws -> [Finding] {
        let stored = try withStore { try $0.entity(E.self, entity.id, includingDeleted: true) }
        guard let stored else { return try add(entity) }
        try requireAlive(E.self, entity.id)
        guard let edit = Draft.edit(from: stored, to: entity, today: localDay()) else {
            return []
        }
        return try record([edit])
    }

    /// Records an entity whose id follows from its content, such as a measure of a food: a new one
    /// is added, a deleted one is restored, an existing one is changed where it differs.
    @discardableResult
    public func put<E: Entity>(_ entity: E) throws -> [Finding] {
        guard try isDeleted(E.self, entity.id),
            let stored = try withStore({ try $0.entity(E.self, entity.id, includingDeleted: true) })
        else { return try save(entity) }
        let edit = Draft.edit(from: stored, to: entity, today: localDay())
        return try record([.restore(stored)] + [edit].compactMap(\.self))
    }

    /// Whether such an entity exists and is deleted.
    func isDeleted<E: Entity>(_ type: E.Type, _ id: Identifier) throws -> Bool {
        try withStore { try $0.state(of: EntityKey(E.kind.name, id))?.isDeleted ?? false }
    }

    /// Records that a meal has been eaten, or has not.
    public func markConsumed(_ meal: Identifier, _ isConsumed: Bool = true) throws {
        var changed = try require(Meal.self, meal)
        changed.isConsumed = isConsumed
        changed.consumedAt = isConsumed ? now : nil
        try save(changed)
    }

    /// Logs a body mass in grams.
    ///
    /// - Returns: The weigh-in, and what is unusual about it.
    @discardableResult
    public func logWeight(
        grams: Int64, on localDate: LocalDate
    ) throws -> (weighIn: WeighIn, findings: [Finding]) {
        let weighIn = WeighIn(id: newID(), on: localDate, grams: grams)
        return (weighIn, try add(weighIn))
    }

    /// Deletes an entity. Deleting a meal deletes its items, and restoring it restores them.
    public func delete<E: Entity>(_ type: E.Type, _ id: Identifier) throws {
        try record([.delete(try require(type, id))])
    }

    /// Restores a deleted entity.
    public func restore<E: Entity>(_ type: E.Type, _ id: Identifier) throws {
        guard let entity = try withStore({ try $0.entity(type, id, includingDeleted: true) }) else {
            throw ReplicaError(.notFound(E.kind))
        }
        try record([.restore(entity)])
    }

    /// An entity that must exist.
    public func require<E: Entity>(_ type: E.Type, _ id: Identifier) throws -> E {
        if let entity = try withStore({ try $0.entity(type, id) }) { return entity }
        try requireAlive(type, id)
        throw ReplicaError(.notFound(E.kind))
    }

    private func requireAlive<E: Entity>(_ type: E.Type, _ id: Identifier) throws {
        let state = try withStore { try $0.state(of: EntityKey(E.kind.name, id)) }
        guard let state else { throw ReplicaError(.notFound(E.kind)) }
        if state.isDeleted { throw ReplicaError(.deleted(E.kind)) }
    }
}
