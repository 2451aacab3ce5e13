import MacrologEvents
import MacrologLog
import MacrologNutrition
import MacrologSQLite

/// Keeps each meal's row in its day up to date with meals and their items. A changed meal is
/// computed again from itself and its items alone; no other meal is read.
struct MealTable {
    /// A meal to be brought up to date.
    private struct Dirty {
        /// The day of its stored row; `nil` when it has none.
        var storedDay: Day?
        /// The meal as it is now, and its day.
        var meal: Meal? { didSet { day = meal?.localDate.day } }
        private(set) var day: Day?
        /// The former foods of changed items.
        var oldFoods: [Identifier] = []

        init(storedDay: Day?, meal: Meal? = nil) {
            self.storedDay = storedDay
            self.meal = meal
            day = meal?.localDate.day
        }
    }

    private var dirty: [Identifier: Dirty] = [:]
    private var writer = CBORWriter()

    mutating func noteMeal(_ id: Identifier, from old: Readable?, to new: Readable) {
        dirty[id, default: Dirty(storedDay: old?.entity(Meal.self)?.localDate.day)].meal =
            new.entity(Meal.self)
    }

    mutating func noteItem(
        _ id: Identifier, from old: Readable?, to new: Readable, in db: inout Connection
    ) throws {
        let before = old?.entity(MealItem.self)?.mealID
        let after = new.entity(MealItem.self)?.mealID
        if let before, before != after {
            try db.run("DELETE FROM meal_item WHERE meal = ? AND id = ?", before, id)
        }
        if let after, before != after {
            try db.run("INSERT OR IGNORE INTO meal_item (meal, id) VALUES (?, ?)", after, id)
        }
        for parent in [before, after] {
            if let parent { try note(parent, in: &db) }
        }
        if let before, let food = old?.entity(MealItem.self)?.foodID {
            dirty[before]?.oldFoods.append(food)
        }
    }

    /// Notes a meal whose items may have changed.
    mutating func note(_ id: Identifier, in db: inout Connection) throws {
        guard dirty[id] == nil else { return }
        // The meal may itself be part of this batch: then this is the state that its row shows.
        let meal = try Readable.load(Meal.self, id, in: &db)
        dirty[id] = Dirty(storedDay: meal?.localDate.day, meal: meal)
    }

    mutating func flush(in db: inout Connection) throws {
        if dirty.count == 1, let (id, entry) = dirty.first {
            try update(id, entry, items: try Self.items(of: id, in: &db), in: &db)
        } else {
            // Many meals have no items: looking up the next meal with items finds them.
            var next: Identifier?
            for (id, entry) in dirty.sorted(by: { $0.key < $1.key }) {
                if next.map({ $0 < id }) != false {
                    next = try Self.nextWithItems(from: id, in: &db)
                }
                let items = next == id ? try Self.items(of: id, in: &db) : []
                try update(id, entry, items: items, in: &db)
            }
        }
        dirty.removeAll(keepingCapacity: true)
    }

    private mutating func update(
        _ id: Identifier, _ entry: Dirty, items: [MealItem], in db: inout Connection
    ) throws {
        let day = entry.day
        try FoodUseTable.update(
            id, from: entry.oldFoods, on: entry.storedDay, to: items.compactMap(\.foodID), on: day,
            in: &db)
        if let stored = entry.storedDay, stored != day {
            try db.run("DELETE FROM meal WHERE day = ? AND id = ?", stored.number, id)
        }
        guard let meal = entry.meal, let day else { return }
        let totals = NutrientTotals(
            own: meal.nutrients, items: items.map(\.nutrients),
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
        from meal: Identifier, in db: inout Connection
    ) throws -> Identifier {
        try db.first("SELECT meal FROM meal_item WHERE meal >= ? ORDER BY meal LIMIT 1", meal) {
            $0.identifier(0)
        } ?? Identifier(high: .max, low: .max)
    }

    /// The items of a meal that are not deleted, in their order.
    static func items(of meal: Identifier, in db: inout Connection) throws -> [MealItem] {
        let ids = try db.all("SELECT id FROM meal_item WHERE meal = ? ORDER BY id", meal) {
            $0.identifier(0)
        }
        guard !ids.isEmpty else { return [] }
        let items = try ids.compactMap { try Readable.load(MealItem.self, $0, in: &db) }
        return items.sorted {
            let (left, right) = (Text($0.position ?? ""), Text($1.position ?? ""))
            return left == right ? $0.id < $1.id : left < right
        }
    }
}
