package import MacrologDiary
package import MacrologEvents
package import MacrologNutrition
import MacrologNutritionModels
import MacrologReadModels

// One verb of the diary in one line, for the programs and tests of this package. An app calls
// ``Replica/read(at:_:)`` and ``Replica/write(_:)``; what a verb does and throws is said at the diary's.

// MARK: Recording

extension Replica {
    @discardableResult
    package func record(_ drafts: [Draft], group: Identifier? = nil) throws -> [Finding] {
        try withDiary { try $0.record(drafts, group: group) }
    }

    @discardableResult
    package func add(_ meal: Meal, items: [MealItem] = []) throws -> [Finding] {
        try withDiary { try $0.add(meal, items: items) }
    }

    @discardableResult
    package func add(_ entity: some Entity) throws -> [Finding] {
        try withDiary { try $0.add(entity) }
    }

    @discardableResult
    package func save<E: Entity>(_ entity: E) throws -> [Finding] {
        try withDiary { try $0.save(entity) }
    }

    @discardableResult
    package func save<E: Entity>(_ entity: E, since read: E) throws -> [Finding] {
        try withDiary { try $0.save(entity, since: read) }
    }

    @discardableResult
    package func put<E: Entity>(_ entity: E) throws -> [Finding] {
        try withDiary { try $0.put(entity) }
    }

    @discardableResult
    package func logWeight(
        grams: Int64, on localDate: LocalDate
    ) throws -> (weighIn: WeighIn, findings: [Finding]) {
        try withDiary { try $0.logWeight(grams: grams, on: localDate) }
    }

    package func delete<E: Entity>(_ type: E.Type, _ id: Identifier) throws {
        try withDiary { try $0.delete(type, id) }
    }

    @discardableResult
    package func undo(passing count: Int = 0) throws -> UndoResult {
        try withDiary { try $0.undo(passing: count) }
    }

    @discardableResult
    package func undo(_ event: Dot) throws -> UndoResult { try withDiary { try $0.undo(event) } }

    @discardableResult
    package func undo(group: Identifier) throws -> UndoResult {
        try withDiary { try $0.undo(group: group) }
    }

    @discardableResult
    package func redo(passing count: Int = 0) throws -> UndoResult {
        try withDiary { try $0.redo(passing: count) }
    }

    package func resolve(_ resolutions: [ConflictResolution]) throws {
        try withDiary { try $0.resolve(resolutions) }
    }
}

// MARK: Reading

extension Replica {
    package func localDate(at instant: Int64? = nil) throws -> LocalDate {
        try withDiary { try $0.localDate(at: instant) }
    }

    package func today() throws -> Day { try withDiary { try $0.today() } }

    package func require<E: Entity>(_ type: E.Type, _ id: Identifier) throws -> E {
        try withDiary { try $0.require(type, id) }
    }

    package func entity<E: Entity>(_ type: E.Type, _ id: Identifier) throws -> E? {
        try withDiary { try $0.entity(type, id) }
    }

    package func entities<E: DayEntry>(_ type: E.Type, on days: ClosedRange<Day>) throws -> [E] {
        try withDiary { try $0.entities(type, on: days) }
    }

    package func entities<E: ListedEntity>(_ type: E.Type) throws -> [E] {
        try withDiary { try $0.entities(type) }
    }

    package func summary(of day: Day) throws -> DaySummary {
        try withDiary { try $0.summary(of: day) }
    }

    package func dayReport(of day: Day, at instant: Int64? = nil) throws -> DayReport {
        try withDiary { try $0.dayReport(of: day, at: instant) }
    }

    package func meal(_ id: Identifier) throws -> MealDetail? { try withDiary { try $0.meal(id) } }

    package func meals(on day: Day) throws -> [MealDetail] {
        try withDiary { try $0.meals(on: day) }
    }

    package func meals(on days: ClosedRange<Day>) throws -> [MealDetail] {
        try withDiary { try $0.meals(on: days) }
    }

    package func profile() throws -> Profile { try withDiary { try $0.profile() } }

    package func preferences() throws -> Preferences { try withDiary { try $0.preferences() } }

    package func foods(
        matching typed: String = "", limit: Int = 20, forgiving: Bool = true
    ) throws -> [Food] {
        try withDiary { try $0.foods(matching: typed, limit: limit, forgiving: forgiving) }
    }

    package func latestEvents(_ limit: Int = 20) throws -> [LoggedEvent] {
        try withDiary { try $0.latestEvents(limit) }
    }

    package func conflicts() throws -> [Conflict] { try withDiary { try $0.conflicts() } }

    package func notation() throws -> Notation { try withDiary { try $0.notation() } }
}
