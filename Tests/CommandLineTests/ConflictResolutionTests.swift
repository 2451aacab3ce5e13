import MacrologEvents
import Foundation
import Macrolog
import MacrologNutrition
import MacrologNutritionModels
import MacrologReadModels
import Testing

/// Goal: what devices disagree about is resolved everywhere by one answer, and asked no more.
/// Method: real replicas, whose events a list puts into the server's order; the real program types
/// some of the answers.
@Suite struct ConflictResolutionTests {
    let day = Day(year: 2024, month: 3, day: 10) ?? .earliest

    /// A meal whose energy the phone made 410 and the laptop 420 kcal, the laptop's shown.
    private func dispute(_ devices: TwoDevices) throws -> Meal {
        let meal = Meal(
            id: devices.phone.newID(), on: LocalDate(day: day), dishName: "Soup", slot: "lunch",
            nutrients: Nutrients(energy: 400_000))
        try devices.phone.add(meal)
        try devices.sync(devices.phone, devices.laptop)
        for (device, energy) in [(devices.phone, 410_000), (devices.laptop, 420_000)]
            as [(Replica, Int64)]
        {
            var edited = try device.require(Meal.self, meal.id)
            edited[.energy] = energy
            try device.save(edited)
        }
        try devices.sync(devices.phone, devices.laptop)
        return meal
    }

    private func question(_ replica: Replica) throws -> Conflict {
        let found = try replica.conflicts()
        #expect(found.count == 1)
        return try #require(found.first)
    }

    private func expectAgreement(
        _ devices: TwoDevices, _ energy: Int64?, of meal: Meal
    ) throws {
        for device in [devices.phone, devices.laptop] {
            #expect(try device.conflicts().isEmpty)
            #expect(try device.meal(meal.id)?.meal[.energy] == energy)
        }
        #expect(
            try devices.phone.withStore { try $0.stateHash() }
                == devices.laptop.withStore { try $0.stateHash() })
    }

    @Test(arguments: [true, false])
    func `one answer on one device resolves it on both`(keeps: Bool) throws {
        let devices = try TwoDevices()
        let meal = try dispute(devices)
        let asked = try question(devices.phone)
        for index in [-1, 1] {
            #expect(throws: HistoryError(.noSuchValue)) {
                try ConflictResolution.use(loser: index, of: asked)
            }
        }
        try devices.phone.resolve([keeps ? .keep(asked) : .use(loser: 0, of: asked)])
        #expect(try devices.phone.conflicts().isEmpty)
        try devices.sync(devices.phone, devices.laptop)
        try expectAgreement(devices, keeps ? 420_000 : 410_000, of: meal)
        #expect(try devices.laptop.latestEvents(1)[0].event.type == "meal.edited")
    }

    @Test func `the same answer on two devices at once is no new conflict`() throws {
        let devices = try TwoDevices()
        let meal = try dispute(devices)
        try devices.phone.resolve([.keep(try question(devices.phone))])
        try devices.laptop.resolve([.keep(try question(devices.laptop))])
        try devices.sync(devices.phone, devices.laptop)
        try expectAgreement(devices, 420_000, of: meal)
    }

    @Test func `two answers at once are one question more, the same on both`() throws {
        let devices = try TwoDevices()
        let meal = try dispute(devices)
        try devices.phone.resolve([.keep(try question(devices.phone))])
        try devices.laptop.resolve([.use(loser: 0, of: try question(devices.laptop))])
        try devices.sync(devices.phone, devices.laptop)
        let asked = try question(devices.phone)
        #expect(try asked == question(devices.laptop))
        #expect(
            Set([asked.winner.value] + asked.losers.map(\.value)) == [.int(410_000), .int(420_000)])
        try devices.laptop.resolve([.keep(asked)])
        try devices.sync(devices.phone, devices.laptop)
        try expectAgreement(devices, asked.winner.value.int, of: meal)
    }

    @Test func `an answer to a question that has changed is refused`() throws {
        let devices = try TwoDevices()
        _ = try dispute(devices)
        let asked = try question(devices.phone)
        try devices.laptop.resolve([.use(loser: 0, of: asked)])
        try devices.sync(devices.phone, devices.laptop)
        #expect(throws: HistoryError(.conflictChanged)) {
            try devices.phone.resolve([.keep(asked)])
        }
    }

    @Test(arguments: [true, false])
    func `a deletion that lost is done now, or is forgotten`(keeps: Bool) throws {
        let devices = try TwoDevices()
        let meal = Meal(
            id: devices.phone.newID(), on: LocalDate(day: day), dishName: "Soup", slot: "lunch",
            nutrients: Nutrients(energy: 400_000))
        try devices.phone.add(meal)
        try devices.sync(devices.phone, devices.laptop)
        try devices.phone.delete(Meal.self, meal.id)
        // False is what a deletion writes, too.
        try devices.laptop.write { try $0.markConsumed(meal.id, false) }
        try devices.sync(devices.phone, devices.laptop)
        let asked = try question(devices.laptop)
        #expect(asked.cell == .life && asked.losers.count == 1)
        try devices.laptop.resolve([keeps ? .keep(asked) : .use(loser: 0, of: asked)])
        try devices.sync(devices.phone, devices.laptop)
        try expectAgreement(devices, keeps ? 400_000 : nil, of: meal)
        #expect(
            try devices.phone.latestEvents(1)[0].event.type
                == (keeps ? "meal.restored" : "meal.deleted"))
    }

    @Test func `a deleted thing is not brought back by settling what was disputed`() throws {
        let devices = try TwoDevices()
        let meal = try dispute(devices)
        try devices.phone.delete(Meal.self, meal.id)
        try devices.phone.resolve([.use(loser: 0, of: try question(devices.phone))])
        try devices.sync(devices.phone, devices.laptop)
        try expectAgreement(devices, nil, of: meal)
    }

    @Test func `who wrote what is shown is not among those that lost`() throws {
        let devices = try TwoDevices()
        let meal = Meal(
            id: devices.phone.newID(), on: LocalDate(day: day), dishName: "Soup", slot: "lunch",
            nutrients: Nutrients(energy: 400_000))
        try devices.phone.add(meal)
        let tablet = try Replica.open(at: devices.folder.appending(path: "tablet.db").path)
        try devices.sync(devices.phone, devices.laptop, tablet)
        for (device, energy) in [
            (devices.phone, 420_000), (devices.laptop, 410_000), (tablet, 420_000),
        ] as [(Replica, Int64)] {
            var edited = try device.require(Meal.self, meal.id)
            edited[.energy] = energy
            try device.save(edited)
        }
        try devices.sync(devices.phone, devices.laptop, tablet)
        let asked = try question(devices.phone)
        #expect(asked.winner.value == .int(420_000))
        #expect(asked.losers.map(\.value) == [.int(410_000)])
        try tablet.resolve([.use(loser: 0, of: asked)])
        try devices.sync(devices.phone, devices.laptop, tablet)
        try expectAgreement(devices, 410_000, of: meal)
    }

    @Test func `an answer about an item keeps its meal from a deletion that had not seen it`()
        throws
    {
        let devices = try TwoDevices()
        let (phone, laptop) = (devices.phone, devices.laptop)
        let meal = Meal(id: phone.newID(), on: LocalDate(day: day), dishName: "Soup")
        let item = MealItem(
            id: phone.newID(), of: meal.id, name: "Leek", nutrients: Nutrients(energy: 30_000))
        try phone.add(meal, items: [item])
        try devices.sync(phone, laptop)
        for (device, name) in [(phone, "Leeks"), (laptop, "Onion")] as [(Replica, String)] {
            var edited = try device.require(MealItem.self, item.id)
            edited.name = name
            try device.save(edited)
        }
        try devices.sync(phone, laptop)
        try phone.resolve([.keep(try question(phone))])
        try laptop.delete(Meal.self, meal.id)
        try devices.sync(phone, laptop)
        for device in [phone, laptop] {
            #expect(try device.meal(meal.id)?.items.map(\.name) == ["Onion"])
        }
        // A meal that was deleted before is not brought back.
        try laptop.delete(Meal.self, meal.id)
        try devices.sync(phone, laptop)
        for (device, name) in [(phone, "Leeks"), (laptop, "Onions")] as [(Replica, String)] {
            try device.record([
                Draft(
                    "item.edited",
                    [
                        Change(
                            EntityKey("meal_item", item.id), [.set(["name": .text(UTF8Text(name))])]
                        )
                    ])
            ])
        }
        try devices.sync(phone, laptop)
        try laptop.resolve([.keep(try #require(try laptop.conflicts().last))])
        try devices.sync(phone, laptop)
        #expect(try phone.meal(meal.id) == nil && laptop.meal(meal.id) == nil)
    }

    @Test func `an item, a weigh-in, a day and a person are resolved alike`() throws {
        let devices = try TwoDevices()
        let (phone, laptop) = (devices.phone, devices.laptop)
        let meal = Meal(
            id: phone.newID(), on: LocalDate(day: day), dishName: "Soup", nutrients: Nutrients())
        let item = MealItem(
            id: phone.newID(), of: meal.id, name: "Leek", nutrients: Nutrients(energy: 30_000))
        try phone.add(meal, items: [item])
        let weighIn = try phone.logWeight(grams: 80_000, on: LocalDate(day: day)).weighIn
        try devices.sync(phone, laptop)
        for (device, name, grams) in [(phone, "Leeks", 81_000), (laptop, "Onion", 82_000)]
            as [(Replica, String, Int64)]
        {
            var edited = try device.require(MealItem.self, item.id)
            edited.name = name
            try device.save(edited)
            var weighed = try device.require(WeighIn.self, weighIn.id)
            weighed.grams = grams
            try device.save(weighed)
            var log = try device.read { try $0.dayLog(on: day) }
            log.note = name
            try device.save(log)
            var person = try device.profile()
            person.displayName = name
            try device.save(person)
        }
        try devices.sync(phone, laptop)
        let asked = try phone.conflicts()
        #expect(
            Set(asked.map(\.entity.kind)) == ["meal_item", "weigh_in", "day_log", "profile"])
        try phone.resolve(asked.map { try .use(loser: 0, of: $0) })
        try devices.sync(phone, laptop)
        for device in [phone, laptop] {
            #expect(try device.conflicts().isEmpty)
            #expect(try device.entity(MealItem.self, item.id)?.name == "Leeks")
            #expect(try device.entity(WeighIn.self, weighIn.id)?.grams == 81_000)
            #expect(try device.read { try $0.dayLog(on: day) }.note == "Leeks")
            #expect(try device.profile().displayName == "Leeks")
        }
        // One answer to many questions is one action.
        #expect(try phone.undo().events == asked.count)
        #expect(try phone.profile().displayName == "Onion")
    }

    @Test func `the undo of what another device did too says what is in force`() throws {
        let devices = try TwoDevices()
        let (phone, laptop) = (devices.phone, devices.laptop)
        let meal = Meal(
            id: phone.newID(), on: LocalDate(day: day), dishName: "Soup", slot: "lunch",
            nutrients: Nutrients(energy: 400_000))
        try phone.add(meal)
        try devices.sync(phone, laptop)
        let short = meal.id.lastDigits(4)
        for device in [phone, laptop] { try device.delete(Meal.self, meal.id) }
        try devices.sync(phone, laptop)
        let said = try devices.ask(phone, "undo")
        #expect(
            said.output.contains("Undid: deletion of a meal that changed nothing.\n"), "\(said)")
        #expect(
            said.output.contains(
                "meal \(short) Soup stays as it is: b1 of another device did the same "
                    + "(meal.deleted); to undo that as well: macrolog undo --of b1\n"), "\(said)")
        #expect(try phone.meal(meal.id) == nil)
        #expect(try devices.ask(phone, "undo --of b1").status == 0)
        #expect(try phone.meal(meal.id) != nil)
        // A field that both changed alike; the value that is in force is named.
        try devices.sync(phone, laptop)
        for device in [laptop, phone] {
            var edited = try device.require(Meal.self, meal.id)
            edited[.energy] = 410_000
            try device.save(edited)
        }
        try devices.sync(laptop, phone)
        let again = try devices.ask(phone, "undo")
        #expect(
            again.output.contains("meal \(short) Soup, energy, stays as it is: b2 of "),
            "\(again)")
        #expect(try phone.meal(meal.id)?.meal[.energy] == 410_000)
    }

    @Test func `undoing and redoing an action that changed nothing say so`() throws {
        let devices = try TwoDevices()
        let short = try dispute(devices).id.lastDigits(4)
        #expect(try devices.ask(devices.phone, "conflicts keep \(short) energy").status == 0)
        for (command, verb) in [("undo", "Undid"), ("redo", "Redid")] {
            let said = try devices.ask(devices.phone, command)
            #expect(
                said.output.hasSuffix("\(verb): edit of a meal that changed nothing.\n"), "\(said)")
            // The events of an undo have seen every value, too.
            #expect(said.output.contains("not asked about again") == (command == "undo"), "\(said)")
        }
        #expect(try devices.phone.conflicts().isEmpty)
    }

    @Test func `the program shows, keeps, uses the other, and refuses what is not asked`() throws {
        let devices = try TwoDevices()
        let meal = try dispute(devices)
        let short = meal.id.lastDigits(4)
        let shown = try devices.ask(devices.phone, "conflicts show \(short) energy").output
        #expect(shown.contains("macrolog conflicts keep \(short) energy\n"))
        #expect(shown.contains("macrolog conflicts use-other \(short) energy\n"))
        #expect(try devices.ask(devices.phone, "conflicts keep \(short) protein").status == 66)
        #expect(try devices.ask(devices.phone, "conflicts keep ffffff energy").status == 66)
        let second = "conflicts use-other \(short) energy 2"
        #expect(try devices.ask(devices.phone, second).status == 64)
        let resolved = try devices.ask(devices.phone, "conflicts use-other \(short) energy").output
        #expect(resolved == "Resolved: meal \(short) Soup: energy 410 kcal\n")
        try devices.sync(devices.phone, devices.laptop)
        try expectAgreement(devices, 410_000, of: meal)
        #expect(try devices.ask(devices.laptop, "conflicts keep \(short) energy").status == 66)
    }
}
