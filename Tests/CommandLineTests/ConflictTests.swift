import MacrologEvents
import Foundation
import Macrolog
import MacrologNutrition
import Testing

/// Goal: a conflict is shown with both values and the clocks that decided, on every device.
/// Method: two replicas edit apart and sync; the real program is asked on both files.
@Suite struct ConflictTests {
    let day = Day(year: 2024, month: 3, day: 10) ?? .earliest

    @Test func `both values and their clocks are listed, and typing one resolves it`() throws {
        let devices = try TwoDevices()
        let (phone, laptop) = (devices.phone, devices.laptop)
        let meal = Meal(
            id: phone.newID(), on: LocalDate(day: day), dishName: "Soup", slot: "lunch",
            nutrients: Nutrients(energy: 400_000))
        try phone.add(meal)
        try devices.sync(phone, laptop)
        for (device, energy) in [(phone, 410_000), (laptop, 420_000)] as [(Replica, Int64)] {
            var edited = try device.require(Meal.self, meal.id)
            edited[.energy] = energy
            try device.save(edited)
        }
        try devices.sync(phone, laptop)

        let short = meal.id.lastDigits(4)
        var texts: [String] = []
        for device in [phone, laptop] {
            device.releaseFile()
            let result = try ask(device, ["conflicts", "list"])
            #expect(result.status == 0, "\(result.errors)")
            texts.append(result.output)
        }
        #expect(texts[0] == texts[1])
        let lines = texts[0].split(separator: "\n").map(String.init)
        #expect(lines[0] == "meal \(short) Soup: energy")
        #expect(lines[3].hasPrefix("shown  420 kcal  b1     a1.b1  3"), "\(lines[3])")
        #expect(lines[4].hasPrefix("lost   410 kcal  a2     a2     2"), "\(lines[4])")
        #expect(try ask(phone, ["day", "show", "2024-03-10"]).output.contains("Soup !"))
        #expect(try ask(phone, ["log"]).output.contains("a1.b1"))

        #expect(try ask(phone, ["meal", "edit", short, "--kcal", "415"]).status == 0)
        try devices.sync(phone, laptop)
        for device in [phone, laptop] {
            device.releaseFile()
            let result = try ask(device, ["conflicts", "list"])
            #expect(result.output == "No conflicts.\n")
        }
    }

    @Test func `what one device adds to a whole survives when another deletes it`() throws {
        let devices = try TwoDevices()
        let (phone, laptop) = (devices.phone, devices.laptop)
        let stir = Recipe(id: phone.newID(), name: "Stir", servingsMilli: 2_000)
        let rice = Food(id: phone.newID(), name: "Rice", nutrients: Nutrients(energy: 350_000))
        try phone.add(stir)
        try phone.add(rice)
        try devices.sync(phone, laptop)
        try phone.delete(Recipe.self, stir.id)
        try phone.delete(Food.self, rice.id)
        let noodles = RecipeItem(
            id: laptop.newID(), of: stir.id, name: "Noodles",
            nutrients: Nutrients(energy: 400_000))
        try laptop.add(noodles)
        try laptop.add(FoodPortion(of: rice.id, label: "cup", milligrams: 180_000))
        try devices.sync(phone, laptop)
        for device in [phone, laptop] {
            #expect(try device.entity(Recipe.self, stir.id)?.name == "Stir")
            #expect(try device.entity(Food.self, rice.id)?.name == "Rice")
            let asked = try device.conflicts().map(\.entity.id)
            #expect(Set(asked) == [stir.id, rice.id], "a person is asked")
        }
        // Who has seen it may delete it.
        try phone.delete(Recipe.self, stir.id)
        try devices.sync(phone, laptop)
        #expect(try laptop.entity(Recipe.self, stir.id) == nil)
    }

    @Test(arguments: ["addition", "edit", "deletion"], [false, true])
    func `an undo or redo of a part keeps its whole, as the action itself does`(
        _ action: String, isRedo: Bool
    ) throws {
        let devices = try TwoDevices()
        let (phone, laptop) = (devices.phone, devices.laptop)
        let meal = Meal(
            id: phone.newID(), on: LocalDate(day: day), dishName: "Soup",
            nutrients: Nutrients(energy: 400_000))
        var item = MealItem(id: phone.newID(), of: meal.id, name: "Butter")
        try phone.add(meal)
        try phone.add(item)
        item.name = "Margarine"
        if action == "edit" { try phone.save(item) }
        if action == "deletion" { try phone.delete(MealItem.self, item.id) }
        if isRedo { _ = try phone.undo() }
        try devices.sync(phone, laptop)
        try laptop.delete(Meal.self, meal.id)
        _ = isRedo ? try phone.redo() : try phone.undo()
        try devices.sync(phone, laptop)
        let isThere = action == "edit" || isRedo == (action == "addition")
        for device in [phone, laptop] {
            let shown = try device.meals(on: day)
            #expect(shown.map(\.meal.id) == [meal.id])
            #expect(shown.first?.items.count == (isThere ? 1 : 0))
            #expect(try device.conflicts().map(\.entity.id) == [meal.id], "a person is asked")
        }
    }

    @Test func `what two devices say of an undone action is no question to a person`() throws {
        let devices = try TwoDevices()
        let (phone, laptop) = (devices.phone, devices.laptop)
        let meal = Meal(
            id: phone.newID(), on: LocalDate(day: day), dishName: "Soup", slot: "lunch",
            nutrients: Nutrients(energy: 400_000))
        try phone.add(meal)
        try devices.sync(phone, laptop)
        let added = try #require(
            try phone.read { try $0.history(of: Meal.self, meal.id) }.first
        ).event.dot
        _ = try phone.undo(added)
        _ = try phone.redo()
        _ = try laptop.undo(added)
        try devices.sync(phone, laptop)
        for device in [phone, laptop] {
            let kinds = try device.withStore { store in
                try store.conflicts().map { "\($0.0.kind)" }
            }
            #expect(kinds.contains("action"), "\(kinds)")
            #expect(try device.conflicts().allSatisfy { "\($0.entity.kind)" != "action" })
            device.releaseFile()
            #expect(try !ask(device, ["conflicts", "list"]).output.contains("action"))
        }
    }

    @Test func `an element that is added to a field with a value changes nothing of it`() throws {
        let devices = try TwoDevices()
        let (phone, laptop) = (devices.phone, devices.laptop)
        let meal = Meal(
            id: phone.newID(), on: LocalDate(day: day), dishName: "Soup",
            nutrients: Nutrients(energy: 400_000))
        try phone.add(meal)
        try devices.sync(phone, laptop)
        // What another program may write, and no device of this one does (`protocol.md` §7.1).
        let added: [CellOperation] = [
            .add(field: "energy", element: 1), .add(field: "dish_name", element: "x"),
            .add(field: "local_date", element: 1),
        ]
        try laptop.record([Draft("meal.edited", [Change(EntityKey("meal", meal.id), added)])])
        try devices.sync(phone, laptop)
        for device in [phone, laptop] {
            #expect(try device.meals(on: day).first?.meal[.energy] == 400_000)
            #expect(try device.entity(Meal.self, meal.id)?.dishName == "Soup")
        }
        var edited = try phone.require(Meal.self, meal.id)
        edited[.energy] = 410_000
        try phone.save(edited)
        try devices.sync(phone, laptop)
        #expect(try laptop.entity(Meal.self, meal.id)?[.energy] == 410_000)
    }

    @Test func `a deletion beside a change is shown as such`() throws {
        let devices = try TwoDevices()
        let (phone, laptop) = (devices.phone, devices.laptop)
        let meal = Meal(
            id: phone.newID(), on: LocalDate(day: day), dishName: "Soup", slot: "lunch",
            nutrients: Nutrients(energy: 400_000))
        try phone.add(meal)
        try devices.sync(phone, laptop)
        try phone.delete(Meal.self, meal.id)
        var edited = try laptop.require(Meal.self, meal.id)
        edited.note = "with bread"
        edited.isConsumed = false
        try laptop.save(edited)
        try devices.sync(phone, laptop)
        for device in [phone, laptop] {
            let conflicts = try device.conflicts()
            #expect(conflicts.map(\.cell) == [.life])
            #expect(conflicts.map(\.winner.value) == [.bool(true)], "it exists")
            #expect(conflicts.flatMap(\.losers).map(\.value) == [.bool(false)])
        }
        phone.releaseFile()
        let text = try ask(phone, ["conflicts", "list"]).output
        #expect(text.contains(": existence"))
        #expect(text.contains("shown  changed") && text.contains("lost   deleted"))
    }

    private func ask(_ device: Replica, _ words: [String]) throws -> Computer.Result {
        device.releaseFile()
        let computer = try Computer()
        computer.environment["MACROLOG_DB"] = device.path
        return try computer.run(words)
    }
}
