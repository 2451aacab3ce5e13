import Events
import Log
import Nutrition
import SQLite

/// Keeps the shares of meals, and the sums of their days, in step with meals and their items.
///
/// A day's sums are whole numbers, so a meal that changes is taken out as it was and put in as it
/// is: no other meal of the day is read.
struct MealTable {
    /// A meal to be brought up to date.
    private struct Dirty {
        /// The day its row stands under; `nil` when it has none.
        var storedDay: Day?
        /// The meal as it is now; `nil` to be read when its turn comes.
        var meal: Readable?
    }

    private var dirty: [Identifier: Dirty] = [:]
    private var writer = CBORWriter()

    mutating func noteMeal(_ id: Identifier, from old: Readable?, to new: Readable) {
        if dirty[id] == nil {
            dirty[id] = Dirty(storedDay: old?.entity(Meal.self)?.localDate.day)
        }
        dirty[id]?.meal = new
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
            try db.run("INSERT INTO meal_item (meal, id) VALUES (?, ?)", after, id)
        }
        for meal in [before, after] {
            if let meal, dirty[meal] == nil { try noteParent(meal, in: &db) }
        }
    }

    /// The meal itself may still be waiting in this batch; then its row stands where it stands now.
    private mutating func noteParent(_ id: Identifier, in db: inout Connection) throws {
        let meal = try Self.readable(Kind.meal, id, in: &db)
        dirty[id] = Dirty(storedDay: meal?.entity(Meal.self)?.localDate.day, meal: meal)
    }

    mutating func flush(in db: inout Connection) throws {
        var days: [Day: DayShare] = [:]
        for (id, entry) in dirty.sorted(by: { $0.key < $1.key }) {
            try update(id, entry, &days, in: &db)
        }
        dirty.removeAll(keepingCapacity: true)
        for (day, share) in days.sorted(by: { $0.key < $1.key }) {
            try store(share, of: day, in: &db)
        }
    }

    private mutating func update(
        _ id: Identifier, _ entry: Dirty, _ days: inout [Day: DayShare], in db: inout Connection
    ) throws {
        let old = try entry.storedDay.flatMap { day in
            try Self.share(ofMeal: id, on: day, in: &db).map { (day: day, share: $0) }
        }
        let new: (day: Day, share: SlotShare)? = try entry.meal?.entity(Meal.self).map { meal in
            (meal.localDate.day, try Self.share(of: meal, in: &db))
        }
        if let old, let new, old == new { return }
        if let old {
            try Self.load(old.day, into: &days, in: &db)
            days[old.day]?.add(old.share, sign: -1)
            if old.day != new?.day {
                try db.run("DELETE FROM meal WHERE day = ? AND id = ?", old.day.number, id)
            }
        }
        if let new {
            try Self.load(new.day, into: &days, in: &db)
            days[new.day]?.add(new.share, sign: 1)
            writer.reset()
            new.share.encode(into: &writer)
            try db.run(
                "INSERT OR REPLACE INTO meal (day, id, share) VALUES (?, ?, ?)", new.day.number, id,
                writer.bytes)
        }
    }

    private static func load(
        _ day: Day, into days: inout [Day: DayShare], in db: inout Connection
    ) throws {
        if days[day] == nil { days[day] = try share(on: day, in: &db) }
    }

    private mutating func store(
        _ share: DayShare, of day: Day, in db: inout Connection
    ) throws {
        guard !share.slots.isEmpty else {
            return try db.run("DELETE FROM day_summary WHERE day = ?", day.number)
        }
        writer.reset()
        share.encode(into: &writer)
        try db.run(
            "INSERT OR REPLACE INTO day_summary (day, share) VALUES (?, ?)", day.number,
            writer.bytes)
    }
}

extension MealTable {
    /// What a meal contributes: its own nutrients, where it was logged as one thing, and its items'.
    static func share(of meal: Meal, in db: inout Connection) throws -> SlotShare {
        var share = SlotShare(slot: meal.type ?? "")
        guard meal.isConsumed else {
            share.planned = 1
            return share
        }
        share.meals = 1
        let items = try items(of: meal.id, in: &db)
        var parts = items.map(\.nutrients)
        let own = meal.nutrients
        if items.isEmpty || !own.isEmpty { parts.append(own) }
        let eaten = meal.consumedShareBasisPoints
        for part in parts {
            share.add(eaten == 10_000 ? part : part.scaled(part: eaten, whole: 10_000))
        }
        return share
    }

    /// The items of a meal that are not deleted, in their order.
    static func items(of meal: Identifier, in db: inout Connection) throws -> [MealItem] {
        let ids = try db.all("SELECT id FROM meal_item WHERE meal = ? ORDER BY id", meal) {
            $0.identifier(0)
        }
        let items = try ids.compactMap { id in
            try readable(Kind.mealItem, id, in: &db)?.entity(MealItem.self)
        }
        return items.sorted {
            let (left, right) = (Text($0.position ?? ""), Text($1.position ?? ""))
            return left == right ? $0.id < $1.id : left < right
        }
    }

    static func readable(
        _ kind: Kind, _ id: Identifier, in db: inout Connection
    ) throws -> Readable? {
        let entity = EntityKey(kind.name, id)
        return try EntityTable.state(of: entity, in: &db).map { try Readable(entity, kind, $0) }
    }

    private static func share(
        ofMeal id: Identifier, on day: Day, in db: inout Connection
    ) throws -> SlotShare? {
        try db.first("SELECT share FROM meal WHERE day = ? AND id = ?", day.number, id) { row in
            try row.withBytes(0) { bytes in
                try CBORReader.read(bytes) { reader throws(CBORError) in
                    try SlotShare.read(&reader)
                }
            }
        }
    }

    static func share(on day: Day, in db: inout Connection) throws -> DayShare {
        try db.first("SELECT share FROM day_summary WHERE day = ?", day.number) { row in
            try row.withBytes(0) { bytes in
                try CBORReader.read(bytes) { reader throws(CBORError) in
                    try DayShare.read(&reader)
                }
            }
        } ?? DayShare()
    }
}
