package import MacrologEvents
import MacrologWire
package import MacrologLog
package import MacrologNutrition
package import MacrologReadModels
import MacrologSQLite

/// What each meal adds to its day.
enum Meals {
    static let model = ReadModel(
        tables: [table, items],
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

/// The meals that changed, and those whose items did, until their rows are brought up to date: once
/// for each, however many events changed it. A changed meal is computed again from itself and its
/// items alone; no other meal is read.
struct PendingMeals {
    /// A meal to be brought up to date.
    private struct Pending {
        let id: Identifier
        /// The day of its stored row; `nil` when it has none.
        let storedDay: Day?
        /// The meal as it is now; `nil` when it is deleted.
        var meal: Meal?
        /// The former foods of changed items.
        var oldFoods: [Identifier] = []
    }

    /// In the order in which they were noted.
    private var pending: [Pending] = []
    /// The place of each in `pending`.
    private var places: [Identifier: Int] = [:]
    /// Whether `pending` is in the order of the ids, as it nearly always is: entities are folded in it.
    private var isSorted = true
    private var writer = CBORWriter()

    mutating func noteMeal(_ id: Identifier, from old: Readable?, to new: Readable) {
        let meal = new.entity(Meal.self)
        if let place = places[id] {
            pending[place].meal = meal
        } else {
            append(Pending(id: id, storedDay: old?.entity(Meal.self)?.localDate.day, meal: meal))
        }
    }

    mutating func noteItem(
        _ id: Identifier, from old: Readable?, to new: Readable, in db: inout LogConnection
    ) throws(LogError) {
        let before = old?.entity(MealItem.self)
        let (from, to) = (before?.mealID, new.entity(MealItem.self)?.mealID)
        if let from, from != to {
            try db.run("DELETE FROM meal_item WHERE meal = ? AND id = ?", from, id)
        }
        if let to, from != to {
            try db.run("INSERT OR IGNORE INTO meal_item (meal, id) VALUES (?, ?)", to, id)
        }
        for parent in [from, to] {
            if let parent { try note(parent, in: &db) }
        }
        if let from, let food = before?.foodID, let place = places[from] {
            pending[place].oldFoods.append(food)
        }
    }

    /// Notes a meal whose items may have changed.
    mutating func note(_ id: Identifier, in db: inout LogConnection) throws(LogError) {
        guard places[id] == nil else { return }
        // The meal may itself be part of this batch: then this is the state that its row shows.
        let meal = try Readable.load(Meal.self, id, in: &db)
        append(Pending(id: id, storedDay: meal?.localDate.day, meal: meal))
    }

    private mutating func append(_ entry: Pending) {
        if let last = pending.last, entry.id < last.id { isSorted = false }
        places[entry.id] = pending.count
        pending.append(entry)
    }

    mutating func flush(in db: inout LogConnection) throws(LogError) {
        if !isSorted { pending.sort { $0.id < $1.id } }
        // Many meals have no items: looking up the next meal with items finds them.
        var next: Identifier?
        for index in pending.indices {
            let id = pending[index].id
            if next.map({ $0 < id }) != false {
                next = try Self.nextWithItems(from: id, in: &db)
            }
            let items = next == id ? try Meals.items(of: id, in: &db) : []
            try update(pending[index], items: items, in: &db)
        }
        pending.removeAll(keepingCapacity: true)
        places.removeAll(keepingCapacity: true)
        isSorted = true
    }

    private mutating func update(
        _ entry: Pending, items: [MealItem], in db: inout LogConnection
    ) throws(LogError) {
        let (id, day) = (entry.id, entry.meal?.localDate.day)
        if !items.isEmpty || !entry.oldFoods.isEmpty {
            try FoodUses.update(
                id, from: entry.oldFoods, on: entry.storedDay,
                to: items.compactMap { $0.foodID }, on: day, in: &db)
        }
        if let stored = entry.storedDay, stored != day {
            try db.run("DELETE FROM meal WHERE day = ? AND id = ?", stored.number, id)
        }
        guard let meal = entry.meal, let day else { return }
        let totals = NutrientTotals(
            own: meal.nutrients, items: items.map { $0.nutrients },
            shareBasisPoints: meal.consumedShareBasisPoints)
        writer.reset()
        totals.encode(into: &writer)
        try db.run(
            """
            INSERT OR REPLACE INTO meal (day, id, slot, consumed, totals) VALUES (?, ?, ?, ?, ?)
            """, day.number, id, meal.type ?? "", meal.isConsumed, writer.bytes)
    }

    /// The first meal from an id on that has items; the greatest id where there is none.
    private static func nextWithItems(
        from meal: Identifier, in db: inout LogConnection
    ) throws(LogError) -> Identifier {
        try db.first("SELECT meal FROM meal_item WHERE meal >= ? ORDER BY meal LIMIT 1", meal) {
            $0.identifier(0)
        } ?? Identifier(high: .max, low: .max)
    }
}

/// Reading meals.
extension Store {
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
