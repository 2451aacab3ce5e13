package import MacrologEvents
package import MacrologLog
import MacrologNutrition
import MacrologSQLite

/// Folds entities into read models: what the log's generic state means for a day, a trend, a goal.
package struct ReadModels: ReadModelUpdater {
    /// Every read model. The order is that of their hashes.
    static let all: [ReadModel] = [
        Meals.model, DayLogs.model, WeighIns.model, GoalPlans.model, Foods.model, FoodUses.model,
        Recipes.model, Templates.model, Portions.model, DayEntries.model, Lists.model,
        Photos.model, Quarantine.model,
    ]
    /// The tables of all of them.
    static let tables = all.flatMap { $0.tables }
    /// Their folds, by kind.
    private static let folds: [Kind: [Fold]] = Dictionary(
        uniqueKeysWithValues: Kind.all.map { kind in
            (kind, all.flatMap { $0.folds }.filter { $0.kind == nil || $0.kind == kind })
        })

    /// The meals that changed since the last flush.
    private var meals = PendingMeals()

    package init() {}

    package mutating func update(
        _ entity: EntityKey, from old: EntityState?, to new: EntityState, in db: inout LogConnection
    ) throws(LogError) {
        guard let kind = Kind.named(entity.kind) else { return }
        let (oldFields, newFields) = (old?.allFields, new.allFields)
        // A seal changes what is known of a write, and rarely its meaning.
        if let old, oldFields == newFields, old.isDeleted == new.isDeleted { return }
        let before = old.map {
            Readable(entity, kind, oldFields ?? ValueMap(), isDeleted: $0.isDeleted)
        }
        let after = Readable(entity, kind, newFields, isDeleted: new.isDeleted)
        for fold in Self.folds[kind] ?? [] {
            try fold.update(before, after, &meals, &db)
        }
    }

    package mutating func flush(in db: inout LogConnection) throws(LogError) {
        try meals.flush(in: &db)
    }

    package mutating func clear(in db: inout LogConnection) throws(LogError) {
        meals = PendingMeals()
        for table in Self.tables { try db.run(table.clear) }
        for statement in Self.all.flatMap({ $0.clear }) { try db.run(statement) }
    }

    /// Empties the read models of some entities, before these are folded again.
    mutating func clear(_ range: IDRange, in db: inout LogConnection) throws(LogError) {
        for table in Self.tables { try db.run(table.clearRange, range) }
    }

    /// Brings some meals up to date, after others of their items may have been folded again.
    mutating func sumMeals(_ meals: [Identifier], in db: inout LogConnection) throws(LogError) {
        for meal in meals { try self.meals.note(meal, in: &db) }
        try flush(in: &db)
        for statement in Self.all.flatMap({ $0.repair }) { try db.run(statement) }
    }

    /// The table with a row for each entity of a kind that is not deleted; `nil` when there is
    /// none.
    static func list(of kind: Kind) -> Table? {
        (folds[kind] ?? []).lazy.compactMap { $0.list }.first
    }
}

/// Their tables in a file. All are folded from entities and can be deleted, so there are no
/// migrations: the hash of their declarations is their version. If a file has tables of another
/// version, they are dropped, created again, and folded from the log.
extension ReadModels {
    /// The version of the fold: increase it when the same log folds to other rows of the same
    /// tables.
    private static let foldVersion: UInt8 = 2

    private static let version = SHA256.hash(
        [foldVersion] + tables.flatMap { $0.create.text.utf8 })

    /// Whether the file has the tables of this version.
    static func areCurrent(in db: inout LogConnection) throws(LogError) -> Bool {
        try db.first("SELECT read_models FROM maintenance") { $0.bytesOrNull(0) } == version
    }

    /// Drops the file's read models and creates empty tables. Call inside a transaction, and fold
    /// the log in it.
    package static func makeTables(in db: inout LogConnection) throws(LogError) {
        for table in tables {
            try db.execute(table.drop)
            try db.execute(table.create)
        }
        try db.run("UPDATE maintenance SET read_models = ?", version)
    }
}
