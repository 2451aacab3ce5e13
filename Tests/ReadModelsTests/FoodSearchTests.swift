import MacrologEvents
import MacrologLog
import MacrologNutrition
import MacrologNutritionModels
import MacrologReadModels
import MacrologSQLite
import Testing

/// Goal: a person finds the food they mean while they type, on every device in the same order.
/// Method: small tables of foods on real stores, asked as people ask, and folded again.
@Suite struct FoodSearchTests {
    let today = Day(year: 2026, month: 11, day: 20) ?? .earliest

    private func id(_ low: UInt64) -> Identifier {
        Identifier(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0000 | low)
    }

    private func add(
        _ names: [String], to device: Device, from first: UInt64 = 1
    ) throws {
        for (index, name) in names.enumerated() {
            let food = Food(id: id(first + UInt64(index)), name: name)
            try device.record("food.added", .food, food.id, [.set(food.fields)])
        }
    }

    private func found(_ typed: String, on device: Device) throws -> [String] {
        try device.store.foods(matching: typed, limit: 20, today: today).map(\.name)
    }

    @Test(
        arguments: [
            ("brocoli", ["Broccoli, raw"]), ("brocc", ["Broccoli, raw"]),
            ("creme brul", ["Crème brûlée"]), ("CRÈME", ["Crème brûlée"]),
            ("oat", ["Oats", "Oat drink"]),
            ("drink oat", ["Oat drink"]), ("avcoado", ["Avocado"]), ("zucchini", []), ("...", nil),
            ("goat", ["Goat cheese"]), ("\"oat\" OR *", []),
        ] as [(String, [String]?)])
    func `words, their beginnings and slips of the keyboard find foods`(
        typed: String, names: [String]?
    ) throws {
        let phone = try Device("a")
        let all = [
            "Broccoli, raw", "Crème brûlée", "Oats", "Oat drink", "Avocado", "Goat cheese",
        ]
        try add(all, to: phone)
        #expect(try Set(found(typed, on: phone)) == Set(names ?? all))
    }

    @Test func `a favourite goes first, then what is logged often and lately`() throws {
        let phone = try Device("a")
        try add(["Apple", "Apple juice", "Apple pie"], to: phone)
        #expect(try found("apple", on: phone).first == "Apple")
        for number in 0..<12 as Range<UInt64> {
            try log(id(3), number, on: phone)
        }
        #expect(try found("app", on: phone) == ["Apple pie", "Apple", "Apple juice"])
        try phone.record("food.edited", .food, id(2), [.set(["favourite": true])])
        #expect(try found("app", on: phone).first == "Apple juice")
        try phone.record("food.edited", .food, id(2), [.set(["archived": true])])
        #expect(try found("app", on: phone).last == "Apple juice")
    }

    @Test func `a meal that is moved, deleted or says another food is counted where it is`() throws
    {
        let phone = try Device("a")
        try add(["Apple", "Pear"], to: phone)
        try log(id(1), 0, on: phone)
        #expect(try uses(phone) == ["Apple \(today.number)"])
        try phone.record(
            "meal.moved", .meal, id(1_000),
            [.set(["local_date": LocalDate(day: today.advanced(by: -3)).value])])
        #expect(try uses(phone) == ["Apple \(today.number - 3)"])
        try phone.record(
            "item.edited", .mealItem, id(2_000), [.set(["food_id": .bytes(id(2).bytes)])])
        #expect(try uses(phone) == ["Pear \(today.number - 3)"])
        try phone.record("meal.deleted", .meal, id(1_000), [.delete])
        #expect(try uses(phone) == [])
        try phone.record("meal.restored", .meal, id(1_000), [.restore])
        #expect(try uses(phone) == ["Pear \(today.number - 3)"])
        try phone.record("item.deleted", .mealItem, id(2_000), [.delete])
        #expect(try uses(phone) == [])
        let hash = try phone.store.stateHash()
        try phone.store.rebuild()
        #expect(try phone.store.stateHash() == hash)
    }

    @Test func `recent foods: of a meal of the day, the latest first, then the more frequent`()
        throws
    {
        let phone = try Device("a")
        try add(["Apple", "Bread", "Cheese", "Soup", "Old", "Plan"], to: phone)
        try log(id(1), 1, daysAgo: 1, slot: "breakfast", on: phone)
        for number in 2...3 as ClosedRange<UInt64> {
            try log(id(2), number, daysAgo: 1, slot: "breakfast", on: phone)
        }
        for number in 4...6 as ClosedRange<UInt64> {
            try log(id(3), number, daysAgo: 2, slot: "breakfast", on: phone)
        }
        try log(id(4), 7, slot: "dinner", on: phone)
        try log(id(5), 8, slot: "breakfast", on: phone)
        try phone.record("food.edited", .food, id(5), [.set(["archived": true])])
        try log(id(6), 9, slot: "breakfast", consumed: false, on: phone)
        func recent(_ slot: UTF8Text?, _ limit: Int = 9) throws -> [String] {
            try phone.store.recentFoods(in: slot, limit: limit).map(\.name)
        }
        #expect(try recent("breakfast") == ["Bread", "Apple", "Cheese"])
        #expect(try recent("dinner") == ["Soup"])
        #expect(try recent("snack") == [])
        #expect(try recent(nil) == ["Soup", "Bread", "Apple", "Cheese"])
        #expect(try recent(nil, 1) == ["Soup"])
    }

    @Test func `the digits under bars find their food, short or long`() throws {
        let phone = try Device("a")
        for (number, digits) in [(1, "4006381333931"), (2, "042100005264")] as [(UInt64, String)] {
            var food = Food(id: id(number), name: "Food \(number)")
            food.gtin = try #require(Barcode(digits)).gtin.string
            try phone.record("food.added", .food, food.id, [.set(food.fields)])
        }
        #expect(try found("4006381333931", on: phone) == ["Food 1"])
        #expect(try found("0 4006381 333931", on: phone) == ["Food 1"])
        #expect(try found("04252614", on: phone) == ["Food 2"], "UPC-E")
        #expect(try found("4006381333932", on: phone) == [])
    }

    @Test func `what was renamed or deleted is found no more, and folding again changes no answer`()
        throws
    {
        let (phone, laptop) = (try Device("a"), try Device("b"))
        var server = SyncServer()
        let names = ["Apple", "Apple", "Banana bread", "Bread", "Brown bread", "Broccoli"]
        try add(Array(names.prefix(3)), to: phone)
        try add(["Brocoli"], to: phone, from: 7)
        try add(Array(names.suffix(3)), to: laptop, from: 4)
        try phone.sync(&server)
        try laptop.sync(&server)
        try phone.sync(&server)
        try phone.record("food.edited", .food, id(4), [.set(["name": "Toast"])])
        try phone.record("food.edited", .food, id(7), [.set(["name": "Cauliflower"])])
        try phone.record("food.deleted", .food, id(5), [.delete])
        try phone.sync(&server)
        try laptop.sync(&server)
        let asked = ["bread", "bred", "toast", "br", "apple", "brwon", "", "brocoli"]
        let answers = try asked.map { try found($0, on: phone) }
        #expect(answers[0] == ["Banana bread"])
        #expect(answers[2] == ["Toast"])
        #expect(answers[7] == ["Broccoli"], "the misspelt name is known no more")
        #expect(try asked.map { try found($0, on: laptop) } == answers)
        #expect(try phone.store.stateHash() == laptop.store.stateHash())
        try phone.store.rebuild()
        #expect(try asked.map { try found($0, on: phone) } == answers)
        #expect(try phone.store.stateHash() == laptop.store.stateHash())
    }

    private func log(
        _ food: Identifier, _ number: UInt64, daysAgo: Int = 0, slot: UTF8Text = "lunch",
        consumed: Bool = true, on device: Device
    ) throws {
        let meal = id(1_000 + number)
        let date = LocalDate(day: today.advanced(by: -daysAgo))
        try device.record(
            "meal.added", .meal, meal,
            [
                .set([
                    "local_date": date.value, "consumed": .bool(consumed), "meal_type": .text(slot),
                ])
            ])
        try device.record(
            "item.added", .mealItem, id(2_000 + number),
            [
                .set([
                    "meal_id": .bytes(meal.bytes), "food_id": .bytes(food.bytes), "name": "Food",
                ])
            ])
    }

    private func uses(_ device: Device) throws -> [String] {
        try device.store.db.all(
            "SELECT food, day FROM food_use ORDER BY food, day"
        ) { row in
            "\(row.identifier(0) == id(1) ? "Apple" : "Pear") \(row.int(1))"
        }
    }
}
