package import MacrologEvents
package import MacrologLog
import MacrologNutrition
package import MacrologReadModels
import MacrologSQLite

/// The read models of the diary: what the log's generic state means for a day, a trend, a goal.
enum NutritionModels {
    /// Every read model. The order is that of their hashes.
    static let all: [ReadModel] = [
        Meals.model, DayLogs.model, WeighIns.model, GoalPlans.model, Foods.model, FoodUses.model,
        Recipes.model, Templates.model, Portions.model, DayEntries.model, Lists.model,
        Photos.model, Analyses.model, Quarantine.model,
    ]
    /// Their folds, by kind.
    static let folds: [Kind: [Fold]] = Dictionary(
        uniqueKeysWithValues: Kind.all.map { kind in
            (kind, all.flatMap { $0.folds }.filter { $0.kind == nil || $0.kind == kind })
        })

    /// The table with a row for each entity of a kind that is not deleted; `nil` when there is
    /// none.
    static func list(of kind: Kind) -> ReadModelTable? {
        (folds[kind] ?? []).lazy.compactMap { $0.list }.first
    }

    /// The fold of one transaction: its closures share the meals that changed since the last flush.
    static func folding() -> Folding {
        var fold = NutritionFold()
        return Folding(
            update: { entity, old, new, db throws(LogError) in
                try fold.update(entity, from: old, to: new, in: &db)
            },
            flush: { db throws(LogError) in try fold.meals.flush(in: &db) },
            forget: { fold.meals = PendingMeals() },
            dependents: { range, db throws(LogError) in try Meals.parents(of: range, in: &db) },
            note: { ids, db throws(LogError) in
                for id in ids { try fold.meals.note(id, in: &db) }
            })
    }
}

/// What one transaction remembers while it folds entities.
private struct NutritionFold: ~Copyable {
    var meals = PendingMeals()
    /// The kind of the entity folded last, which is mostly that of the next one.
    private var last: (kind: Kind, folds: [Fold])?

    /// Folds the change of an entity, or notes in the pending meals that one of them changed.
    mutating func update(
        _ entity: EntityKey, from old: EntityState?, to new: EntityState,
        in db: inout LogConnection
    ) throws(LogError) {
        if last?.kind.name != entity.kind {
            guard let kind = Kind.named(entity.kind) else { return }
            last = (kind, NutritionModels.folds[kind] ?? [])
        }
        guard let (kind, folds) = last else { return }
        let after = (fields: new.fields(of: kind), isDeleted: new.isDeleted)
        var before: Readable?
        if let old {
            let (fields, isDeleted) = (old.fields(of: kind), old.isDeleted)
            // A seal changes what is known of a write, and rarely its meaning.
            if fields == after.fields, isDeleted == after.isDeleted { return }
            before = Readable(entity, kind, fields, isDeleted: isDeleted)
        }
        let now = Readable(entity, kind, after.fields, isDeleted: after.isDeleted)
        for index in folds.indices { try folds[index].update(before, now, &meals, &db) }
    }
}

extension ReadModels {
    /// Those of the diary.
    package static let nutrition = ReadModels(
        NutritionModels.all.flatMap { $0.tables }, foldVersion: 5, blobs: Photos.table,
        clear: NutritionModels.all.flatMap { $0.clear },
        repair: NutritionModels.all.flatMap { $0.repair },
        historyDays: { db throws(LogError) in
            try Readable.load(Preferences.self, Identities.preferences, in: &db)?.historyDays
        },
        folding: { NutritionModels.folding() })
}

extension Store {
    /// Opens a diary's replica in a database; see ``open(_:folding:newDevice:)``.
    package static func open(
        _ connection: consuming LogConnection, newDevice: @autoclosure () -> Identifier
    ) throws(LogError) -> Store {
        try open(connection, folding: .nutrition, newDevice: newDevice())
    }
}
