package import MacrologEvents
import MacrologWire
package import MacrologLog
package import MacrologNutrition
package import MacrologReadModels
import MacrologSQLite

/// What each meal adds to its day.
enum Meals {
    static let model = ReadModel(
        tables: [table, ConsumedDays.table, items],
        folds: [
            Fold(kind: .meal, list: table) { old, new, meals, _ in
                meals.noteMeal(new.id, from: old, to: new)
            },
            Fold(kind: .mealItem, list: items) { old, new, meals, db throws(LogError) in
                try meals.noteItem(new.id, from: old, to: new, in: &db)
            },
        ])

    /// `totals` is the sum of the meal's own nutrients and those of its items, for the share that
    /// was eaten.
    static let table = ReadModelTable(
        "meal", key: [.int("day"), .blob("id")],
        columns: [.text("slot"), .bool("consumed"), .blob("totals")], day: "day")

    /// The items of each meal.
    static let items = ReadModelTable("meal_item", key: [.blob("meal"), .blob("id")])

    /// The items of a meal that are not deleted, in their order.
    static func items(of meal: Identifier, in db: inout LogConnection) throws(LogError)
        -> [MealItem]
    {
        let ids = try db.all("SELECT id FROM meal_item WHERE meal = ? ORDER BY id", meal) {
            $0.identifier(0)
        }
        guard !ids.isEmpty else { return [] }
        var items: [MealItem] = []
        for id in ids {
            if let item = try Readable.load(MealItem.self, id, in: &db) { items.append(item) }
        }
        return items.sorted {
            let (left, right) = (UTF8Text($0.position ?? ""), UTF8Text($1.position ?? ""))
            return left == right ? $0.id < $1.id : left < right
        }
    }

    /// The meals to which the items of a range belong.
    static func parents(
        of range: IDRange, in db: inout LogConnection
    ) throws(LogError) -> [Identifier] {
        try db.all(
            "SELECT DISTINCT meal FROM meal_item WHERE id > ? AND id <= ?", range.after,
            range.through
        ) { Identifier(bytes: $0.bytes(0)) }.compactMap { $0 }
    }
}

/// Reading meals.
extension Store {
    /// The items of a meal that are not deleted by themselves, in their order, even if the meal is deleted.
    package mutating func items(ofMeal id: Identifier) throws(LogError) -> [MealItem] {
        try Meals.items(of: id, in: &db)
    }

    /// The meals of some days that are not deleted: by day, by time, by id.
    package mutating func meals(on days: ClosedRange<Day>) throws(LogError) -> [MealDetail] {
        let rows = try db.all(
            "SELECT id, totals FROM meal WHERE day BETWEEN ? AND ? ORDER BY day, id",
            days.lowerBound.number, days.upperBound.number
        ) { row throws(LogError) in
            (id: row.identifier(0), totals: try NutrientTotals.decoded(row, 1))
        }
        var details: [MealDetail] = []
        for row in rows {
            if let detail = try detail(ofMeal: row.id, totals: row.totals) {
                details.append(detail)
            }
        }
        return details.sorted { left, right in
            let (one, other) = (left.meal.localDate, right.meal.localDate)
            if one.day != other.day { return one.day < other.day }
            let (early, late) = (one.occurredAt ?? .min, other.occurredAt ?? .min)
            return early == late ? left.meal.id < right.meal.id : early < late
        }
    }

    /// A meal with its items; `nil` when it does not exist, or is deleted and not requested.
    package mutating func meal(
        _ id: Identifier, includingDeleted: Bool = false
    ) throws(LogError) -> MealDetail? {
        guard let meal = try entity(Meal.self, id, includingDeleted: includingDeleted) else {
            return nil
        }
        let items = try Meals.items(of: id, in: &db)
        let totals = NutrientTotals(
            own: meal.nutrients, items: items.map { $0.nutrients },
            shareBasisPoints: meal.consumedShareBasisPoints)
        return MealDetail(
            meal: meal, items: items, totals: totals,
            hasConflict: try isInConflict(EntityKey(Kind.meal.name, id)),
            isEditedByNewerVersion: try isEditedByNewerVersion(meal: id, items: items))
    }

    private mutating func detail(
        ofMeal id: Identifier, totals: NutrientTotals
    ) throws(LogError) -> MealDetail? {
        guard let meal = try Readable.load(Meal.self, id, in: &db) else { return nil }
        let items = try Meals.items(of: id, in: &db)
        return MealDetail(
            meal: meal, items: items, totals: totals,
            hasConflict: try isInConflict(EntityKey(Kind.meal.name, id)),
            isEditedByNewerVersion: try isEditedByNewerVersion(meal: id, items: items))
    }

    private mutating func isInConflict(_ entity: EntityKey) throws(LogError) -> Bool {
        try db.first(
            "SELECT 1 FROM conflict WHERE id = ? AND kind = ?", entity.id, entity.kind
        ) { _ in true } ?? false
    }

    mutating func contributions(
        on days: ClosedRange<Day>
    ) throws(LogError) -> [Day: [DaySummary.Contribution]] {
        var contributions: [Day: [DaySummary.Contribution]] = [:]
        try db.forEach(
            "SELECT day, slot, consumed, totals FROM meal WHERE day BETWEEN ? AND ?",
            days.lowerBound.number, days.upperBound.number
        ) { row throws(LogError) in
            guard let day = Day(number: row.int(0)) else { return }
            contributions[day, default: []].append(
                DaySummary.Contribution(
                    slot: row.name(1), isConsumed: row.bool(2),
                    totals: try NutrientTotals.decoded(row, 3)))
        }
        return contributions
    }
}
