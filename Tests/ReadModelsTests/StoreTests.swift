import MacrologEvents
import MacrologWire
import MacrologLog
import MacrologNutrition
import MacrologNutritionModels
import MacrologReadModels
import MacrologSQLite
import Testing

/// Goal: what two devices record apart is one thing once both have synced, and what is folded from
/// the log can be folded again to the same bytes.
@Suite struct StoreTests {
    let day = Day(year: 2026, month: 11, day: 20) ?? .earliest
    let meal = Identifier(high: 0x0190_0000_0000_7000, low: 1)

    func lunch(_ extra: ValueMap = [:]) -> [CellOperation] {
        var fields: ValueMap = [
            "local_date": LocalDate(day: day).value, "consumed": true, "meal_type": "lunch",
            "dish_name": "Oats", "energy": 380_000, "protein": 13_000,
        ]
        for entry in extra.entries { fields[entry.name] = entry.value }
        return [.set(fields)]
    }

    @Test func `a recorded meal is in its day at once`() throws {
        let phone = try Device("a")
        try phone.record("meal.added", .meal, meal, lunch())
        let summary = try phone.store.summary(of: day, today: day)
        #expect(summary.totals[.energy] == 380_000)
        #expect(summary.slots.map(\.key) == ["lunch"])
        #expect(summary.totals.coverage(of: .fat).description == "0 of 1")
        #expect(phone.store.log.unsealedCount == 1)
    }

    @Test func `entities of several kinds may have one id, known or new`() throws {
        let phone = try Device("a")
        let change: [CellOperation] = [.set(["kind": "csv"])]
        try phone.record("import.started", .importBatch, meal, change)
        // Of the kind that sorts before it nothing is stored yet.
        let changes = ["a_kind", "import_batch", "z_kind"].map { kind in
            Change(EntityKey(UTF8Text(kind), meal), [.set(["kind": .text(UTF8Text(kind))])])
        }
        _ = try phone.store.record(
            [Draft("mixed", changes), Draft("mixed", changes)],
            at: ClockSample(wall: 1, monotonic: 1, boot: Identifier(high: 1, low: 1)))
        let state = try phone.store.state(of: EntityKey("import_batch", meal))
        #expect(state?["kind"] == "import_batch")
        #expect(try phone.store.wrongTables() == [])
    }

    @Test func `different fields edited apart both survive, the same field ends alike`() throws {
        var server = SyncServer()
        let (phone, laptop) = (try Device("a"), try Device("b"))
        try phone.record("meal.added", .meal, meal, lunch())
        try phone.sync(&server)
        try laptop.sync(&server)
        try phone.record("meal.edited", .meal, meal, [.set(["protein": 20_000, "fat": 1])])
        try laptop.record("meal.edited", .meal, meal, [.set(["carbs": 60_000, "fat": 2])])
        #expect(try phone.store.meal(meal)?.totals[.fat] == 1)
        #expect(try laptop.store.meal(meal)?.totals[.fat] == 2)
        try phone.sync(&server)
        try laptop.sync(&server)
        try phone.sync(&server)
        let totals = try phone.store.meal(meal)?.totals
        #expect(totals?[.protein] == 20_000)
        #expect(totals?[.carbs] == 60_000)
        #expect(totals?[.fat] == 2)
        #expect(try phone.store.stateHash() == laptop.store.stateHash())
        let conflicts = try phone.store.conflicts()
        #expect(conflicts.count == 1)
        #expect(conflicts.first?.conflicts.first?.cell == .field("fat"))
        #expect(try phone.store.meals(on: day...day).first?.hasConflict == true)
    }

    @Test func `read models of another version are dropped, made again and folded from the log`()
        throws
    {
        let phone = try Device("a", isOnDisk: true)
        try phone.record("meal.added", .meal, meal, lunch())
        let before = try phone.store.stateHash()
        try phone.store.db.run("DROP TABLE listed")
        try phone.store.db.run("DROP TABLE meal")
        try phone.store.db.run("CREATE TABLE meal (other INTEGER) STRICT")
        try phone.store.db.run("UPDATE maintenance SET read_models = zeroblob(32)")
        try phone.reopen()
        #expect(try phone.store.stateHash() == before)
        #expect(try phone.store.summary(of: day, today: day).totals[.energy] == 380_000)
    }

    @Test func `the history of an entity is every event that touched it, overwritten or not`()
        throws
    {
        var server = SyncServer()
        let (phone, laptop) = (try Device("a"), try Device("b"))
        try phone.record("meal.added", .meal, meal, lunch())
        try phone.sync(&server)
        try laptop.sync(&server)
        try laptop.record("meal.edited", .meal, meal, [.set(["protein": 1])])
        try phone.record("meal.edited", .meal, meal, [.set(["protein": 2, "fat": 3])])
        try phone.record("meal.edited", .meal, meal, lunch(["fat": 4]))
        try laptop.sync(&server)
        try phone.sync(&server)
        try phone.record("meal.edited", .meal, meal, lunch(["fat": 5]))
        try phone.record("meal.edited", .meal, meal, lunch(["fat": 6]))
        let history = try phone.store.history(of: EntityKey("meal", meal))
        #expect(history.map(\.event.dot.seq.rawValue) == [1, 1, 2, 3, 4, 5])
        #expect(history.map { $0.seal?.n.rawValue } == [1, 2, 3, 4, nil, nil])
        #expect(history.map(\.event.type.string).last == "meal.edited")
    }

    @Test func `an edit keeps alive what another device deletes`() throws {
        var server = SyncServer()
        let (phone, laptop) = (try Device("a"), try Device("b"))
        try phone.record("meal.added", .meal, meal, lunch())
        try phone.sync(&server)
        try laptop.sync(&server)
        try laptop.record("meal.deleted", .meal, meal, [.delete])
        try phone.record("meal.edited", .meal, meal, [.set(["protein": 20_000])])
        try laptop.sync(&server)
        try phone.sync(&server)
        try laptop.sync(&server)
        #expect(try laptop.store.meal(meal)?.totals[.protein] == 20_000)
        #expect(try laptop.store.conflicts().first?.conflicts.first?.cell == .life)
        try laptop.record("meal.deleted", .meal, meal, [.delete])
        #expect(try laptop.store.meal(meal) == nil)
        #expect(try laptop.store.summary(of: day, today: day).totals.parts == 0)
        try laptop.sync(&server)
        try phone.sync(&server)
        #expect(try phone.store.meal(meal) == nil)
        #expect(try phone.store.conflicts().isEmpty)
        #expect(try phone.store.stateHash() == laptop.store.stateHash())
    }

    @Test func `items count with their meal, follow it to another day, and hide with it`() throws {
        let phone = try Device("a")
        let item = Identifier(high: 0x0190_0000_0000_7000, low: 2)
        // The item comes first, as it may from a peer.
        try phone.record(
            "item.added", .mealItem, item,
            [.set(["meal_id": .bytes(meal.bytes), "name": "Milk", "energy": 120_000])])
        try phone.record("meal.added", .meal, meal, lunch())
        #expect(try phone.store.summary(of: day, today: day).totals[.energy] == 500_000)
        let next = Day(number: day.number + 1) ?? day
        try phone.record(
            "meal.moved", .meal, meal, [.set(["local_date": LocalDate(day: next).value])])
        #expect(try phone.store.summary(of: day, today: day).totals.parts == 0)
        #expect(try phone.store.summary(of: next, today: day).totals[.energy] == 500_000)
        try phone.record("item.edited", .mealItem, item, [.set(["energy": 1_000])])
        #expect(try phone.store.summary(of: next, today: day).totals[.energy] == 381_000)
        try phone.record("meal.deleted", .meal, meal, [.delete])
        #expect(try phone.store.summary(of: next, today: day).totals.parts == 0)
        try phone.record("meal.restored", .meal, meal, [.restore])
        #expect(try phone.store.summary(of: next, today: day).totals[.energy] == 381_000)
    }

    @Test func `what breaks a hard bound is quarantined and relayed, and counts as unknown`() throws
    {
        var server = SyncServer()
        let (phone, laptop) = (try Device("a"), try Device("b"))
        try phone.record("meal.added", .meal, meal, lunch(["energy": 99_000_000]))
        try phone.sync(&server)
        try laptop.sync(&server)
        #expect(try laptop.store.quarantine().map(\.field) == ["energy"])
        #expect(try laptop.store.summary(of: day, today: day).totals[.energy] == nil)
        #expect(try laptop.store.state(of: EntityKey("meal", meal))?["energy"] == 99_000_000)
        try laptop.record("meal.edited", .meal, meal, [.set(["energy": 400_000])])
        #expect(try laptop.store.quarantine().isEmpty)
    }

    @Test func `rebuilding gives the same bytes, with and without a server`() throws {
        var server = SyncServer()
        let (phone, laptop) = (try Device("a"), try Device("b"))
        for index in 0..<40 {
            let id = Identifier(high: 0x0190_0000_0000_7000, low: UInt64(100 + index))
            let device = index % 2 == 0 ? phone : laptop
            try device.record("meal.added", .meal, id, lunch(["energy": .int(Int64(index))]))
            if index % 7 == 0 { try device.sync(&server, eventsMax: 3) }
            if index % 5 == 0 { try device.record("meal.deleted", .meal, id, [.delete]) }
        }
        for device in [phone, laptop] {
            let before = try device.store.stateHash()
            try device.store.rebuild()
            #expect(try device.store.stateHash() == before)
        }
        try phone.sync(&server)
        try laptop.sync(&server)
        try phone.sync(&server)
        #expect(try phone.store.stateHash() == laptop.store.stateHash())
        #expect(phone.store.log.digest == laptop.store.log.digest)
    }

    @Test func `a refused page leaves no trace`() throws {
        var server = SyncServer()
        let (phone, laptop) = (try Device("a"), try Device("b"))
        try laptop.record("meal.added", .meal, meal, lunch())
        try laptop.sync(&server)
        let before = try phone.store.stateHash()
        let request = try phone.store.syncRequest(eventsMax: 500, admitted: 0, now: phone.reading)
        var answer = try server.exchange(request)
        answer.digest = .empty
        #expect(throws: LogError(.divergent(n: 1))) { try phone.store.apply(answer) }
        #expect(try phone.store.stateHash() == before)
        #expect(phone.store.log.cursor == 0)
        try phone.sync(&server)
        #expect(try phone.store.stateHash() == laptop.store.stateHash())
    }
}
