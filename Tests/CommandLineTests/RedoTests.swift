import MacrologEvents
import Foundation
import Macrolog
import MacrologNutrition
import MacrologNutritionModels
import MacrologReadModels
import Testing

/// Goal: what was undone comes again, and any action of the past can be undone, wherever it
/// was done; what someone has changed since stays.
/// Method: real replicas, whose events a list puts into the server's order.
@Suite struct RedoTests {
    let day = Day(year: 2024, month: 3, day: 10) ?? .earliest

    func soup(_ replica: Replica) -> Meal {
        Meal(
            id: replica.newID(), on: LocalDate(day: day), dishName: "Soup", slot: "lunch",
            nutrients: Nutrients(energy: 400_000, protein: 20_000))
    }

    func save(_ replica: Replica, _ meal: Meal, _ change: (inout Meal) -> Void) throws {
        var edited = try replica.require(Meal.self, meal.id)
        change(&edited)
        try replica.save(edited)
    }

    @Test func `what was recorded after an undo ends what can be redone`() throws {
        let phone = try TwoDevices().phone
        let (first, second) = (soup(phone), soup(phone))
        try phone.add(first)
        try phone.undo()
        try phone.add(second)
        #expect(throws: HistoryError(.nothingToRedo)) { try phone.redo() }
        try phone.undo()
        #expect(try phone.redo().entities.map(\.id) == [second.id])
        #expect(throws: HistoryError(.nothingToRedo)) { try phone.redo() }
        #expect(try phone.meal(first.id) == nil)
    }

    @Test func `the undo of a new part leaves a whole that it kept from a deletion`() throws {
        let devices = try TwoDevices()
        let (phone, laptop) = (devices.phone, devices.laptop)
        let meal = soup(phone)
        try phone.add(meal)
        try devices.sync(phone, laptop)
        try phone.delete(Meal.self, meal.id)
        try laptop.add(MealItem(id: laptop.newID(), of: meal.id, name: "Bread"))
        try devices.sync(phone, laptop)
        #expect(try phone.meal(meal.id) != nil)
        try phone.undo()
        #expect(try laptop.undo().entities.count == 1)
        try devices.sync(phone, laptop)
        for device in [phone, laptop] {
            #expect(try device.meal(meal.id)?.items.isEmpty == true)
        }
    }

    @Test func `the redo of a part leaves a whole that its undo kept from a deletion`() throws {
        let devices = try TwoDevices()
        let (phone, laptop) = (devices.phone, devices.laptop)
        let meal = soup(phone)
        try phone.add(meal)
        let bread = MealItem(id: phone.newID(), of: meal.id, name: "Bread")
        try phone.add(bread)
        try devices.sync(phone, laptop)
        var butter = try laptop.require(MealItem.self, bread.id)
        butter.name = "Butter"
        try laptop.save(butter)
        try laptop.undo()
        try phone.delete(Meal.self, meal.id)
        try devices.sync(phone, laptop)
        #expect(try laptop.meal(meal.id)?.items.map(\.name) == ["Bread"])
        #expect(try laptop.redo().entities.map(\.id) == [bread.id])
        try devices.sync(phone, laptop)
        for device in [phone, laptop] {
            #expect(try device.meal(meal.id)?.items.map(\.name) == ["Butter"])
        }
    }

    @Test func `an addition, an edit, a tag and a deletion come again in turn`() throws {
        let devices = try TwoDevices()
        let replica = devices.phone
        let meal = soup(replica)
        try replica.add(meal)
        try save(replica, meal) {
            $0[.energy] = 410_000
            $0.tags = ["warm"]
        }
        try save(replica, meal) { $0[.energy] = nil }
        try replica.delete(Meal.self, meal.id)
        let end = try replica.withStore { try $0.state(of: EntityKey("meal", meal.id)) }
        for round in 0..<2 {
            for _ in 0..<4 { try replica.undo() }
            #expect(try replica.meal(meal.id) == nil, "round \(round)")
            #expect(throws: HistoryError(.nothingToUndo)) { try replica.undo() }
            #expect(try replica.redo().type == "meal.added")
            #expect(try replica.meal(meal.id)?.meal[.energy] == 400_000)
            #expect(try replica.redo().type == "meal.edited")
            #expect(try replica.meal(meal.id)?.meal[.energy] == 410_000)
            #expect(try replica.meal(meal.id)?.meal.tags == ["warm"])
            #expect(try replica.redo().type == "meal.edited")
            #expect(try replica.meal(meal.id)?.meal[.energy] == nil)
            #expect(try replica.redo().type == "meal.deleted")
            #expect(try replica.meal(meal.id) == nil)
            #expect(throws: HistoryError(.nothingToRedo)) { try replica.redo() }
        }
        let now = try replica.withStore { try $0.state(of: EntityKey("meal", meal.id)) }
        #expect(now?.fields == end?.fields && now?.isDeleted == true)
        try devices.sync(devices.phone, devices.laptop)
        #expect(
            try devices.phone.withStore { try $0.stateHash() }
                == devices.laptop.withStore { try $0.stateHash() })
    }

    @Test func `what another device changed since stays, and is reported`() throws {
        let devices = try TwoDevices()
        let (phone, laptop) = (devices.phone, devices.laptop)
        let meal = soup(phone)
        try phone.add(meal)
        try save(phone, meal) {
            $0[.energy] = 410_000
            $0[.protein] = 21_000
        }
        try phone.undo()
        try devices.sync(phone, laptop)
        try save(laptop, meal) { $0[.energy] = 500_000 }
        try devices.sync(phone, laptop)
        let redone = try phone.redo()
        #expect(redone.skipped.map(\.cell) == [.field("energy")])
        let now = try phone.meal(meal.id)?.meal
        #expect(now?[.energy] == 500_000 && now?[.protein] == 21_000)
    }

    @Test func `nothing is done again when everything has moved on`() throws {
        let devices = try TwoDevices()
        let (phone, laptop) = (devices.phone, devices.laptop)
        let meal = soup(phone)
        try phone.add(meal)
        try save(phone, meal) { $0[.energy] = 410_000 }
        try phone.undo()
        try devices.sync(phone, laptop)
        try save(laptop, meal) { $0[.energy] = 500_000 }
        try devices.sync(phone, laptop)
        #expect(throws: HistoryError(.supersededByLaterEdits)) { try phone.redo() }
        #expect(try phone.meal(meal.id)?.meal[.energy] == 500_000)
    }

    @Test func `a deletion is not done again to what someone works on`() throws {
        let devices = try TwoDevices()
        let (phone, laptop) = (devices.phone, devices.laptop)
        let meal = soup(phone)
        try phone.add(meal)
        try phone.delete(Meal.self, meal.id)
        try phone.undo()
        try devices.sync(phone, laptop)
        try save(laptop, meal) { $0.note = "with bread" }
        try devices.sync(phone, laptop)
        #expect(throws: HistoryError(.supersededByLaterEdits)) { try phone.redo() }
        #expect(try phone.meal(meal.id)?.meal.note == "with bread")
    }

    @Test func `an action of another device is undone, and done again, by its name`() throws {
        let devices = try TwoDevices()
        let (phone, laptop) = (devices.phone, devices.laptop)
        let meal = soup(phone)
        try phone.add(meal)
        try save(phone, meal) { $0[.energy] = 410_000 }
        try save(phone, meal) { $0[.protein] = 21_000 }
        try devices.sync(phone, laptop)
        let a2 = try #require(try laptop.notation().dot("a2"))
        #expect(try laptop.undo(a2).type == "meal.edited")
        #expect(throws: HistoryError(.alreadyUndone)) { try laptop.undo(a2) }
        try devices.sync(phone, laptop)
        let now = try phone.meal(meal.id)?.meal
        #expect(now?[.energy] == 400_000 && now?[.protein] == 21_000)
        // The phone knows: what it undoes next is neither that nor the undoing.
        #expect(throws: HistoryError(.alreadyUndone)) { try phone.undo(a2) }
        try phone.undo()
        #expect(try phone.meal(meal.id)?.meal[.protein] == 20_000)
        #expect(try phone.undo().type == "meal.added")
        try phone.redo()
        try devices.sync(phone, laptop)
        #expect(try laptop.redo().type == "meal.edited")
        #expect(try laptop.meal(meal.id)?.meal[.energy] == 410_000)
        // Taking back the doing again is taking back the action.
        let redo = try laptop.latestEvents(1)[0].event
        #expect(redo.type == "redo")
        #expect(try laptop.undo(redo.dot).type == "meal.edited")
        #expect(try laptop.meal(meal.id)?.meal[.energy] == 400_000)
        // And taking back the undoing does it again.
        let undo = try laptop.latestEvents(1)[0].event
        #expect(undo.type == "undo")
        try laptop.undo(undo.dot)
        #expect(try laptop.meal(meal.id)?.meal[.energy] == 410_000)
        try devices.sync(phone, laptop)
        #expect(
            try phone.withStore { try $0.stateHash() }
                == laptop.withStore { try $0.stateHash() })
    }

    @Test func `what two devices took back at once is done again once`() throws {
        let devices = try TwoDevices()
        let (phone, laptop) = (devices.phone, devices.laptop)
        let meal = soup(phone)
        try phone.add(meal)
        try save(phone, meal) { $0[.energy] = 410_000 }
        try devices.sync(phone, laptop)
        let a2 = try #require(try laptop.notation().dot("a2"))
        try phone.undo(a2)
        try laptop.undo(a2)
        try devices.sync(phone, laptop)
        #expect(try phone.conflicts().isEmpty)
        #expect(try phone.read { try $0.statistics() }.conflicts == 0)
        // The laptop's was sealed later: that is the one that stands.
        #expect(throws: HistoryError(.nothingToRedo)) { try phone.redo() }
        #expect(try laptop.redo().type == "meal.edited")
        try devices.sync(phone, laptop)
        for device in [phone, laptop] {
            #expect(try device.meal(meal.id)?.meal[.energy] == 410_000)
            #expect(throws: HistoryError(.nothingToRedo)) { try device.redo() }
        }
    }

    @Test func `who took something back and did it again at once is asked nothing`() throws {
        let devices = try TwoDevices()
        let (phone, laptop) = (devices.phone, devices.laptop)
        let meal = soup(phone)
        try phone.add(meal)
        try save(phone, meal) { $0[.energy] = 410_000 }
        try phone.undo()
        try devices.sync(phone, laptop)
        let undo = try phone.latestEvents(1)[0].event.dot
        try phone.redo()
        try laptop.undo(undo)
        let a2 = try #require(try laptop.notation().dot("a2"))
        try laptop.undo(a2)
        try devices.sync(phone, laptop)
        // Whether the action is undone is bookkeeping; what it wrote is a question.
        for device in [phone, laptop] {
            let asked = try device.conflicts()
            #expect(asked.allSatisfy { $0.entity.kind == "meal" })
            #expect(
                try device.read { try $0.statistics() }.conflicts
                    == Int64(Set(asked.map(\.entity)).count))
        }
        #expect(
            try phone.withStore { try $0.stateHash() }
                == laptop.withStore { try $0.stateHash() })
    }

    @Test func `an action under later ones is left where they changed it`() throws {
        let devices = try TwoDevices()
        let replica = devices.phone
        let meal = soup(replica)
        try replica.add(meal)
        for energy: Int64 in [410_000, 420_000] { try save(replica, meal) { $0[.energy] = energy } }
        let notation = try replica.notation()
        let (a1, a2) = (try #require(notation.dot("a1")), try #require(notation.dot("a2")))
        #expect(throws: HistoryError(.supersededByLaterEdits)) { try replica.undo(a2) }
        #expect(throws: HistoryError(.supersededByLaterEdits)) { try replica.undo(a1) }
        #expect(throws: HistoryError(.noSuchEvent)) {
            try replica.undo(Dot(device: a1.device, seq: 99))
        }
        #expect(throws: HistoryError(.noSuchEvent)) { try replica.undo(group: replica.newID()) }
        #expect(try replica.meal(meal.id)?.meal[.energy] == 420_000)
    }

    @Test func `an import of another device goes and comes as a whole, from any of its events`()
        throws
    {
        let devices = try TwoDevices()
        let (phone, laptop) = (devices.phone, devices.laptop)
        let group = phone.newID()
        for _ in 0..<3 {
            let meals = (0..<100).map { _ in soup(phone) }
            try phone.record(meals.map { .add($0, today: day) }, group: group)
            _ = try phone.logWeight(grams: 80_000, on: LocalDate(day: day))
        }
        try devices.sync(phone, laptop)
        let event = try #require(try laptop.notation().dot("a150"))
        let undone = try laptop.undo(event)
        #expect(undone.events == 300 && undone.entities.count == 300)
        #expect(try laptop.meals(on: day).isEmpty)
        #expect(try laptop.read { try $0.weighIns(on: day...day) }.count == 3)
        let redone = try laptop.redo()
        #expect(redone.events == 300 && redone.entities.count == 300)
        #expect(try laptop.meals(on: day).count == 300)
        #expect(try laptop.undo(group: group).events == 300)
        try devices.sync(phone, laptop)
        #expect(try phone.meals(on: day).isEmpty)
        #expect(throws: HistoryError(.alreadyUndone)) { try phone.undo(event) }
    }

    @Test func `keeping what is shown can be undone, and what came before it too`() throws {
        let devices = try TwoDevices()
        let (phone, laptop) = (devices.phone, devices.laptop)
        let meal = soup(phone)
        try phone.add(meal)
        try devices.sync(phone, laptop)
        try save(phone, meal) { $0[.energy] = 410_000 }
        try save(laptop, meal) { $0[.energy] = 420_000 }
        try devices.sync(phone, laptop)
        try laptop.resolve([.keep(try #require(try laptop.conflicts().first))])
        #expect(try laptop.undo().entities.isEmpty)
        #expect(try laptop.undo().type == "meal.edited")
        #expect(try laptop.meal(meal.id)?.meal[.energy] == 410_000)
    }
}
