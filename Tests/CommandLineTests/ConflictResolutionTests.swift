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
        try devices.laptop.markConsumed(meal.id, false)
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

    private func ask(_ device: Replica, _ words: String) throws -> Computer.Result {
        device.releaseFile()
        let computer = try Computer()
        computer.environment["MACROLOG_DB"] = device.path
        return try computer.run(Transcript.words("macrolog " + words), together: true)
    }

    @Test func `a conflict names the food of a measure, and the day of what has no name`() throws {
        let devices = try TwoDevices()
        let (phone, laptop) = (devices.phone, devices.laptop)
        let water = Water(id: phone.newID(), on: LocalDate(day: day), microliters: 250_000)
        try phone.add(water)
        _ = try ask(phone, "food add Toast --kcal 250")
        _ = try ask(phone, "food portion add Toast slice 30g")
        try devices.sync(phone, laptop)
        for (device, number) in [(phone, 31), (laptop, 32)] {
            _ = try ask(device, "food portion add Toast slice \(number)g")
            _ = try ask(device, "water edit \(water.id) --amount \(number)0ml")
        }
        try devices.sync(phone, laptop)
        let list = try ask(phone, "conflicts list").output
        #expect(list.contains(#/measure [0-9a-f]{4} slice of Toast: /#), "\(list)")
        #expect(list.contains(#/water [0-9a-f]{4} of 2024-03-10: /#), "\(list)")
    }

    @Test func `an amount and its nutrients are one question, with one answer`() throws {
        let devices = try TwoDevices()
        let (phone, laptop) = (devices.phone, devices.laptop)
        for words in ["food add Oats --kcal 380 --p 12", "add Oats --grams 100 --date 2024-03-10"] {
            #expect(try ask(phone, words).status == 0)
        }
        try devices.sync(phone, laptop)
        let meal = try #require(try phone.read { try $0.meals(on: day) }.first)
        let item = try #require(meal.items.first)
        let short = item.id.lastDigits(4)
        for (device, grams) in [(phone, 150), (laptop, 50)] {
            #expect(try ask(device, "item edit \(short) --grams \(grams)").status == 0)
        }
        try devices.sync(phone, laptop)
        let list = try ask(phone, "conflicts list").output
        #expect(list.contains("item \(short) Oats: amount, "), "\(list)")
        #expect(list.split(separator: "\n").filter { $0.hasPrefix("lost") }.count == 1, "\(list)")
        let shown = try ask(phone, "conflicts show \(short)").output
        #expect(shown.contains("macrolog conflicts use-other \(short)\n"), "\(shown)")
        #expect(shown.contains("macrolog conflicts keep \(short)\n"), "\(shown)")
        let resolved = try ask(phone, "conflicts use-other \(short)").output
        #expect(resolved.hasPrefix("Resolved: item \(short) Oats: amount "), "\(resolved)")
        try devices.sync(phone, laptop)
        let kept = try phone.require(MealItem.self, item.id)
        let mass = try #require(kept.amount?.milligrams)
        #expect(mass != item.amount?.milligrams)
        #expect(kept.nutrients == item.nutrients.scaled(part: mass, whole: 100_000))
        for device in [phone, laptop] {
            #expect(try device.conflicts().isEmpty)
            #expect(try device.require(MealItem.self, item.id) == kept)
        }
        #expect(try phone.undo().events > 1, "one action")
        // One field alone leaves the others, and says so.
        for (device, grams) in [(phone, 160), (laptop, 60)] {
            #expect(try ask(device, "item edit \(short) --grams \(grams)").status == 0)
        }
        try devices.sync(phone, laptop)
        let one = try ask(phone, "conflicts keep \(short) energy").output
        #expect(one.contains("Still in conflict: "), "\(one)")
    }

    @Test func `the name of a field that another program made up is printed as text`() throws {
        let devices = try TwoDevices()
        let (phone, laptop) = (devices.phone, devices.laptop)
        let meal = Meal(id: phone.newID(), on: LocalDate(day: day), dishName: "Soup")
        try phone.add(meal)
        try devices.sync(phone, laptop)
        let name: UTF8Text = "f\u{1B}]0;pwned\u{7}"
        for (device, value) in [(phone, 1), (laptop, 2)] as [(Replica, Int64)] {
            try device.write { diary in
                try diary.record([
                    Draft(
                        "meal.edited",
                        [Change(EntityKey("meal", meal.id), [.set([name: .int(value)])])])
                ])
            }
        }
        try devices.sync(phone, laptop)
        let short = meal.id.lastDigits(4)
        for words in [
            "conflicts list", "conflicts show \(short)", "meal history \(short)", "log",
            "conflicts keep \(short)", "undo",
        ] {
            let said = try ask(phone, words)
            #expect(said.status == 0 && !(said.output + said.errors).contains("\u{1B}"), "\(words)")
        }
    }

    @Test(arguments: ["", " date"])
    func `the meal slot goes with the move that lost`(field: String) throws {
        let devices = try TwoDevices()
        let (phone, laptop) = (devices.phone, devices.laptop)
        _ = try ask(phone, "add Soup --kcal 400 --at 2024-03-10T08:00")
        try devices.sync(phone, laptop)
        let meal = try #require(try phone.read { try $0.meals(on: day) }.first).meal
        #expect(meal.slot == "breakfast")
        let short = meal.id.lastDigits(4)
        _ = try ask(phone, "meal move \(short) --time 12:30")
        _ = try ask(laptop, "meal move \(short) 2024-03-09")
        try devices.sync(laptop, phone)
        #expect(try phone.require(Meal.self, meal.id).slot == "lunch")
        let shown = try ask(laptop, "conflicts use-other \(short)\(field)")
        #expect(shown.output.contains("meal slot Breakfast"), "\(shown)")
        try devices.sync(laptop, phone)
        for device in [phone, laptop] {
            let now = try device.require(Meal.self, meal.id)
            #expect(now.slot == "breakfast" && now.localDate.day.description == "2024-03-09")
            #expect(now.localDate.minuteOfDay == 480)
        }
        #expect(try ask(laptop, "undo").status == 0)
        #expect(try laptop.require(Meal.self, meal.id).slot == "lunch", "one action")
    }

    @Test func `a slot that was chosen apart from the move stays`() throws {
        let devices = try TwoDevices()
        let (phone, laptop) = (devices.phone, devices.laptop)
        _ = try ask(phone, "add Soup --kcal 400 --at 2024-03-10T08:00")
        try devices.sync(phone, laptop)
        let meal = try #require(try phone.read { try $0.meals(on: day) }.first).meal
        let short = meal.id.lastDigits(4)
        _ = try ask(phone, "meal move \(short) --time 12:30")
        _ = try ask(phone, "meal move \(short) --slot snack")
        _ = try ask(laptop, "meal move \(short) 2024-03-09")
        try devices.sync(laptop, phone)
        #expect(try ask(laptop, "conflicts use-other \(short)").status == 0)
        #expect(try laptop.require(Meal.self, meal.id).slot == "snack")
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
        let said = try ask(phone, "undo")
        #expect(
            said.output.contains("Undid: deletion of a meal that changed nothing.\n"), "\(said)")
        #expect(
            said.output.contains(
                "meal \(short) Soup stays as it is: b1 of another device did the same "
                    + "(meal.deleted); to undo that as well: macrolog undo --of b1\n"), "\(said)")
        #expect(try phone.meal(meal.id) == nil)
        #expect(try ask(phone, "undo --of b1").status == 0)
        #expect(try phone.meal(meal.id) != nil)
        // A field that both changed alike; the value that is in force is named.
        try devices.sync(phone, laptop)
        for device in [laptop, phone] {
            var edited = try device.require(Meal.self, meal.id)
            edited[.energy] = 410_000
            try device.save(edited)
        }
        try devices.sync(laptop, phone)
        let again = try ask(phone, "undo")
        #expect(
            again.output.contains("meal \(short) Soup, energy, stays as it is: b2 of "),
            "\(again)")
        #expect(try phone.meal(meal.id)?.meal[.energy] == 410_000)
    }

    @Test func `undoing and redoing an action that changed nothing say so`() throws {
        let devices = try TwoDevices()
        let short = try dispute(devices).id.lastDigits(4)
        #expect(try ask(devices.phone, "conflicts keep \(short) energy").status == 0)
        for (command, verb) in [("undo", "Undid"), ("redo", "Redid")] {
            let said = try ask(devices.phone, command)
            #expect(said.output == "\(verb): edit of a meal that changed nothing.\n", "\(said)")
        }
    }

    @Test func `the program shows, keeps, uses the other, and refuses what is not asked`() throws {
        let devices = try TwoDevices()
        let meal = try dispute(devices)
        let short = meal.id.lastDigits(4)
        let shown = try ask(devices.phone, "conflicts show \(short) energy").output
        #expect(shown.contains("macrolog conflicts keep \(short) energy\n"))
        #expect(shown.contains("macrolog conflicts use-other \(short) energy\n"))
        #expect(try ask(devices.phone, "conflicts keep \(short) protein").status == 66)
        #expect(try ask(devices.phone, "conflicts keep ffffff energy").status == 66)
        #expect(try ask(devices.phone, "conflicts use-other \(short) energy 2").status == 64)
        let resolved = try ask(devices.phone, "conflicts use-other \(short) energy").output
        #expect(resolved == "Resolved: meal \(short) Soup: energy 410 kcal\n")
        try devices.sync(devices.phone, devices.laptop)
        try expectAgreement(devices, 410_000, of: meal)
        #expect(try ask(devices.laptop, "conflicts keep \(short) energy").status == 66)
    }
}
