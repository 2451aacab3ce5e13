public import MacrologEvents
import MacrologLog
public import MacrologNutrition
import MacrologNutritionModels
import MacrologReadModels

/// Recording what a person does.
extension Diary {
    /// Records drafts, in order, in one durable transaction: all of them, or none.
    ///
    /// - Parameters:
    ///   - drafts: What to record.
    ///   - group: Identifies the action of which they are parts, if there are several: they are shown
    ///     and undone together.
    /// - Returns: What is unusual about them; they are recorded all the same.
    /// - Throws: ``EntryError`` with code `invalid` when a field breaks a hard bound.
    @discardableResult
    package mutating func record(_ drafts: [Draft], group: Identifier? = nil) throws(DiaryError)
        -> [Finding]
    {
        let findings = drafts.flatMap { $0.findings }
        let hard = findings.filter { $0.severity == .hard }
        guard hard.isEmpty else { throw .refused(.invalid(hard)) }
        guard !drafts.isEmpty else { return findings }
        let reading = clock.read()
        if group == nil, drafts.count == 1, try recordFirst(drafts[0], at: reading) {
            return findings
        }
        let own = try self.group(of: drafts.count)
        try withStore { store throws(LogError) in
            _ = try store.record(drafts.map { $0.grouped(group ?? own) }, at: reading)
        }
        return findings
    }

    /// Adds a meal with its items.
    ///
    /// - Throws: ``EntryError`` with code `invalid` when a field breaks a hard bound, or `deleted` for
    ///   an id whose entity is deleted: restore it, or take a new id.
    @discardableResult
    public mutating func add(_ meal: Meal, items: [MealItem] = []) throws(DiaryError) -> [Finding] {
        try record(addition: .add(meal, items: items, today: try today()))
    }

    /// Adds an item to a meal, a food, a weigh-in, a goal plan. An entity that exists is given these
    /// values.
    ///
    /// - Throws: ``EntryError`` with code `invalid` when a field breaks a hard bound, or `deleted` for
    ///   an id whose entity is deleted: restore it, take a new id, or call ``put(_:)``; also for a part
    ///   of what is deleted, such as an item of a deleted meal. Code `recursiveRecipe` for an ingredient
    ///   by which its recipe would contain itself.
    @discardableResult
    public mutating func add<E: Entity>(_ entity: E) throws(DiaryError) -> [Finding] {
        try requireWhole(of: entity)
        try requireNoCircle(of: entity)
        return try record(addition: .add(entity, today: try today()))
    }

    /// Records how an entity differs from what is stored, and nothing else. An entity that does not
    /// exist yet is added. Preferences, the profile and the log of a day can be saved even after an
    /// undo has deleted them.
    ///
    /// What a sync has brought between reading the entity and saving it counts as a difference, too,
    /// and is written over: a screen that stays open uses ``save(_:since:)``.
    ///
    /// - Returns: What is unusual about it; it is recorded all the same.
    /// - Throws: ``EntryError`` with code `deleted`, also for a part of what is deleted, `invalid` when a changed field breaks a hard bound, or `recursiveRecipe` as ``add(_:)``.
    @discardableResult
    public mutating func save<E: Entity>(_ entity: E) throws(DiaryError) -> [Finding] {
        guard let stored = try self.entity(E.self, entity.id, includingDeleted: true) else {
            return try add(entity)
        }
        if E.kind.hasDefaults, try isDeleted(E.self, entity.id) { return try put(entity) }
        try requireAlive(E.self, entity.id)
        try requirePlace(of: entity, since: stored)
        guard let edit = Draft.edit(from: stored, to: entity, today: try today()) else {
            return []
        }
        return try record([edit])
    }

    /// Records how an entity differs from what was read, and nothing else: fields that another device
    /// has edited meanwhile keep that device's values.
    ///
    ///     let read = try replica.read { try $0.require(Meal.self, id) }
    ///     var meal = read
    ///     meal.note = note  // … minutes later
    ///     try replica.write { try $0.save(meal, since: read) }
    ///
    /// - Parameters:
    ///   - entity: The entity as it should be.
    ///   - read: The same entity as it was when the person began to change it.
    /// - Returns: What is unusual about it; it is recorded all the same.
    /// - Throws: ``EntryError`` with code `deleted` or `notFound` when it or what it is a part of does not
    ///   exist any more, `invalid` when a changed field breaks a hard bound or the two have different
    ///   ids, or `recursiveRecipe` as ``add(_:)``.
    @discardableResult
    public mutating func save<E: Entity>(_ entity: E, since read: E) throws(DiaryError)
        -> [Finding]
    {
        guard entity.id == read.id else {
            throw .refused(
                .invalid([
                    Finding(
                        .hard, kind: E.kind.name, field: "id",
                        problem: "is not that of what was read",
                        hint: "save a changed copy of what was read")
                ]))
        }
        if E.kind.hasDefaults, try state(of: E.self, entity.id)?.isDeleted ?? true {
            return try save(entity)
        }
        try requireAlive(E.self, entity.id)
        try requirePlace(of: entity, since: read)
        let today = try today()
        guard let edit = Draft.edit(from: read, to: entity, today: today) else { return [] }
        return try record([edit])
    }

    /// Records an entity whose id follows from its content, such as a measure of a food: a new one
    /// is added, a deleted one is restored, an existing one is changed where it differs.
    ///
    /// - Throws: ``EntryError`` with code `invalid` when a changed field breaks a hard bound, or `deleted`
    ///   for a new or deleted part of what is deleted, such as a measure of a deleted food.
    @discardableResult
    public mutating func put<E: Entity>(_ entity: E) throws(DiaryError) -> [Finding] {
        guard try isDeleted(E.self, entity.id),
            let stored = try self.entity(E.self, entity.id, includingDeleted: true)
        else { return try save(entity) }
        try requireWhole(of: entity)
        try requireNoCircle(of: entity)
        let edit = Draft.edit(from: stored, to: entity, today: try today())
        return try record([.restore(stored)] + [edit].compactMap { $0 })
    }

    /// Whether such an entity exists and is deleted.
    package func isDeleted<E: Entity>(_ type: E.Type, _ id: Identifier) throws(DiaryError)
        -> Bool
    {
        try isDeleted(EntityKey(E.kind.name, id))
    }

    /// Whether an entity of any kind is deleted.
    package func isDeleted(_ entity: EntityKey) throws(DiaryError) -> Bool {
        try withStore { store throws(LogError) in
            try store.state(of: entity)?.isDeleted ?? false
        }
    }

    /// Records that a meal has been eaten, or has not: now, or for a meal of another day at its own time.
    ///
    /// - Throws: ``EntryError`` with code `notFound` or `deleted`.
    public mutating func markConsumed(_ meal: Identifier, _ isConsumed: Bool = true)
        throws(DiaryError)
    {
        var changed = try require(Meal.self, meal)
        changed.isConsumed = isConsumed
        changed.consumedAt = isConsumed ? try whenEaten(changed) : nil
        try save(changed)
    }

    /// When a meal was eaten that is marked so now: now, or for a meal of another day at its own time. In
    /// milliseconds since 1970 UTC; `nil` for a meal of another day without a time.
    package func whenEaten(_ meal: Meal) throws(DiaryError) -> Int64? {
        meal.localDate.day == (try today()) ? now : meal.localDate.occurredAt
    }

    /// Logs a body mass in grams.
    ///
    /// - Returns: The weigh-in, and what is unusual about it, such as a weight far from the trend.
    /// - Throws: ``EntryError`` with code `invalid` for a mass that no person has.
    @discardableResult
    public mutating func logWeight(
        grams: Int64, on localDate: LocalDate
    ) throws(DiaryError) -> (weighIn: WeighIn, findings: [Finding]) {
        let weighIn = WeighIn(id: newID(), on: localDate, grams: grams)
        let trend = try weightTrend(through: localDate.day).points.last
        let distance = WeightTrend.finding(grams: grams, against: trend)
        return (weighIn, try add(weighIn) + (distance.map { [$0] } ?? []))
    }

    /// Deletes the server's confirmation of a photo that is about to be named again.
    package mutating func forgetPhoto(_ name: [UInt8]) throws(DiaryError) {
        try groupFirst()
        try withStore { store throws(LogError) in try store.forgetBlob(name) }
    }

    /// Deletes an entity. Deleting a meal deletes its items, and restoring it restores them.
    ///
    /// - Throws: ``EntryError`` with code `notFound` or `deleted`, also for a part of what is deleted.
    public mutating func delete<E: Entity>(_ type: E.Type, _ id: Identifier) throws(DiaryError) {
        let entity = try require(type, id)
        try requireWhole(of: entity)
        try record([.delete(entity)])
    }

    /// Restores a deleted entity.
    ///
    /// - Throws: ``EntryError`` with code `notFound` where there never was one, or `deleted` for a part of
    ///   what is deleted, such as an item of a deleted meal: restore the whole first.
    public mutating func restore<E: Entity>(_ type: E.Type, _ id: Identifier) throws(DiaryError) {
        guard let entity = try entity(type, id, includingDeleted: true) else {
            throw .refused(.notFound(E.kind))
        }
        try requireWhole(of: entity)
        try requireNoCircle(of: entity)
        try record([.restore(entity)])
    }

    /// An entity that must exist.
    ///
    /// - Throws: ``EntryError`` with code `notFound` or `deleted`.
    public func require<E: Entity>(_ type: E.Type, _ id: Identifier) throws(DiaryError)
        -> E
    {
        if let entity = try entity(type, id) { return entity }
        try requireAlive(type, id)
        throw .refused(.notFound(E.kind))
    }

    private func state<E: Entity>(
        of type: E.Type, _ id: Identifier
    ) throws(DiaryError) -> EntityState? {
        let key = EntityKey(E.kind.name, id)
        return try withStore { store throws(LogError) in try store.state(of: key) }
    }

    /// Records a draft of which no entity may be deleted. The fold sees that: an entity is looked up once.
    private mutating func record(addition draft: Draft) throws(DiaryError) -> [Finding] {
        var draft = draft
        draft.refusesDeleted = true
        return try record([draft])
    }

    /// Refuses a part of what is deleted: recording it would bring the whole back.
    ///
    /// - Throws: ``EntryError`` with code `deleted`, which names the kind of the whole.
    package func requireWhole<E: Entity>(of part: E) throws(DiaryError) {
        guard let whole = E.kind.whole(of: part.fields), let kind = Kind.named(whole.kind),
            try isDeleted(whole)
        else { return }
        throw .refused(.deleted(kind))
    }

    /// Refuses a part of what is deleted, and an ingredient that becomes another recipe which contains its
    /// own. An ingredient that stays where it is can be edited, also in a circle that two devices made.
    private func requirePlace<E: Entity>(of part: E, since old: E) throws(DiaryError) {
        try requireWhole(of: part)
        let isMoved = E.kind.whole(of: part.fields) != E.kind.whole(of: old.fields)
        if isMoved || part.fields["sub_recipe_id"] != old.fields["sub_recipe_id"] {
            try requireNoCircle(of: part)
        }
    }

    private func requireAlive<E: Entity>(_ type: E.Type, _ id: Identifier)
        throws(DiaryError)
    {
        guard let state = try state(of: type, id) else { throw .refused(.notFound(E.kind)) }
        if state.isDeleted { throw .refused(.deleted(E.kind)) }
    }
}
