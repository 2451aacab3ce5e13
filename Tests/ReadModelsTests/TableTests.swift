import MacrologEvents
import MacrologLog
import MacrologNutrition
import MacrologNutritionModels
import MacrologReadModels
import MacrologSQLite
import Testing

/// Goal: what is derived from a table's declaration is derived for each table: it is hashed,
/// verified, folded again, and lists the short ids of its kind.
/// Method: a store with a row in each table loses the rows of one after the other.
@Suite struct TableTests {
    let day = Day(year: 2026, month: 11, day: 20) ?? .earliest

    /// Every table that one device fills, and how a test empties it.
    static let tables: [(name: String, delete: StaticString)] = [
        ("analysis", "DELETE FROM analysis"),
        ("by_day", "DELETE FROM by_day"), ("consumed_day", "DELETE FROM consumed_day"),
        ("day_log", "DELETE FROM day_log"),
        ("entity", "DELETE FROM entity"),
        ("food", "DELETE FROM food"), ("food_portion", "DELETE FROM food_portion"),
        ("food_use", "DELETE FROM food_use"), ("goal_plan", "DELETE FROM goal_plan"),
        ("listed", "DELETE FROM listed"), ("meal", "DELETE FROM meal"),
        ("meal_item", "DELETE FROM meal_item"), ("meal_template", "DELETE FROM meal_template"),
        ("photo", "DELETE FROM photo"), ("quarantine", "DELETE FROM quarantine"),
        ("recipe", "DELETE FROM recipe"), ("recipe_item", "DELETE FROM recipe_item"),
        ("touch", "DELETE FROM touch"), ("weigh_in", "DELETE FROM weigh_in"),
    ]

    private func id(_ low: UInt64) -> Identifier {
        Identifier(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0000 | low)
    }

    /// A device with at least one row in each of them.
    private func device() throws -> Device {
        let phone = try Device("a")
        let date = LocalDate(day: day).value
        func add(_ kind: Kind, _ id: Identifier, _ fields: ValueMap) throws {
            try phone.record("added", kind, id, [.set(fields)])
        }
        let photo: Value = .bytes([UInt8](repeating: 7, count: 32))
        try phone.record(
            "meal.added", .meal, id(1),
            [
                .set(["local_date": date, "consumed": true, "meal_type": "lunch"]),
                .add(field: "photo_sha256s", element: photo),
            ])
        try add(.food, id(2), ["name": "Rolled oats", "brand": "Mill"])
        try add(
            .mealItem, id(3),
            [
                "meal_id": .bytes(id(1).bytes), "food_id": .bytes(id(2).bytes), "name": "Oats",
                "energy": 100_000,
            ])
        try add(
            .foodPortion, id(4),
            ["food_id": .bytes(id(2).bytes), "label": "cup", "grams_mg": 240_000])
        try add(.recipe, id(5), ["name": "Porridge"])
        try add(.recipeItem, id(6), ["recipe_id": .bytes(id(5).bytes), "name": "Oats"])
        try add(.mealTemplate, id(7), ["name": "Breakfast"])
        try add(.weighIn, id(8), ["local_date": date, "weight_g": 80_000])
        try add(.goalPlan, id(9), ["start_date": .int(day.number)])
        try add(.dayLog, Identities.dayLog(on: day), ["date": .int(day.number)])
        try phone.record(
            "water.added", .water, id(10),
            [.set(Water(id: id(10), on: LocalDate(day: day), microliters: 250_000).fields)])
        let reminder = Reminder(id: id(11), of: .water, atMinute: 600)
        try phone.record("reminder.added", .reminder, id(11), [.set(reminder.fields)])
        try add(
            .analysis, id(12),
            ["status": "wanted", "meal_id": .bytes(id(1).bytes), "words": "oats"])
        // An edit that is overwritten leaves a touch; a value beyond its bound is quarantined.
        for grams in [80_100, 80_200] as [Int64] {
            try phone.record("weight.edited", .weighIn, id(8), [.set(["weight_g": .int(grams)])])
        }
        try phone.record("food.edited", .food, id(2), [.set(["energy": -1])])
        return phone
    }

    /// The names of a file's tables, without those of the full-text index.
    private func names(of db: inout LogConnection) throws -> Set<String> {
        Set(
            try db.all(
                """
                SELECT name FROM sqlite_schema
                WHERE type = 'table' AND name NOT LIKE 'food_text%' AND name <> 'food_word'
                """
            ) { $0.text(0) })
    }

    @Test func `no table is missing here, and each has rows to lose`() throws {
        let phone = try device()
        var log = try LogConnection.inMemory()
        try log.migrate(EventLog.migrations)
        let derived: Set = ["entity", "touch"]
        let logs = try names(of: &log).subtracting(derived)
        // A new read model belongs into the list above.
        #expect(
            try names(of: &phone.store.db).subtracting(logs) == Set(Self.tables.map(\.name)))
        let before = try phone.store.stateHash()
        for table in Self.tables {
            let rows = try phone.store.db.transaction { db in
                try db.run(table.delete)
                return try db.first("SELECT changes()") { $0.int(0) }
            }
            #expect(rows ?? 0 > 0, "\(table.name)")
        }
        #expect(try phone.store.stateHash() != before)
        try phone.store.rebuild()
        #expect(try phone.store.stateHash() == before)
    }

    @Test(arguments: Self.tables.indices)
    func `a table that lost its rows is named, and verification brings them back`(
        _ index: Int
    ) throws {
        let table = Self.tables[index]
        let phone = try device()
        let before = try phone.store.stateHash()
        #expect(try phone.store.wrongTables().isEmpty)
        try phone.store.db.run(table.delete)
        #expect(try phone.store.wrongTables() == [table.name])
        let found = try phone.look(next: Identifier(high: 0xA, low: 0x1000))
        #expect(found.isSound && found.refolded > 0)
        #expect(try phone.store.stateHash() == before)
    }

    @Test func `a lost list of conflicts is named, and verification brings it back`() throws {
        let (phone, laptop) = (try Device("a"), try Device("b"))
        var server = SyncServer()
        try phone.record("food.added", .food, id(2), [.set(["name": "Oats"])])
        for device in [phone, laptop] { try device.sync(&server) }
        try phone.record("food.edited", .food, id(2), [.set(["name": "Rolled oats"])])
        try laptop.record("food.edited", .food, id(2), [.set(["name": "Steel-cut oats"])])
        for device in [phone, laptop, phone] { try device.sync(&server) }
        let before = try phone.store.stateHash()
        #expect(try phone.store.conflicts().count == 1)
        try phone.store.db.run("DELETE FROM conflict")
        #expect(try phone.store.wrongTables() == ["conflict"])
        let found = try phone.look(next: Identifier(high: 0xA, low: 0x1000))
        #expect(found.isSound && found.refolded > 0)
        #expect(try phone.store.stateHash() == before)
        #expect(try phone.store.conflicts().count == 1)
    }

    @Test func `a food is found by the words that it has now, and by no others`() throws {
        let phone = try device()
        func found(_ text: String) throws -> Int {
            try phone.store.foods(matching: text, limit: 5, today: day, forgiving: false).count
        }
        #expect(try found("rolled") == 1)
        try phone.record("food.edited", .food, id(2), [.set(["name": "Steel-cut oats"])])
        #expect(try found("rolled") == 0 && found("steel") == 1 && found("mill") == 1)
        try phone.record("food.deleted", .food, id(2), [.delete])
        #expect(try found("steel") == 0 && found("mill") == 0)
        try phone.record("food.restored", .food, id(2), [.restore])
        #expect(try found("steel") == 1)
    }

    private func listed(
        _ kind: Kind, in store: inout Store, includingDeleted: Bool = false
    ) throws -> [Identifier] {
        var ids: [Identifier] = []
        try store.forEachID(of: kind, includingDeleted: includingDeleted) { id, _ in
            ids.append(id)
            return true
        }
        return ids
    }

    @Test func `only entities that are not deleted are listed`() throws {
        let phone = try device()
        for kind in [
            Kind.meal, .mealItem, .food, .foodPortion, .recipe, .recipeItem, .mealTemplate,
            .goalPlan, .dayLog, .water, .reminder,
        ] {
            let ids = try listed(kind, in: &phone.store)
            #expect(ids.count == 1, "\(kind)")
            guard let id = ids.first else { continue }
            try phone.record("deleted", kind, id, [.delete])
            #expect(try listed(kind, in: &phone.store).isEmpty, "\(kind)")
            #expect(
                try listed(kind, in: &phone.store, includingDeleted: true) == [id], "\(kind)")
        }
    }
}
