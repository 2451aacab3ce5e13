import Foundation
import Macrolog
import MacrologTestSupport
import Testing

/// Goal: what is planned becomes one meal, however often and wherever it is done. Method: two devices
/// of a person and the real server.
@Suite struct PlanningTests {
    let day = Day(year: 2026, month: 11, day: 20) ?? .earliest
    private let folder = ScratchFolder()

    private func plan(on replica: Replica) throws -> PlanEntry {
        let rice = Food(
            id: replica.newID(), name: "Rice", nutrients: Nutrients(energy: 350_000))
        try replica.add(rice)
        var entry = PlanEntry(id: replica.newID(), on: LocalDate(day: day), slot: "lunch")
        entry.foodID = rice.id
        entry.amount = Amount(milligrams: 200_000)
        try replica.add(entry)
        return entry
    }

    @Test func `a plan that is done on two devices apart becomes one meal`() async throws {
        let server = try RealServer()
        let phone = try await server.device("phone", of: "ana@example.org")
        let laptop = try await server.device("laptop", of: "ana@example.org")
        let entry = try plan(on: phone.replica)
        try await phone.sync()
        try await laptop.sync()
        let one = try phone.replica.write { try $0.perform(entry.id) }
        let other = try laptop.replica.write { try $0.perform(entry.id) }
        #expect(one == other)
        #expect(one.wasDone == false)
        for _ in 0..<2 {
            try await phone.sync()
            try await laptop.sync()
        }
        let meals = try laptop.replica.meals(on: day)
        #expect(meals.map(\.meal.id) == [one.meal])
        #expect(meals[0].items.count == 1)
        #expect(meals[0].totals[.energy] == 700_000)
        #expect(meals[0].meal.source == .plan)
        #expect(try phone.replica.entity(PlanEntry.self, entry.id)?.doneMealID == one.meal)
        #expect(
            try phone.replica.withStore { try $0.stateHash() }
                == laptop.replica.withStore { try $0.stateHash() })
        #expect(try phone.replica.write { try $0.perform(entry.id) }.wasDone)
        #expect(try phone.replica.meals(on: day).count == 1)
    }

    @Test func `one undo takes a done plan back, and it can be done again`() throws {
        let replica = try Replica.open(at: folder.file("log.db"))
        let entry = try plan(on: replica)
        let first = try replica.write { try $0.perform(entry.id) }
        try replica.undo()
        #expect(try replica.meals(on: day).isEmpty)
        #expect(try replica.entity(PlanEntry.self, entry.id)?.doneMealID == nil)
        let again = try replica.write { try $0.perform(entry.id) }
        #expect(again == first)
        #expect(try replica.meals(on: day).first?.totals[.energy] == 700_000)
        try replica.undo()
        #expect(try replica.meals(on: day).isEmpty)
    }

    @Test func `a deleted meal that is made again has nothing of the old one`() throws {
        let replica = try Replica.open(at: folder.file("log.db"))
        let items = ["Oats", "Milk", "Apple"].map {
            TemplateItem(name: $0, nutrients: Nutrients(energy: 100_000, protein: 5_000))
        }
        var template = MealTemplate(id: replica.newID(), name: "Breakfast", items: items)
        try replica.add(template)
        var entry = PlanEntry(id: replica.newID(), on: LocalDate(day: day))
        entry.templateID = template.id
        try replica.add(entry)
        let made = try replica.write { try $0.perform(entry.id) }.meal
        var meal = try replica.require(Meal.self, made)
        meal.note = "cold"
        meal.tags = ["quick"]
        try replica.save(meal)
        try replica.delete(Meal.self, made)
        template.items = [TemplateItem(name: "Rye", nutrients: Nutrients(energy: 200_000))]
        try replica.save(template)

        #expect(try replica.write { try $0.perform(entry.id) }.meal == made)
        let again = try #require(try replica.meal(made))
        #expect(again.items.map(\.name) == ["Rye"])
        #expect(again.totals[.energy] == 200_000 && again.totals[.protein] == nil)
        #expect(again.meal.note == nil && again.meal.tags.isEmpty)
        try replica.undo()
        #expect(try replica.meals(on: day).isEmpty)
    }

    @Test func `a deleted meal that is made again has nothing that was added to it by hand`() throws
    {
        let replica = try Replica.open(at: folder.file("log.db"))
        let entry = try plan(on: replica)
        let made = try replica.write { try $0.perform(entry.id) }.meal
        let honey = MealItem(
            id: replica.newID(), of: made, name: "Honey", nutrients: Nutrients(energy: 64_000))
        try replica.add(honey)
        try replica.delete(Meal.self, made)
        #expect(try replica.write { try $0.perform(entry.id) }.meal == made)
        #expect(try replica.meal(made)?.items.map(\.name) == ["Rice"])
        try replica.undo()
        #expect(try replica.meals(on: day).isEmpty)
    }

    @Test func `a plan is done whose meal was marked as not eaten`() throws {
        let replica = try Replica.open(at: folder.file("log.db"))
        let entry = try plan(on: replica)
        let made = try replica.write { try $0.perform(entry.id, isConsumed: false) }
        #expect(try replica.meal(made.meal)?.meal.isConsumed == false)
        let again = try replica.write { try $0.perform(entry.id) }
        #expect(again.meal == made.meal && again.wasDone)
        #expect(try replica.meal(made.meal)?.meal.isConsumed == true)
        #expect(try replica.meals(on: day).count == 1)
    }

    @Test func `the amount of the last time is that of what was eaten`() throws {
        let replica = try Replica.open(at: folder.file("log.db"))
        let rice = Food(
            id: replica.newID(), name: "Rice", nutrients: Nutrients(energy: 350_000))
        try replica.add(rice)
        for (days, grams, isConsumed) in [(0, 60, true), (20, 900, false)] {
            let later = LocalDate(day: day.advanced(by: days))
            let meal = Meal(id: replica.newID(), on: later, isConsumed: isConsumed)
            var item = MealItem(
                id: replica.newID(), of: meal.id, name: "Rice",
                amount: Amount(milligrams: Int64(grams) * 1_000))
            item.foodID = rice.id
            try replica.add(meal, items: [item])
        }
        #expect(
            try replica.read { try $0.lastPortion(of: rice.id) } == Amount(milligrams: 60_000))
    }

    @Test func `of several amounts of a day the one recorded last is the last`() throws {
        let replica = try Replica.open(at: folder.file("log.db"))
        let entry = try plan(on: replica)
        let food = try #require(entry.foodID)
        _ = try replica.write { try $0.perform(entry.id) }
        // Computed ids, as plans, copies and imports have, say nothing about the time.
        for grams in [30, 25, 90, 10] as [Int64] {
            let byte = UInt8(200 - grams)
            let id = try #require(Identifier(bytes: [UInt8](repeating: byte, count: 16)))
            let meal = Meal(id: id, on: entry.localDate)
            var item = MealItem(
                id: id, of: meal.id, name: "Rice", amount: Amount(milligrams: grams * 1_000))
            item.foodID = food
            try replica.add(meal, items: [item])
            #expect(
                try replica.read { try $0.lastPortion(of: food) }
                    == Amount(milligrams: grams * 1_000))
        }
    }

    @Test func `a week copied twice is there once, and keeps what was changed in it`() throws {
        let replica = try Replica.open(at: folder.file("log.db"))
        let entry = try plan(on: replica)
        _ = try replica.write { try $0.perform(entry.id) }
        let week = day.week()
        let next = week.lowerBound.advanced(by: 7)
        let copies = try replica.write { try $0.copyPlan(week, to: next) }
        #expect(copies.map(\.localDate.day) == [day.advanced(by: 7)])
        #expect(copies[0].doneMealID == nil)
        #expect(copies[0].amount == entry.amount)
        var moved = copies[0]
        moved.slot = "dinner"
        try replica.save(moved)
        #expect(try replica.write { try $0.copyPlan(week, to: next) }.isEmpty)
        #expect(try replica.read { try $0.plan(on: next.week()) }.map(\.slot) == ["dinner"])
        try replica.delete(PlanEntry.self, moved.id)
        #expect(try replica.write { try $0.copyPlan(week, to: next) }.map(\.slot) == ["lunch"])
        #expect(try replica.read { try $0.plan(on: next.week()) }.count == 1)
    }

    @Test func `past meals take over what a food holds now, on purpose and in one action`() throws {
        let replica = try Replica.open(at: folder.file("log.db"))
        let entry = try plan(on: replica)
        let food = try #require(entry.foodID)
        func log(_ daysAgo: Int, _ amount: Amount, edited: Bool = false) throws {
            let meal = Meal(id: replica.newID(), on: LocalDate(day: day.advanced(by: -daysAgo)))
            var item = MealItem(
                id: replica.newID(), of: meal.id, name: "Rice", amount: amount,
                nutrients: Nutrients(energy: 350_000))
            item.foodID = food
            if edited { item.isEditedByUser = true }
            try replica.add(meal, items: [item])
        }
        try log(9, Amount(milligrams: 100_000))
        try log(2, Amount(milligrams: 100_000))
        try log(1, Amount(milligrams: 100_000), edited: true)
        try log(0, Amount(milli: 1_000, unit: "bowl"))
        #expect(
            try replica.read { try $0.lastPortion(of: food) } == Amount(milli: 1_000, unit: "bowl"))
        var changed = try replica.require(Food.self, food)
        changed[.energy] = 360_000
        changed[.protein] = 7_000
        try replica.save(changed)
        func energies() throws -> [Int64?] {
            try replica.meals(on: day.lastDays(10)).map { $0.totals[.energy] }
        }
        let from = day.advanced(by: -5)
        let forecast = try replica.write {
            try $0.applyToHistory(food, from: from, isForecast: true)
        }
        #expect(try energies() == [350_000, 350_000, 350_000, 350_000])
        let result = try replica.write { try $0.applyToHistory(food, from: from) }
        #expect(result == forecast)
        #expect(result.edits.map(\.new.nutrients) == [Nutrients(energy: 360_000, protein: 7_000)])
        #expect((result.edited.count, result.unmeasured.count) == (1, 1))
        #expect(try energies() == [350_000, 360_000, 350_000, 350_000])
        #expect(try replica.write { try $0.applyToHistory(food, from: from) }.same == 1)
        try replica.undo()
        #expect(try energies() == [350_000, 350_000, 350_000, 350_000])
    }
}
