import Macrolog
import MacrologEvents
import MacrologNutrition
import MacrologTestSupport
import Testing

/// Goal: what is undone on an entity whose addition was undone, and which is there again, gets back what it had.
/// Method: real replicas; stories by seed, compared with a list of what was there before each action.
@Suite struct UndoRestoredTests {
    private let day = Day(year: 2024, month: 3, day: 10) ?? .earliest

    private func soup(_ replica: Replica) -> Meal {
        Meal(
            id: replica.newID(), on: LocalDate(day: day), dishName: "Soup",
            nutrients: Nutrients(energy: 400_000))
    }

    private func energy(_ replica: Replica, _ meal: Meal) throws -> Int64? {
        try replica.meal(meal.id)?.meal[.energy]
    }

    private func edit(_ replica: Replica, _ meal: Meal, _ energy: Int64) throws {
        var changed = try replica.require(Meal.self, meal.id)
        changed[.energy] = energy
        try replica.save(changed)
    }

    @Test func `a restored meal gets back what it had before an edit`() throws {
        let replica = try TwoDevices().phone
        let meal = soup(replica)
        try replica.add(meal)
        try replica.undo()
        try replica.write { try $0.restore(Meal.self, meal.id) }
        try edit(replica, meal, 300_000)
        try replica.undo()
        #expect(try energy(replica, meal) == 400_000)
        try replica.undo()
        #expect(try replica.meal(meal.id) == nil, "the restoration is undone by a deletion")
        #expect(throws: HistoryError(.nothingToUndo)) { try replica.undo() }
        try replica.redo()
        #expect(try energy(replica, meal) == 400_000)
        try replica.redo()
        #expect(try energy(replica, meal) == 300_000)
    }

    @Test func `a meal that an edit elsewhere kept gets back what it had before the next edit`()
        throws
    {
        let devices = try TwoDevices()
        let (phone, laptop) = (devices.phone, devices.laptop)
        let meal = soup(phone)
        try phone.add(meal)
        try devices.sync(phone, laptop)
        var noted = try laptop.require(Meal.self, meal.id)
        noted.note = "with bread"
        try laptop.save(noted)
        try phone.undo()
        try devices.sync(phone, laptop)
        #expect(try energy(laptop, meal) == 400_000)
        try edit(laptop, meal, 350_000)
        try laptop.undo()
        #expect(try energy(laptop, meal) == 400_000)
        try laptop.undo()
        #expect(try laptop.meal(meal.id) == nil, "without the note there was only the deletion")
        try devices.sync(phone, laptop)
        #expect(try phone.meal(meal.id) == nil)
    }

    @Test func `a measure and a setting that were added twice get back their first values`() throws
    {
        let replica = try TwoDevices().phone
        let bread = Food(
            id: replica.newID(), name: "Bread", nutrients: Nutrients(energy: 250_000))
        try replica.add(bread)
        func slice(_ milligrams: Int64) -> FoodPortion {
            FoodPortion(of: bread.id, label: "slice", milligrams: milligrams)
        }
        try replica.put(slice(30_000))
        try replica.undo()
        try replica.put(slice(30_000))
        try replica.put(slice(28_000))
        try replica.undo()
        #expect(
            try replica.entity(FoodPortion.self, slice(0).id)?.milligrams == 30_000)
        func set(_ unit: WeightUnit) throws {
            var preferences = try replica.preferences()
            preferences.weightUnit = unit
            try replica.save(preferences)
        }
        try set(.pounds)
        try replica.undo()
        try set(.pounds)
        try set(.stones)
        try replica.undo()
        #expect(try replica.preferences().weightUnit == .pounds)
    }

    @Test func `a measure that came back with another mass gets back its first one`() throws {
        let replica = try TwoDevices().phone
        let bread = Food(id: replica.newID(), name: "Bread")
        try replica.add(bread)
        let slice = FoodPortion(of: bread.id, label: "slice", milligrams: 30_000)
        try replica.put(slice)
        try replica.delete(FoodPortion.self, slice.id)
        var thin = slice
        thin.milligrams = 20_000
        try replica.put(thin)
        try replica.undo()
        #expect(try replica.entity(FoodPortion.self, slice.id) == nil)
        try replica.undo()
        #expect(try replica.entity(FoodPortion.self, slice.id)?.milligrams == 30_000)
    }

    @Test func `an edit is undone of a meal whose addition was undone in part`() throws {
        let devices = try TwoDevices()
        let (phone, laptop) = (devices.phone, devices.laptop)
        let meal = soup(phone)
        let bread = MealItem(id: phone.newID(), of: meal.id, name: "Bread")
        try phone.add(meal, items: [bread])
        try devices.sync(phone, laptop)
        var noted = try laptop.require(Meal.self, meal.id)
        noted.note = "warm"
        try laptop.save(noted)
        try devices.sync(phone, laptop)
        try phone.undo()
        #expect(try phone.meal(meal.id)?.items.count == 0)
        var renamed = try phone.require(Meal.self, meal.id)
        renamed.dishName = "Stew"
        try phone.save(renamed)
        try phone.undo()
        #expect(try phone.meal(meal.id)?.meal.dishName == "Soup")
        try laptop.undo()
        #expect(try laptop.meal(meal.id)?.meal.note == nil)
        #expect(try laptop.meal(meal.id)?.meal.dishName == "Soup")
    }

    @Test func `what was changed since keeps a meal that came back, and undo says so`() throws {
        let replica = try TwoDevices().phone
        let meal = soup(replica)
        try replica.add(meal)
        try replica.delete(Meal.self, meal.id)
        let back = try replica.write { diary in
            try diary.restore(Meal.self, meal.id)
            return try diary.latestEvents(1)[0].event.dot
        }
        try edit(replica, meal, 300_000)
        #expect(throws: HistoryError(.supersededByLaterEdits)) { try replica.undo(back) }
        #expect(try energy(replica, meal) == 300_000)
    }

    /// What a person sees of the measure; its mass also while it is deleted.
    private struct Seen: Equatable {
        var isThere = false
        var mass: Int64 = 0
    }

    @Test(arguments: Dice.seeds(40))
    func `each undo gives what was there before, and each redo what was there after`(seed: UInt64)
        throws
    {
        var dice = Dice(seed: seed)
        let replica = try TwoDevices().phone
        let bread = Food(id: replica.newID(), name: "Bread")
        try replica.add(bread)
        var slice = FoodPortion(of: bread.id, label: "slice", milligrams: 30_000)
        var now = Seen()
        var (before, after): ([Seen], [Seen]) = ([], [])
        var story: [String] = []
        func act(_ what: String, _ next: Seen, _ body: () throws -> Void) throws {
            story.append(what)
            try body()
            before.append(now)
            after = []
            now = next
        }
        try act("add", Seen(isThere: true, mass: 30_000)) { try replica.put(slice) }
        for _ in 0..<40 {
            switch dice.below(6) {
            case 0:
                slice.milligrams = dice.roll(1...900)
                // With the mass that it has it comes back by a restoration alone.
                guard !now.isThere || slice.milligrams != now.mass else { continue }
                try act("put \(slice.milligrams)", Seen(isThere: true, mass: slice.milligrams)) {
                    try replica.put(slice)
                }
            case 1 where now.isThere:
                try act("delete", Seen(isThere: false, mass: now.mass)) {
                    try replica.delete(FoodPortion.self, slice.id)
                }
            case 2 where !now.isThere:
                try act("restore", Seen(isThere: true, mass: now.mass)) {
                    try replica.write { try $0.restore(FoodPortion.self, slice.id) }
                }
            case 3, 4:
                guard before.count > 0 else { continue }
                story.append("undo")
                try replica.undo()
                after.append(now)
                let last = before.removeLast()
                // The addition is undone by a deletion, which keeps the mass.
                now = last.mass == 0 ? Seen(isThere: false, mass: now.mass) : last
            case 5:
                guard let next = after.popLast() else { continue }
                story.append("redo")
                try replica.redo()
                before.append(now)
                now = next
            default: continue
            }
            let shown = try replica.entity(FoodPortion.self, slice.id)?.milligrams
            guard shown == (now.isThere ? now.mass : nil) else {
                Issue.record("seed \(seed): \(shown ?? 0) after \(story)")
                return
            }
        }
    }
}
