import MacrologEvents
import Foundation
import MacrologFormats
import MacrologLog
import Macrolog
import MacrologNutrition
import MacrologNutritionModels
import MacrologReadModels
import Testing

/// Goal: taking back sets everything back on every device, and no one else's work with it.
/// Method: real replicas, whose events a list puts into the server's order.
@Suite struct UndoTests {
    let day = Day(year: 2024, month: 3, day: 10) ?? .earliest

    func soup(_ replica: Replica) -> Meal {
        Meal(
            id: replica.newID(), on: LocalDate(day: day), dishName: "Soup", slot: "lunch",
            nutrients: Nutrients(energy: 400_000, protein: 20_000))
    }

    @Test func `an addition, an edit, a mark and a deletion are undone in turn`() throws {
        let devices = try TwoDevices()
        let replica = devices.phone
        var meal = soup(replica)
        try replica.add(meal)
        meal.tags = ["warm"]
        meal[.energy] = 410_000
        try replica.save(meal)
        meal[.energy] = nil
        try replica.save(meal)
        try replica.write { try $0.markConsumed(meal.id, false) }
        try replica.delete(Meal.self, meal.id)

        #expect(try replica.undo().type == "meal.deleted")
        #expect(try replica.meal(meal.id)?.meal.isConsumed == false)
        #expect(try replica.undo().type == "meal.unconsumed")
        #expect(try replica.meal(meal.id)?.meal.isConsumed == true)
        #expect(try replica.undo().type == "meal.edited")
        #expect(try replica.meal(meal.id)?.meal[.energy] == 410_000)
        #expect(try replica.undo().type == "meal.edited")
        #expect(try replica.meal(meal.id)?.meal[.energy] == 400_000)
        #expect(try replica.meal(meal.id)?.meal.tags == [])
        #expect(try replica.undo().type == "meal.added")
        #expect(try replica.meal(meal.id) == nil)
        #expect(throws: HistoryError(.nothingToUndo)) { try replica.undo() }
    }

    @Test func `what was undone counts as never done for the action before it`() throws {
        let devices = try TwoDevices()
        let replica = devices.phone
        var meal = soup(replica)
        try replica.add(meal)
        for energy: Int64 in [410_000, 420_000] {
            meal[.energy] = energy
            try replica.save(meal)
        }
        try replica.undo()
        meal[.energy] = 430_000
        try replica.save(meal)
        var seen: [Int64?] = []
        for _ in 0..<2 {
            try replica.undo()
            seen.append(try replica.meal(meal.id)?.meal[.energy])
        }
        #expect(seen == [410_000, 400_000])
    }

    @Test func `a cell that another device changed since stays, and is reported`() throws {
        let devices = try TwoDevices()
        let (phone, laptop) = (devices.phone, devices.laptop)
        let meal = soup(phone)
        try phone.add(meal)
        try devices.sync(phone, laptop)
        var mine = meal
        mine[.energy] = 410_000
        mine[.protein] = 21_000
        try phone.save(mine)
        try devices.sync(phone, laptop)
        var theirs = try laptop.require(Meal.self, meal.id)
        theirs[.energy] = 500_000
        try laptop.save(theirs)
        try devices.sync(phone, laptop)

        let undone = try phone.undo()
        #expect(undone.skipped.map(\.cell) == [.field("energy")])
        let now = try #require(try phone.meal(meal.id)?.meal)
        #expect(now[.energy] == 500_000 && now[.protein] == 20_000)

        try devices.sync(phone, laptop)
        #expect(try laptop.meal(meal.id)?.meal[.protein] == 20_000)
        #expect(
            try phone.withStore { try $0.stateHash() }
                == laptop.withStore { try $0.stateHash() })
    }

    @Test func `an addition that another device worked on is left alone`() throws {
        let devices = try TwoDevices()
        let (phone, laptop) = (devices.phone, devices.laptop)
        let meal = soup(phone)
        try phone.add(meal)
        try devices.sync(phone, laptop)
        var theirs = try laptop.require(Meal.self, meal.id)
        theirs.note = "with bread"
        try laptop.save(theirs)
        try devices.sync(phone, laptop)
        #expect(throws: HistoryError(.supersededByLaterEdits)) { try phone.undo() }
        #expect(try phone.meal(meal.id)?.meal.note == "with bread")
    }

    @Test func `what others have replaced is passed over only when that is asked for`() throws {
        let devices = try TwoDevices()
        let (phone, laptop) = (devices.phone, devices.laptop)
        _ = try phone.logWeight(grams: 80_000, on: LocalDate(day: day))
        let meal = soup(phone)
        try phone.add(meal)
        try devices.sync(phone, laptop)
        var theirs = try laptop.require(Meal.self, meal.id)
        theirs.note = "with bread"
        try laptop.save(theirs)
        try devices.sync(phone, laptop)

        #expect(throws: HistoryError(.supersededByLaterEdits)) { try phone.undo() }
        #expect(try phone.read { try $0.weighIns(on: day...day) }.count == 1)
        let undone = try phone.undo(passing: 1)
        #expect(undone.type == "weight.logged")
        #expect(undone.skipped.map(\.entity.id) == [meal.id], "the soup is reported")
        #expect(try phone.read { try $0.weighIns(on: day...day) }.isEmpty)
        #expect(try phone.meal(meal.id)?.meal.note == "with bread")
        #expect(throws: HistoryError(.supersededByLaterEdits)) { try phone.undo() }
        #expect(try phone.redo().type == "weight.logged")
        #expect(try phone.read { try $0.weighIns(on: day...day) }.count == 1)
        // Once the note is gone, the soup can be undone after all, and it is the latest again.
        try laptop.undo()
        try devices.sync(phone, laptop)
        #expect(try phone.undo().type == "meal.added")
        #expect(try phone.meal(meal.id) == nil)
    }

    @Test func `a replaced undo is passed over only when that is asked for`() throws {
        let devices = try TwoDevices()
        let (phone, laptop) = (devices.phone, devices.laptop)
        let (first, second) = (soup(phone), soup(phone))
        try phone.add(first)
        var edited = first
        edited[.energy] = 410_000
        try phone.save(edited)
        try phone.add(second)
        try phone.undo()
        try phone.undo()
        try devices.sync(phone, laptop)
        var theirs = try laptop.require(Meal.self, first.id)
        theirs[.energy] = 500_000
        try laptop.save(theirs)
        try devices.sync(phone, laptop)

        #expect(throws: HistoryError(.supersededByLaterEdits)) { try phone.redo() }
        #expect(try phone.meal(second.id) == nil)
        let redone = try phone.redo(passing: 1)
        #expect(redone.type == "meal.added" && redone.entities.map(\.id) == [second.id])
        #expect(redone.skipped.map(\.cell) == [.field("energy")])
        #expect(try phone.meal(first.id)?.meal[.energy] == 500_000)
        #expect(throws: HistoryError(.supersededByLaterEdits)) { try phone.redo() }
    }

    @Test func `saving what was read long ago keeps what arrived meanwhile`() throws {
        let devices = try TwoDevices()
        let (phone, laptop) = (devices.phone, devices.laptop)
        let meal = soup(phone)
        try phone.add(meal)
        try devices.sync(phone, laptop)
        let read = try phone.require(Meal.self, meal.id)
        var theirs = try laptop.require(Meal.self, meal.id)
        theirs[.protein] = 30_000
        try laptop.save(theirs)
        try devices.sync(phone, laptop)
        var edited = read
        edited.note = "with bread"
        try phone.save(edited, since: read)
        let now = try phone.require(Meal.self, meal.id)
        #expect(now[.protein] == 30_000 && now.note == "with bread")
        try phone.delete(Meal.self, meal.id)
        #expect(throws: EntryError(.deleted(.meal))) { try phone.save(edited, since: read) }
        #expect(throws: EntryError(.notFound(.meal))) {
            let unknown = soup(phone)
            try phone.save(unknown, since: unknown)
        }
    }

    @Test func `no one undoes what another device did`() throws {
        let devices = try TwoDevices()
        try devices.phone.add(soup(devices.phone))
        try devices.sync(devices.phone, devices.laptop)
        #expect(throws: HistoryError(.nothingToUndo)) { try devices.laptop.undo() }
    }

    @Test func `a batch of any size is undone as one, whatever came between`() throws {
        let devices = try TwoDevices()
        let replica = devices.phone
        let group = replica.newID()
        var meals: [Meal] = []
        for batch in 0..<3 {
            let new = (0..<100).map { _ in soup(replica) }
            try replica.record(new.map { .add($0, today: day) }, group: group)
            meals += new
            if batch == 1 { _ = try replica.logWeight(grams: 80_000, on: LocalDate(day: day)) }
        }
        let before = try replica.withStore { $0.log.lastSeq }
        let undone = try replica.undo()
        #expect(undone.events == 300 && undone.entities.count == 300)
        #expect(try replica.meals(on: day).isEmpty)
        #expect(try replica.read { try $0.weighIns(on: day...day) }.count == 1)
        // Few events of many changes each, and all of them within the limits.
        #expect(try replica.withStore { $0.log.lastSeq } - before <= 10)
        #expect(try replica.undo().type == "weight.logged")
    }

    @Test func `a meal added with its items goes and comes as a whole`() throws {
        let devices = try TwoDevices()
        let replica = devices.phone
        let meal = soup(replica)
        let item = MealItem(
            id: replica.newID(), of: meal.id, name: "Bread",
            nutrients: Nutrients(energy: 100_000))
        try replica.add(meal, items: [item])
        let other = MealItem(
            id: replica.newID(), of: meal.id, name: "Butter",
            nutrients: Nutrients(energy: 50_000))
        try replica.add(other)
        try replica.undo()
        #expect(try replica.meal(meal.id)?.totals[.energy] == 500_000)
        try replica.undo()
        #expect(try replica.meal(meal.id) == nil)
        #expect(try replica.entity(MealItem.self, item.id) == nil)
    }
}

extension UndoTests {
    /// A file whose two rows have the same ids on every device.
    private func file() throws -> CSVImport {
        try CSVImport(
            "date,name,kcal\n2024-03-10,Soup,400\n2024-03-10,Rice,200\n".utf8,
            mapping: try ImportMapping("date=date,name=name,energy=kcal"))
    }

    private func energies(_ replica: Replica) throws -> [Int64] {
        try replica.meals(on: day).compactMap { $0.meal[.energy] }.sorted()
    }

    @Test(arguments: [false, true])
    func `a file that two devices imported stays until both have undone it`(
        isLaptopFirst: Bool
    ) throws {
        let devices = try TwoDevices()
        let (phone, laptop) = (devices.phone, devices.laptop)
        for device in [phone, laptop] { try file().run(in: device) }
        try devices.sync(phone, laptop)
        let order = isLaptopFirst ? [laptop, phone] : [phone, laptop]
        for (count, device) in order.enumerated() {
            for each in order {
                #expect(try energies(each) == [200_000, 400_000])
                #expect(try each.conflicts().isEmpty)
            }
            let undone = try device.undo()
            #expect(undone.entities.isEmpty == (count == 0), "what the other imported stays")
            try devices.sync(phone, laptop)
            #expect(
                try phone.withStore { try $0.stateHash() }
                    == laptop.withStore { try $0.stateHash() })
        }
        for each in order { #expect(try energies(each) == []) }
    }

    @Test func `an import that was undone before the devices met leaves the other one's`() throws {
        let devices = try TwoDevices()
        let (phone, laptop) = (devices.phone, devices.laptop)
        for device in [phone, laptop] { try file().run(in: device) }
        try phone.undo()
        #expect(try energies(phone) == [])
        try devices.sync(phone, laptop)
        for each in [phone, laptop] { #expect(try energies(each) == [200_000, 400_000]) }
        #expect(
            try phone.withStore { try $0.stateHash() }
                == laptop.withStore { try $0.stateHash() })
    }

    @Test func `an undo that changes nothing names the device whose change is in force`() throws {
        let devices = try SyncedDevices()
        let (phone, laptop) = (devices.phone, devices.laptop)
        let added = try devices.run(phone, "add Soup --kcal 300 --json")
        let soup = try #require(added.firstMatch(of: /"id": ?"([^"]+)"/)).1
        try devices.sync(phone, laptop)
        for device in [phone, laptop] { try devices.run(device, "meal delete \(soup)") }
        try devices.sync(phone, laptop)
        let said = try phone.run(["undo"])
        #expect(
            said.errors.contains(" Soup stays as it is: b1 of laptop did the same (meal.deleted)"),
            "\(said)")
    }

    @Test func `an undo of what another device did in part has one line for each entry`() throws {
        let devices = try SyncedDevices()
        let (phone, laptop) = (devices.phone, devices.laptop)
        let rows = [
            "Date,Food,Calories,Protein", "2026-10-01,Soup,300,10", "2026-10-01,Rice,200,5",
        ]
        for (device, more) in [(phone, ["2026-10-01,Tea,2,0.1"]), (laptop, [])] {
            let file = device.folder.appending(path: "meals.csv")
            try Data((rows + more + [""]).joined(separator: "\n").utf8).write(to: file)
            try devices.run(device, "import csv meals.csv")
        }
        try devices.sync(phone, laptop)
        let said = try phone.run(["undo"])
        #expect(said.output.contains("Undid: "), "\(said)")
        let lines = said.errors.split(separator: "\n")
        #expect(lines.count == 2, "\(said)")
        for name in ["Soup", "Rice"] {
            #expect(
                lines.contains { $0.contains(" \(name), ") && $0.contains("energy") }, "\(said)")
        }
        let names = try devices.run(phone, "meal list --date 2026-10-01")
        #expect(names.contains("Soup") && names.contains("Rice") && !names.contains("Tea"))
    }

    @Test func `undo reaches nothing older than what it is asked for`() throws {
        let devices = try SyncedDevices()
        let (phone, laptop) = (devices.phone, devices.laptop)
        try devices.run(phone, "add Breakfast --kcal 400")
        let added = try devices.run(phone, "add Soup --kcal 300 --json")
        let soup = try #require(added.firstMatch(of: /"id": ?"([^"]+)"/)).1
        try devices.sync(phone, laptop)
        try devices.run(phone, "meal edit \(soup) --kcal 320")
        try devices.run(phone, "sync")
        devices.pause()
        try devices.run(laptop, "meal edit \(soup) --kcal 350")
        try devices.sync(laptop, phone)

        let refused = try phone.run(["undo"])
        #expect(refused.status == 65, "\(refused)")
        #expect(refused.errors.contains("macrolog undo 2"), "\(refused.errors)")
        #expect(try devices.run(phone, "meal list").contains("Breakfast"))
        // The addition of the soup would delete what the laptop has edited.
        #expect(try phone.run(["undo", "2"]).errors.contains("macrolog undo 3"))
        let done = try devices.run(phone, "undo 3")
        #expect(done.contains("Undid: addition of Breakfast"), "\(done)")
        #expect(done.matches(of: /skipped/).count == Set(done.split(separator: "\n")).count - 1)
        #expect(try !devices.run(phone, "meal list").contains("Breakfast"))
    }

    @Test func `what has defaults is saved after an undo has deleted it`() throws {
        let replica = try TwoDevices().phone
        for minutes in [240, 300] {
            var preferences = try replica.read { try $0.preferences() }
            #expect(preferences.dayStartMinutes == nil)
            preferences.dayStartMinutes = Int64(minutes)
            try replica.save(preferences)
            #expect(try replica.read { try $0.preferences() } == preferences)
            try replica.undo()

            var profile = try replica.read { try $0.profile() }
            profile.heightMillimeters = 1_700
            try replica.save(profile)
            #expect(try replica.read { try $0.profile() } == profile)
            try replica.undo()

            var log = try replica.read { try $0.dayLog(on: day) }
            #expect(log.note == nil)
            log.note = "after \(minutes)"
            try replica.save(log)
            #expect(try replica.read { try $0.dayLog(on: day) } == log)
            try replica.undo()
        }
    }

    @Test func `what has defaults is saved since it was read, deleted or never recorded`() throws {
        let replica = try TwoDevices().phone
        for _ in 1...2 {
            let read = try replica.read { try $0.preferences() }
            var preferences = read
            preferences.dayStartMinutes = 240
            try replica.save(preferences, since: read)
            #expect(try replica.read { try $0.preferences() }.dayStartMinutes == 240)
            try replica.undo()
        }
        // Anything else that is deleted is still refused.
        let soup = soup(replica)
        try replica.add(soup)
        try replica.undo()
        #expect(throws: EntryError(.deleted(.meal))) { try replica.save(soup) }
    }
}
