import MacrologEvents
import Foundation
import MacrologJSON
import MacrologLog
import Macrolog
import MacrologNutrition
import MacrologNutritionModels
import MacrologReadModels
import Testing

/// Goal: what a newer version wrote is kept, and every screen that shows the entity says that there is
/// more to it; an edit loses nothing of it.
/// Method: a replica that was given such events; the real program is asked.
@Suite struct NewerVersionTests {
    let day = Day(year: 2024, month: 3, day: 10) ?? .earliest

    func record(
        _ kind: Kind, _ id: Identifier, _ operation: MacrologEvents.CellOperation,
        in replica: Replica
    )
        throws
    {
        let change = Change(EntityKey(kind.name, id), [operation])
        _ = try replica.withStore {
            try $0.record([Draft("x", version: 2, [change])], at: DeviceClock.system.read())
        }
    }

    @Test func `a meal, its day and a food say that a newer version edited them`() throws {
        let devices = try TwoDevices()
        let phone = devices.phone
        let meals = ["Soup", "Bread"].map { name in
            Meal(id: phone.newID(), on: LocalDate(day: day), dishName: name, slot: "lunch")
        }
        let food = Food(id: phone.newID(), name: "Oats")
        for meal in meals { try phone.add(meal) }
        try phone.add(food)
        try record(.meal, meals[0].id, .unknown(verb: 9, arguments: []), in: phone)
        try record(.food, food.id, .set(["aura": "green"]), in: phone)
        phone.releaseFile()

        func json(_ words: String...) throws -> JSON {
            let result = try ask(phone, words + ["--json"])
            #expect(result.status == 0, "\(result.errors)")
            return try JSON.parse(Array(result.output.utf8))
        }
        let screen = try ask(phone, ["day", "show", "2024-03-10"]).output
        #expect(screen.contains("Soup +") && !screen.contains("Bread +"), "\(screen)")
        #expect(screen.contains("edited by a newer version"))
        #expect(try json("day", "show", "2024-03-10")["edited_by_newer_version"] == true)
        for (meal, isNewer) in zip(meals, [true, false]) {
            let short = meal.id.lastDigits(4)
            let shown = try ask(phone, ["meal", "show", short]).output
            #expect(shown.contains("edited by a newer version") == isNewer, "\(shown)")
            #expect(try json("meal", "show", short)["edited_by_newer_version"] == .bool(isNewer))
        }
        #expect(try ask(phone, ["food", "show", "Oats"]).output.contains("a newer version"))
        #expect(try json("food", "show", "Oats")["unknown_fields"] == ["aura"])
        #expect(try ask(phone, ["food", "edit", "Oats", "--brand", "Mill"]).status == 0)
        let state = try phone.withStore { try $0.state(of: EntityKey(Kind.food.name, food.id)) }
        #expect(state?["aura"] == "green" && state?["brand"] == "Mill")
    }

    private func ask(_ device: Replica, _ words: [String]) throws -> Computer.Result {
        device.releaseFile()
        let computer = try Computer()
        computer.environment["MACROLOG_DB"] = device.path
        return try computer.run(words)
    }
}
