import MacrologEvents
import MacrologWire
import MacrologLog
import MacrologNutrition
import MacrologReadModels
import MacrologSQLite

/// The meals that changed, and those whose items did, until their rows are brought up to date: once
/// for each, however many events changed it. A changed meal is computed again from itself and its
/// items alone; no other meal is read.
struct PendingMeals: ~Copyable {
    /// A meal to be brought up to date.
    private struct Pending {
        let id: Identifier
        /// The day of its stored row; `nil` when it has none.
        let storedDay: Day?
        /// Whether that row says that it was eaten.
        let wasConsumed: Bool
        /// The meal as it is now; `nil` when it is deleted.
        var meal: CountedMeal?
        /// The former foods of changed items.
        var oldFoods: [Identifier] = []
    }

    /// In the order in which they were noted.
    private var pending: [Pending] = []
    /// Whether `pending` is in the order of the ids, as it nearly always is: entities are folded in it.
    private var isSorted = true
    /// The place of each in `pending` while that is not sorted.
    private var places: [Identifier: Int] = [:]
    private var rows = MealRows()
    private var consumedDays = ConsumedDays()

    mutating func noteMeal(_ id: Identifier, from old: Readable?, to new: Readable) {
        let meal = new.countedMeal
        if let place = place(of: id) {
            pending[place].meal = meal
        } else {
            let stored = old?.countedMeal
            append(
                Pending(
                    id: id, storedDay: stored?.day, wasConsumed: stored?.isConsumed == true,
                    meal: meal))
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
        if let from, let food = before?.foodID, let place = place(of: from) {
            pending[place].oldFoods.append(food)
        }
    }

    /// Notes a meal whose items may have changed.
    mutating func note(_ id: Identifier, in db: inout LogConnection) throws(LogError) {
        guard place(of: id) == nil else { return }
        // The meal may itself be part of this batch: then this is the state that its row shows.
        let entity = EntityKey(Kind.meal.name, id)
        let meal = try EntityTable.state(of: entity, in: &db)
            .flatMap { Readable(entity, .meal, $0).countedMeal }
        append(
            Pending(
                id: id, storedDay: meal?.day, wasConsumed: meal?.isConsumed == true, meal: meal))
    }

    private func place(of id: Identifier) -> Int? {
        guard isSorted else { return places[id] }
        guard let last = pending.last, id <= last.id else { return nil }
        var (low, high) = (0, pending.count)
        while low < high {
            let middle = (low + high) / 2
            if pending[middle].id < id { low = middle + 1 } else { high = middle }
        }
        return pending[low].id == id ? low : nil
    }

    private mutating func append(_ entry: consuming Pending) {
        if isSorted, let last = pending.last, entry.id < last.id {
            isSorted = false
            for (place, known) in pending.enumerated() { places[known.id] = place }
        }
        if !isSorted { places[entry.id] = pending.count }
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
            try update(index, items: items, in: &db)
        }
        try rows.write(in: &db)
        try consumedDays.write(in: &db)
        pending.removeAll(keepingCapacity: true)
        places.removeAll(keepingCapacity: true)
        isSorted = true
    }

    /// Brings the rows of a pending meal up to date.
    private mutating func update(
        _ index: Int, items: [MealItem], in db: inout LogConnection
    ) throws(LogError) {
        let (id, storedDay) = (pending[index].id, pending[index].storedDay)
        let meal = pending[index].meal
        if !items.isEmpty || !pending[index].oldFoods.isEmpty {
            try FoodUses.update(
                id, from: pending[index].oldFoods, on: storedDay,
                to: items.compactMap { $0.foodID }, on: meal?.day, in: &db)
        }
        if let storedDay, storedDay != meal?.day {
            try db.run("DELETE FROM meal WHERE day = ? AND id = ?", storedDay.number, id)
        }
        try consumedDays.note(
            from: pending[index].wasConsumed ? storedDay : nil, to: meal?.consumedDay, in: &db)
        guard let meal else { return }
        let totals = meal.own.meal(
            of: items.isEmpty ? [] : items.map { $0.nutrients },
            shareBasisPoints: meal.consumedShareBasisPoints)
        rows.add(id, meal, totals, isNew: storedDay == nil)
        if rows.isFull { try rows.write(in: &db) }
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

/// Rows of `meal` until they are written.
private struct MealRows: ~Copyable {
    private var rows: [(day: Day, id: Identifier, slot: UTF8Text?, isConsumed: Bool, end: Int)] = []
    /// Their totals, encoded one after the other.
    private var totals = CBORWriter(capacity: 0)
    /// Whether no meal among them has a row.
    private var areNew = true

    /// Whether enough is collected: a transaction may change any number of meals.
    var isFull: Bool { rows.count == 512 }

    mutating func add(
        _ id: Identifier, _ meal: CountedMeal, _ totals: NutrientTotals, isNew: Bool
    ) {
        areNew = areNew && isNew
        totals.encode(into: &self.totals)
        rows.append((meal.day, id, meal.slot, meal.isConsumed, self.totals.count))
    }

    mutating func write(in db: inout LogConnection) throws(LogError) {
        do throws(LogError) {
            try insert(by: areNew ? Self.insertion : Self.replacement, in: &db)
        } catch {
            // A damaged file may have a row of a meal that it does not have.
            guard error.sqlite?.code == .constraint(.primaryKey) else { throw error }
            try insert(by: Self.replacement, in: &db)
        }
        rows.removeAll(keepingCapacity: true)
        totals.reset()
        areNew = true
    }

    private func insert(
        by insertion: Insertion, in db: inout LogConnection
    ) throws(LogError) {
        try totals.withBytes { bytes throws(LogError) in
            try db.insert(rows.indices, by: insertion) { row, binder in
                let start = row == 0 ? 0 : rows[row - 1].end
                rows[row].day.number.bind(to: &binder)
                rows[row].id.bind(to: &binder)
                (rows[row].slot ?? "").bind(to: &binder)
                rows[row].isConsumed.bind(to: &binder)
                binder.lentBytes(UnsafeRawBufferPointer(rebasing: bytes[start..<rows[row].end]))
            }
        }
    }

    private static let insertion = Insertion(
        "INSERT OR FAIL INTO meal (day, id, slot, consumed, totals)", columns: 5)
    private static let replacement = Insertion(
        "INSERT OR REPLACE INTO meal (day, id, slot, consumed, totals)", columns: 5)
}
