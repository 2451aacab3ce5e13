import MacrologLog
import MacrologEvents
import Foundation
import MacrologJSON
import Macrolog
import MacrologNutrition
import MacrologNutritionModels
import MacrologReadModels
import Testing

/// Goal: the log can be seen as it was, and every total can say which events made it.
/// Method: real replicas; what was seen at each moment is compared with what the past shows later.
@Suite struct PastTests {
    let day = Day(year: 2024, month: 3, day: 10) ?? .earliest
    let next = Day(year: 2024, month: 3, day: 11) ?? .earliest

    private struct Sight: Equatable {
        let summaries: [DaySummary]
        let meals: [MealDetail]
        let conflicts: Int
    }

    private func sight(_ replica: Replica) throws -> Sight {
        Sight(
            summaries: [try replica.summary(of: day), try replica.summary(of: next)],
            meals: try replica.meals(on: day...next),
            conflicts: try replica.conflicts().count)
    }

    @Test func `each moment is seen later as it was seen then`() throws {
        let devices = try TwoDevices()
        let (phone, laptop) = (devices.phone, devices.laptop)
        var sights: [(dot: Dot, sight: Sight)] = []
        func note() throws {
            try devices.sync(phone, laptop)
            sights.append((try phone.latestEvents(1)[0].event.dot, try sight(phone)))
        }
        let soup = Meal(
            id: phone.newID(), on: LocalDate(day: day), dishName: "Soup", slot: "lunch",
            nutrients: Nutrients(energy: 400_000, protein: 20_000))
        try phone.add(soup)
        try note()
        let leek = MealItem(
            id: laptop.newID(), of: soup.id, name: "Leek", nutrients: Nutrients(energy: 30_000))
        try laptop.add(leek)
        try note()
        for (device, energy) in [(phone, 410_000), (laptop, 420_000)] as [(Replica, Int64)] {
            var edited = try device.require(Meal.self, soup.id)
            edited[.energy] = energy
            try device.save(edited)
        }
        try note()
        try phone.resolve([.use(loser: 0, of: try #require(try phone.conflicts().first))])
        try note()
        try phone.undo()
        try note()
        var moved = try phone.require(Meal.self, soup.id)
        moved.localDate = LocalDate(day: next)
        try phone.save(moved)
        try note()
        try laptop.delete(MealItem.self, leek.id)
        try note()
        try phone.delete(Meal.self, soup.id)
        try note()
        #expect(try phone.meals(on: day...next).isEmpty)
        for device in [phone, laptop] {
            for (index, then) in sights.enumerated() {
                let past = try device.snapshot(asOf: .event(then.dot))
                #expect(try sight(past) == then.sight, "moment \(index)")
            }
        }
        #expect(sights[2].sight.conflicts == 1)
        #expect(sights[0].sight.meals[0].totals[.energy] == 400_000)
    }

    @Test func `what waits to be sent is seen with what its device had seen`() throws {
        let devices = try TwoDevices()
        let replica = devices.phone
        for energy: Int64 in [100_000, 200_000, 300_000] {
            try replica.add(
                Meal(
                    id: replica.newID(), on: LocalDate(day: day), dishName: "Bread",
                    nutrients: Nutrients(energy: energy)))
        }
        let a2 = try #require(try replica.notation().dot("a2"))
        let past = try replica.snapshot(asOf: .event(a2))
        #expect(try past.summary(of: day).totals[.energy] == 300_000)
        #expect(try replica.snapshot(asOf: .time(0)).meals(on: day).isEmpty)
        #expect(try replica.snapshot(asOf: .time(.max)).meals(on: day).count == 3)
        let a9 = Dot(device: a2.device, seq: 9)
        #expect(throws: HistoryError(.noSuchEvent)) { try replica.snapshot(asOf: .event(a9)) }
    }

    @Test func `a time sees what was sealed by then, whenever it arrived`() throws {
        let devices = try TwoDevices()
        for device in [devices.phone, devices.laptop] {
            try device.add(
                Meal(
                    id: device.newID(), on: LocalDate(day: day), dishName: "Bread",
                    nutrients: Nutrients(energy: 100_000)))
        }
        try devices.sync(devices.phone, devices.laptop)
        // The list seals number n at this many milliseconds.
        let first = try devices.phone.snapshot(asOf: .time(1_800_000_000_001))
        #expect(try first.meals(on: day).count == 1)
        let both = try devices.phone.snapshot(asOf: .time(1_800_000_000_002))
        #expect(try both.meals(on: day).count == 2)
    }

    @Test func `the past is not written`() throws {
        let devices = try TwoDevices()
        let replica = devices.phone
        let past = try replica.snapshot(asOf: .time(.max))
        #expect(throws: ReplicaError(LogError(.readOnlySnapshot))) {
            try past.logWeight(grams: 80_000, on: LocalDate(day: day))
        }
        #expect(throws: ReplicaError(LogError(.readOnlySnapshot))) {
            try past.compact(olderThanDays: 30)
        }
        past.releaseFile()
        #expect(try past.meals(on: day).isEmpty)
        #expect(try replica.logDevices().map(\.events) == [0])
    }

    @Test func `a total is the sum of its meals, and names the events that made them`() throws {
        let devices = try TwoDevices()
        let (phone, laptop) = (devices.phone, devices.laptop)
        let oats = Meal(
            id: phone.newID(), on: LocalDate(day: next), dishName: "Oats",
            nutrients: Nutrients(energy: 380_000, protein: 12_000))
        let soup = Meal(
            id: phone.newID(), on: LocalDate(day: day), dishName: "Soup",
            nutrients: Nutrients(energy: 400_000))
        try phone.add(oats)
        try phone.add(soup)
        try devices.sync(phone, laptop)
        var edited = try laptop.require(Meal.self, soup.id)
        edited[.energy] = 410_000
        edited.consumedShareBasisPoints = 5_000
        try laptop.save(edited)
        try laptop.add(
            MealItem(
                id: laptop.newID(), of: soup.id, name: "Leek",
                nutrients: Nutrients(energy: 30_001)))
        var moved = try phone.require(Meal.self, oats.id)
        moved.localDate = LocalDate(day: day)
        try phone.save(moved)
        // What does not count is not explained.
        let planned = Meal(
            id: phone.newID(), on: LocalDate(day: day), dishName: "Cake",
            nutrients: Nutrients(energy: 500_000))
        try phone.add(planned)
        try phone.write { try $0.markConsumed(planned.id, false) }
        try devices.sync(phone, laptop)

        for device in [phone, laptop] {
            var notation = try device.notation()
            let why = try device.read { try $0.explain(day) }
            let totals = try device.summary(of: day).totals
            #expect(why.map(\.nutrient) == [.energy, .protein])
            for explanation in why {
                #expect(explanation.total == totals[explanation.nutrient])
                #expect(explanation.total == explanation.parts.reduce(0) { $0 + $1.amount })
            }
            let parts = why[0].parts.map { part in
                (part.meal.meal.dishName ?? "", part.events.map { notation.write($0.event.dot) })
            }
            #expect(Set(parts.map(\.0)) == ["Oats", "Soup"])
            for (title, events) in parts {
                #expect(events == (title == "Oats" ? ["a1", "a3"] : ["a2", "b1", "b2"]))
            }
            #expect(why[1].parts.map(\.meal.meal.dishName) == ["Oats"])
        }
    }

    @Test func `the explanation comes as JSON, with exact numbers and the events`() throws {
        let computer = try Computer()
        let at = ["--at", "2024-03-10T07:40"]
        _ = try computer.run(["add", "Oats", "--kcal", "223.2"] + at)
        let result = try computer.run(["day", "show", "2024-03-10", "--explain", "--json"])
        let json = try JSON.parse(Array(result.output.utf8))
        let energy = try #require(json["explanations"]?.array?.first)
        #expect(energy["total_kcal"] == .number("223.2"))
        let part = try #require(energy["parts"]?.array?.first)
        #expect(part["amount_kcal"] == .number("223.2"))
        #expect(part["events"]?.array?.first?["event"]?.string == "a1")
        for words in [
            "day show 2024-03-10 --as-of a1", "device list", "redo", "conflicts list",
        ] {
            _ = try computer.run(["undo"])
            let result = try computer.run(Transcript.words("macrolog \(words) --json"))
            #expect(result.status == 0, "\(words): \(result.errors)")
            #expect(throws: Never.self) { try JSON.parse(Array(result.output.utf8)) }
        }
    }
}
