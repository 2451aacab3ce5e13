import Macrolog
import MacrologEvents
import MacrologNutrition
import MacrologNutritionModels
import MacrologReadModels
import Testing

/// Goal: the commands for conflicts name what is asked about, and take together what belongs together.
/// Method: real replicas, whose events a list puts into the server's order; the real program types the
/// changes and the answers.
@Suite struct ConflictCommandTests {
    let day = Day(year: 2024, month: 3, day: 10) ?? .earliest

    @Test func `a conflict names the food of a measure, and the day of what has no name`() throws {
        let devices = try TwoDevices()
        let (phone, laptop) = (devices.phone, devices.laptop)
        let water = Water(id: phone.newID(), on: LocalDate(day: day), microliters: 250_000)
        try phone.add(water)
        _ = try devices.ask(phone, "food add Toast --kcal 250")
        _ = try devices.ask(phone, "food portion add Toast slice 30g")
        try devices.sync(phone, laptop)
        for (device, number) in [(phone, 31), (laptop, 32)] {
            _ = try devices.ask(device, "food portion add Toast slice \(number)g")
            _ = try devices.ask(device, "water edit \(water.id) --amount \(number)0ml")
        }
        try devices.sync(phone, laptop)
        let list = try devices.ask(phone, "conflicts list").output
        #expect(list.contains(#/measure [0-9a-f]{4} slice of Toast: /#), "\(list)")
        #expect(list.contains(#/water [0-9a-f]{4} of 2024-03-10: /#), "\(list)")
    }

    @Test func `an amount and its nutrients are one question, with one answer`() throws {
        let devices = try TwoDevices()
        let (phone, laptop) = (devices.phone, devices.laptop)
        for words in ["food add Oats --kcal 380 --p 12", "add Oats --grams 100 --date 2024-03-10"] {
            #expect(try devices.ask(phone, words).status == 0)
        }
        try devices.sync(phone, laptop)
        let meal = try #require(try phone.read { try $0.meals(on: day) }.first)
        let item = try #require(meal.items.first)
        let short = item.id.lastDigits(4)
        for (device, grams) in [(phone, 150), (laptop, 50)] {
            #expect(try devices.ask(device, "item edit \(short) --grams \(grams)").status == 0)
        }
        try devices.sync(phone, laptop)
        let list = try devices.ask(phone, "conflicts list").output
        #expect(list.contains("item \(short) Oats: amount, "), "\(list)")
        #expect(list.split(separator: "\n").filter { $0.hasPrefix("lost") }.count == 1, "\(list)")
        let shown = try devices.ask(phone, "conflicts show \(short)").output
        #expect(shown.contains("macrolog conflicts use-other \(short)\n"), "\(shown)")
        #expect(shown.contains("macrolog conflicts keep \(short)\n"), "\(shown)")
        let resolved = try devices.ask(phone, "conflicts use-other \(short)").output
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
            #expect(try devices.ask(device, "item edit \(short) --grams \(grams)").status == 0)
        }
        try devices.sync(phone, laptop)
        let one = try devices.ask(phone, "conflicts keep \(short) energy").output
        #expect(one.contains("Still in conflict: "), "\(one)")
    }

    @Test func `two answers about several fields at once are one question more, with one answer`()
        throws
    {
        let devices = try TwoDevices()
        let (phone, laptop) = (devices.phone, devices.laptop)
        for words in ["food add Oats --kcal 380 --p 12", "add Oats --grams 100 --date 2024-03-10"] {
            #expect(try devices.ask(phone, words).status == 0)
        }
        try devices.sync(phone, laptop)
        let item = try #require(try phone.read { try $0.meals(on: day) }.first?.items.first)
        let short = item.id.lastDigits(4)
        for (device, grams) in [(phone, 150), (laptop, 50)] {
            #expect(try devices.ask(device, "item edit \(short) --grams \(grams)").status == 0)
        }
        try devices.sync(phone, laptop)
        #expect(try devices.ask(phone, "conflicts keep \(short)").status == 0)
        #expect(try devices.ask(laptop, "conflicts use-other \(short)").status == 0)
        try devices.sync(phone, laptop)
        let list = try devices.ask(laptop, "conflicts list").output
        #expect(list.split(separator: "\n").filter { $0.hasPrefix("lost") }.count == 1, "\(list)")
        let before = try phone.require(MealItem.self, item.id)
        let said = try devices.ask(phone, "conflicts use-other \(short)")
        #expect(said.status == 0, "\(said)")
        try devices.sync(phone, laptop)
        for device in [phone, laptop] {
            #expect(try device.conflicts().isEmpty)
            let now = try device.require(MealItem.self, item.id)
            let mass = try #require(now.amount?.milligrams)
            #expect(mass != before.amount?.milligrams)
            #expect(now.nutrients == item.nutrients.scaled(part: mass, whole: 100_000))
        }
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
            let said = try devices.ask(phone, words)
            #expect(said.status == 0 && !(said.output + said.errors).contains("\u{1B}"), "\(words)")
        }
    }

    @Test(arguments: ["", " date"])
    func `the meal slot and when it was eaten go with the move that lost`(field: String) throws {
        let devices = try TwoDevices()
        let (phone, laptop) = (devices.phone, devices.laptop)
        _ = try devices.ask(phone, "add Soup --kcal 400 --at 2024-03-10T08:00")
        try devices.sync(phone, laptop)
        let meal = try #require(try phone.read { try $0.meals(on: day) }.first).meal
        #expect(meal.slot == "breakfast")
        let short = meal.id.lastDigits(4)
        _ = try devices.ask(phone, "meal move \(short) --time 12:30")
        _ = try devices.ask(laptop, "meal move \(short) 2024-03-09")
        try devices.sync(laptop, phone)
        #expect(try phone.require(Meal.self, meal.id).slot == "lunch")
        let shown = try devices.ask(laptop, "conflicts use-other \(short)\(field)")
        #expect(shown.output.contains("meal slot Breakfast"), "\(shown)")
        try devices.sync(laptop, phone)
        for device in [phone, laptop] {
            let now = try device.require(Meal.self, meal.id)
            #expect(now.slot == "breakfast" && now.localDate.day.description == "2024-03-09")
            #expect(now.localDate.minuteOfDay == 480)
            #expect(now.consumedAt != nil && now.consumedAt == now.localDate.occurredAt)
            #expect(try device.conflicts().isEmpty)
        }
        #expect(try devices.ask(laptop, "undo").status == 0)
        #expect(try laptop.require(Meal.self, meal.id).slot == "lunch", "one action")
    }

    @Test func `a meal that is moved gets the slot of its time, unless another was chosen`() throws
    {
        let devices = try TwoDevices()
        let phone = devices.phone
        for (options, slot) in [
            ("--at 2024-03-10T08:00", "lunch"), ("--at 2024-03-10T08:00 --slot snack", "snack"),
            ("--date 2024-03-10 --slot dinner", "dinner"),
        ] as [(String, UTF8Text)] {
            _ = try devices.ask(phone, "add Soup --kcal 400 \(options)")
            let meal = try #require(try phone.read { try $0.meals(on: day) }.last).meal
            _ = try devices.ask(phone, "meal move \(meal.id.lastDigits(4)) --time 12:30")
            #expect(try phone.require(Meal.self, meal.id).slot == slot, "\(options)")
            try phone.delete(Meal.self, meal.id)
        }
    }

    @Test func `a slot that was chosen apart from the move stays`() throws {
        let devices = try TwoDevices()
        let (phone, laptop) = (devices.phone, devices.laptop)
        _ = try devices.ask(phone, "add Soup --kcal 400 --at 2024-03-10T08:00")
        try devices.sync(phone, laptop)
        let meal = try #require(try phone.read { try $0.meals(on: day) }.first).meal
        let short = meal.id.lastDigits(4)
        _ = try devices.ask(phone, "meal move \(short) --time 12:30")
        _ = try devices.ask(phone, "meal move \(short) --slot snack")
        _ = try devices.ask(laptop, "meal move \(short) 2024-03-09")
        try devices.sync(laptop, phone)
        #expect(try devices.ask(laptop, "conflicts use-other \(short)").status == 0)
        #expect(try laptop.require(Meal.self, meal.id).slot == "snack")
    }

    @Test
    func `a plan that two devices did at once is one meal, and its times are said to look alike`()
        throws
    {
        let devices = try TwoDevices()
        let (phone, laptop) = (devices.phone, devices.laptop)
        var plan = PlanEntry(id: phone.newID(), on: LocalDate(day: day), slot: "dinner")
        plan.name = "Soup"
        try phone.add(plan)
        try devices.sync(phone, laptop)
        for (device, second) in [(phone, 1), (laptop, 2)] as [(Replica, Int64)] {
            let date = LocalDate(
                day: day, occurredAt: 1_710_072_000_000 + second * 1_000, zone: "UTC",
                offsetMinutes: 0)
            _ = try device.write { try $0.perform(plan.id, on: date) }
        }
        try devices.sync(phone, laptop)
        #expect(try phone.read { try $0.meals(on: day) }.count == 1)
        let list = try devices.ask(phone, "conflicts list").output
        #expect(list.contains("2024-03-10 12:00"), "\(list)")
        #expect(list.contains("differ by less than is shown"), "\(list)")
    }
}
