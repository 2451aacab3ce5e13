import MacrologEvents
import MacrologFormats
import Foundation
import MacrologLog
import Macrolog
import MacrologNutrition
import MacrologTestSupport
import Testing

/// Goal: a file that this program wrote comes back: into the same log nothing changes, into an empty
/// one everything is there again, so that the second export is the first, to the byte.
/// Method: random diaries (`MACROLOG_TEST_SEED_BASE`, `MACROLOG_TEST_SEEDS`), and one by hand.
@Suite struct OwnFileTests {
    static func export(_ what: CSVExport.What, _ world: World) throws -> String {
        var text = ""
        try CSVExport().write(what, of: world.replica) { text += $0 }
        return text
    }

    static let seeds = Dice.seeds(12)

    @Test(arguments: seeds)
    func `any diary comes back to the byte, and changes nothing where it is`(seed: UInt64) throws {
        let world = try World()
        var diary = RandomDiary(seed: seed)
        try diary.fill(world.replica)
        for what in CSVExport.What.allCases {
            let text = try Self.export(what, world)
            let before = try world.replica.withStore { $0.log.lastSeq }
            let again = try World.file(text).run(in: world.replica)
            #expect(again.same == again.total, "seed \(seed), \(what): \(again)")
            #expect(try world.replica.withStore { $0.log.lastSeq } == before, "seed \(seed)")

            let other = try World()
            let (summary, rows) = try other.run(text)
            #expect(summary.new == summary.total, "seed \(seed), \(what): \(rows.map(word))")
            #expect(try Self.export(what, other) == text, "seed \(seed), \(what)")
        }
    }

    @Test(arguments: seeds)
    func `the days of a diary that came back have the same sums and parts`(seed: UInt64) throws {
        let (world, other) = (try World(), try World())
        var diary = RandomDiary(seed: seed)
        try diary.fill(world.replica)
        try other.run(try Self.export(.meals, world))
        for day in diary.days {
            let (one, two) = (
                try world.replica.meals(on: day), try other.replica.meals(on: day)
            )
            #expect(one.map(\.totals) == two.map(\.totals), "seed \(seed), \(day)")
            #expect(one.map(\.meal.tags) == two.map(\.meal.tags), "seed \(seed), \(day)")
            #expect(one.map(\.meal.localDate.occurredAt) == two.map(\.meal.localDate.occurredAt))
            #expect(one.map { $0.items.map(\.id) } == two.map { $0.items.map(\.id) })
        }
    }

    /// A meal of three parts with tags and a nutrient of one's own, at the second 01:30 of a night.
    static func supper(_ world: World) throws -> Meal {
        let day = try #require(Day("2026-10-25"))
        let betaine = try #require(Nutrient(key: "x:betaine"))
        try world.replica.add(CustomNutrient(betaine, name: "Betaine, dry", unit: .milligrams))
        var meal = Meal(
            id: Identifier(high: 7, low: 1),
            on: LocalDate(
                day: day, occurredAt: 1_792_890_030_125, zone: "Europe/Zurich", offsetMinutes: 60),
            dishName: "Supper", slot: "dinner")
        meal.tags = ["late; but good", "two"]
        var nutrients = Nutrients(energy: 8_775, protein: 1_125)
        nutrients[betaine] = 2_500
        let items = (0..<3).map { index in
            MealItem(
                id: Identifier(high: 8, low: 9 - UInt64(index)), of: meal.id, name: "Part \(index)",
                amount: Amount(milligrams: 1_125), nutrients: nutrients)
        }
        var placed = items
        for index in placed.indices { placed[index].position = "\(index)" }
        try world.replica.add(meal, items: placed)
        return meal
    }

    @Test func `a meal of three parts stays one, with tags, own nutrients and numbers like 8.775`()
        throws
    {
        let (world, other) = (try World(), try World())
        let meal = try Self.supper(world)
        let text = try Self.export(.meals, world)
        #expect(text.contains(",2026-10-25T02:00:30.125+01:00,Europe/Zurich,"))
        #expect(text.contains("\"x:betaine Betaine, dry [mg]\""))
        let file = try World.file(text)
        #expect(file.knownFile?.name == "Macrolog meals")
        #expect(try other.run(text).rows.map(word) == ["new", "new", "new"])
        let back = try #require(try other.replica.meal(meal.id))
        #expect(back.items.map(\.name) == ["Part 0", "Part 1", "Part 2"])
        #expect(Set(back.meal.tags) == Set(meal.tags) && back.meal.localDate == meal.localDate)
        #expect(back.items[0].nutrients.entries.last?.amount == 2_500)
        #expect(try other.replica.entities(CustomNutrient.self).map(\.name) == ["Betaine, dry"])
    }

    @Test func `what was changed in the file is changed, and nothing else`() throws {
        let world = try World()
        let meal = try Self.supper(world)
        let text = try Self.export(.meals, world)
        let lines = text.split(separator: "\r\n", omittingEmptySubsequences: false)
        var edited = lines
        edited[2] = Substring(edited[2].replacing(",8.775,", with: ",9,"))
        let rows = try world.run(edited.joined(separator: "\r\n")).rows
        #expect(rows.map(word) == ["same", "energy 8.775 kcal → 9 kcal", "same"])
        #expect(try world.replica.meal(meal.id)?.items[1][.energy] == 9_000)
        try world.replica.undo()
        #expect(try world.replica.meal(meal.id)?.items[1][.energy] == 8_775)

        let renamed = lines.map { $0.replacing(",Supper,", with: ",Dinner,") }
            .joined(separator: "\r\n")
        let named = try world.run(renamed).rows.map(word)
        #expect(named == ["name \"Supper\" → \"Dinner\"", "same", "same"])
        edited = lines
        edited[2] = Substring(edited[2].replacing(",Supper,", with: ",Lunch,"))
        let torn = try world.run(edited.joined(separator: "\r\n"))
        #expect(torn.summary.rejected == 1)
        #expect(word(torn.rows[1]).hasPrefix("line 3, dish: is not what line 2 says of the same"))
    }

    @Test func `a meal whose item alone was renamed is refused, and does not count twice`() throws {
        let world = try World()
        let day = try #require(Day("2026-10-25"))
        var meal = Meal(
            id: world.replica.newID(), on: LocalDate(day: day), dishName: "Salmon", slot: "dinner",
            nutrients: Nutrients(energy: 400_000))
        meal.isConsumed = true
        try world.replica.add(meal)
        let text = try Self.export(.meals, world)
        let parts = text.components(separatedBy: "Salmon")
        try #require(parts.count == 3, "dish and item")
        let item = [parts[0], "Salmon", parts[1], "Wild salmon", parts[2]].joined()
        let refused = try world.run(item)
        #expect(refused.summary.rejected == 1 && refused.summary.group == nil)
        #expect(word(refused.rows[0]).contains("write the new name as dish and as item"))
        #expect(try world.replica.meal(meal.id)?.items.isEmpty == true)
        let renamed = try world.run(text.replacing("Salmon", with: "Wild salmon")).rows.map(word)
        #expect(renamed == ["name \"Salmon\" → \"Wild salmon\""])
    }

    @Test func `the day, the time and the zone of a row can be changed`() throws {
        let world = try World()
        let meal = try Self.supper(world)
        let text = try Self.export(.meals, world)
        try world.run(text.replacing(",02:00:30,", with: ",03:00,"))
        #expect(try world.replica.meal(meal.id)?.meal.localDate.minuteOfDay == 180)
        try world.run(text.replacing("\r\n2026-10-25,", with: "\r\n2026-10-26,"))
        let moved = try #require(try world.replica.meal(meal.id)?.meal.localDate)
        #expect(moved.day.description == "2026-10-26")
        // The instant in the file is still that of the day before.
        let again = try world.run(text.replacing("\r\n2026-10-25,", with: "\r\n2026-10-26,"))
        #expect(again.summary.changed == 0, "\(again.rows.map(word))")
        #expect(try world.replica.meal(meal.id)?.meal.localDate == moved)
    }

    @Test func `what a person deleted stays deleted, and is said`() throws {
        let world = try World()
        let meal = try Self.supper(world)
        let text = try Self.export(.meals, world)
        try world.replica.delete(MealItem.self, Identifier(high: 8, low: 8))
        #expect(try world.run(text).rows.map(word) == ["same", "deleted", "same"])
        try world.replica.delete(Meal.self, meal.id)
        #expect(try world.run(text).summary.deleted == 3 && world.replica.meal(meal.id) == nil)
        #expect(try world.run(text) { $0.restoresDeleted = true }.summary.deleted == 0)
        #expect(try Self.export(.meals, world) == text)
    }

    @Test func `an import that was undone comes in again`() throws {
        let (world, other) = (try World(), try World())
        let meal = try Self.supper(world)
        let text = try Self.export(.meals, world)
        try other.run(text)
        try other.replica.undo()
        #expect(try other.replica.meal(meal.id) == nil)
        #expect(try other.run(text).rows.map(word) == ["back", "back", "back"])
        #expect(try Self.export(.meals, other) == text)
    }

    @Test(arguments: [",", ".", ";"]) func `whatever mark a spreadsheet used, nothing is refused`(
        mark: String
    ) throws {
        let (world, other) = (try World(), try World())
        _ = try Self.supper(world)
        var export = CSVExport()
        if mark != "." { export.decimalMark = .comma }
        if mark == ";" { export.delimiter = UInt8(ascii: ";") }
        var text = ""
        try export.meals(of: world.replica) { text += $0 }
        let summary = try other.run(text) { $0.decimalMark = mark == "," ? .auto : .point }.summary
        #expect(summary.new == 3)
        #expect(try Self.export(.meals, other) == Self.export(.meals, world))
    }

    @Test func `the layout of version 0.1.0 is read, and its meals stay whole`() throws {
        let text = """
            local_date,time,tz,meal_type,dish,item,brand,amount,unit,grams,kcal,protein_g,carbs_g,\
            fat_g,fiber_g,sugars_g,added_sugars_g,sat_fat_g,trans_fat_g,mono_fat_g,poly_fat_g,\
            alcohol_g,water_g,polyols_g,cholesterol_mg,sodium_mg,potassium_mg,calcium_mg,iron_mg,\
            magnesium_mg,zinc_mg,vit_a_mg,vit_c_mg,vit_d_mg,vit_b12_mg,caffeine_mg,share_pct,\
            consumed,estimated,source,note,meal_id,item_id
            2026-11-01,18:00,Europe/Zurich,dinner,Curry,Rice,,120.5,g,120.5,8.775,1.001,,,,,,,,,,,,,\
            ,,,,,,,,,,,,100,true,,manual,hot,00000000-0000-0007-0000-000000000001,\
            00000000-0000-0008-0000-00000000000a
            2026-11-01,18:00,Europe/Zurich,dinner,Curry,Dal,,120.5,g,120.5,8.775,1.001,,,,,,,,,,,,,\
            ,,,,,,,,,,,,100,true,,manual,,00000000-0000-0007-0000-000000000001,\
            00000000-0000-0008-0000-00000000000b
            """
        let world = try World()
        let (summary, rows) = try world.run(text)
        #expect(summary.new == 2, "\(rows.map(word))")
        let meals = try world.replica.meals(on: .earliest ... .latest)
        #expect(meals.map { $0.items.map(\.name) } == [["Rice", "Dal"]])
        #expect(meals[0].meal.localDate.minuteOfDay == 1_080 && meals[0].meal.note == "hot")
        #expect(try world.run(text).summary.same == 2)
    }

    @Test func `an import that was interrupted is completed, and one undo undoes all`() throws {
        let (world, other) = (try World(), try World())
        var diary = RandomDiary(seed: 5)
        try diary.fill(world.replica, meals: 1_300)
        let text = try Self.export(.meals, world)
        let file = try World.file(text)
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try file.run(in: other.replica, each: { _ in throw Stop() })
        }
        let part = try file.plan(in: other.replica)
        #expect(part.same >= 1_000 && part.new > 0)
        for _ in 0..<5 { try other.replica.logWeight(grams: 80_000, on: other.replica.localDate()) }
        let rest = try file.run(in: other.replica)
        #expect(rest.new == part.new && rest.same == part.same && rest.notices.count == 1)
        #expect(try Self.export(.meals, other) == text)
        try other.replica.undo()
        #expect(try other.replica.meals(on: .earliest ... .latest).isEmpty)
        #expect(try other.replica.read { try $0.weighIns(on: .earliest ... .latest) }.count == 5)
        try other.replica.redo()
        #expect(try Self.export(.meals, other) == text)
    }

    @Test func `an import that is complete is not continued by the next of the same file`() throws {
        let world = try World()
        let rows = (0..<1_500).map { "2026-11-01,Rice,\($0)\n" }.joined()
        let map = "date=date,name=name,energy=kcal"
        let file = try World.file("date,name,kcal\n" + rows, map) { $0.restoresDeleted = true }
        let first = try file.run(in: world.replica)
        let meals = try world.replica.meals(on: .earliest ... .latest)
        try world.replica.delete(Meal.self, meals[0].meal.id)
        let second = try file.run(in: world.replica)
        #expect(second.new == 1 && second.group != first.group)
        try world.replica.undo()
        #expect(try world.replica.meals(on: .earliest ... .latest).count == 1_499)
    }

    /// The log of a process that was killed in the middle is one whose later transactions are
    /// missing; much was recorded before it was run again.
    @Test func `however much was recorded in between, the interrupted part is undone, too`()
        throws
    {
        let world = try World()
        var text = "date,name,kcal\n"
        for index in 0..<2_500 { text += "2026-11-01,Rice,\(index)\n" }
        let file = try World.file(text, "date=date,name=name,energy=kcal")
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try file.run(in: world.replica, each: { if $0.line > 1_500 { throw Stop() } })
        }
        #expect(try file.plan(in: world.replica).same == 2_000)
        let today = try world.replica.today()
        try world.replica.record(
            (0..<1_200).map { index in
                .add(
                    Water(
                        id: Identifier(high: 1, low: index), on: LocalDate(day: today),
                        microliters: 250_000), today: today)
            })
        #expect(try file.run(in: world.replica).new == 500)
        try world.replica.undo()
        #expect(try world.replica.meals(on: .earliest ... .latest).isEmpty)
        #expect(try world.replica.entities(Water.self, on: today...today).count == 1_200)
    }
}

/// A diary decided by a seed: every field that a file has a column for, with texts that are awkward
/// in a table.
struct RandomDiary {
    private var dice: Dice
    private(set) var days: [Day] = []

    init(seed: UInt64) { dice = Dice(seed: seed) }

    private mutating func roll(_ range: ClosedRange<Int64>) -> Int64 { dice.roll(range) }

    private mutating func oneIn(_ count: Int64) -> Bool { roll(1...count) == 1 }

    private mutating func id() -> Identifier { Identifier(high: dice.next(), low: dice.next()) }

    private mutating func text(lines: Bool = false) -> String {
        let parts =
            [
                "Rice", "=1+1", "-", "n/a", "'", "\"", ",", ";", " ", "é", "e\u{301}", "水", "@x",
                "1,234", "\\", "+5", "\u{FEFF}", "'=", "x:y [g]",
            ] + (lines ? ["\n", "\n=1"] : [])
        return (0...roll(0...3)).map { _ in parts[Int(roll(0...Int64(parts.count - 1)))] }.joined()
    }

    private mutating func date() -> LocalDate {
        let day = Day(number: 20_700 + roll(0...9)) ?? .earliest
        days = Array(Set(days + [day])).sorted()
        if oneIn(6) { return LocalDate(day: day, zone: oneIn(2) ? "Europe/Zurich" : nil) }
        let offsets: [Int64?] = [nil, 0, 60, -150, 840, -840, 345]
        let offset = offsets[Int(roll(0...6))]
        let instant = (day.number * 1_440 + roll(-300...1_700)) * 60_000
        return LocalDate(
            day: day, occurredAt: instant + (oneIn(2) ? roll(0...59_999) : 0),
            zone: oneIn(3) ? nil : "America/New_York", offsetMinutes: offset)
    }

    private mutating func nutrients(_ own: [Nutrient]) -> Nutrients {
        var nutrients = Nutrients()
        for nutrient in Nutrient.known + own where oneIn(4) {
            nutrients[nutrient] =
                switch nutrient.unit {
                case .millikilocalories: roll(0...2_000_000)
                case .milligrams: roll(0...300_000)
                case .nanograms: roll(0...9_000_000_000)
                default: roll(0...1_000_000_000_000)
                }
        }
        return nutrients
    }

    mutating func fill(_ replica: Replica, meals: Int = 40) throws {
        let own = ["x:betaine", "x:a_1", "x:no_word"].compactMap { Nutrient(key: UTF8Text($0)) }
        var betaine = CustomNutrient(
            own[0], name: "Betaine [dry], " + text() + "x", unit: .milligrams)
        betaine.direction = .min
        try replica.add(betaine)
        try replica.add(CustomNutrient(own[1], name: "A", unit: .grams))
        let today = try replica.today()
        var drafts: [Draft] = []
        for _ in 0..<meals { drafts += meal(own, today) }
        for _ in 0..<8 {
            var weighIn = WeighIn(id: id(), on: date(), grams: roll(40_000...120_000))
            if oneIn(2) { weighIn.bodyFatBasisPoints = roll(500...5_000) }
            if oneIn(2) { weighIn.note = text(lines: true) }
            if oneIn(2) { weighIn.source = .scale }
            var water = Water(id: id(), on: date(), microliters: roll(1_000...2_000_000))
            if oneIn(2) { water.container = text() }
            drafts += [.add(weighIn, today: today), .add(water, today: today)]
        }
        try replica.record(drafts)
    }

    private mutating func meal(_ own: [Nutrient], _ today: Day) -> [Draft] {
        var meal = Meal(
            id: id(), on: date(), dishName: oneIn(4) ? nil : text(),
            slot: oneIn(3) ? nil : "second_breakfast", isConsumed: !oneIn(5),
            nutrients: oneIn(2) ? nutrients(own) : Nutrients())
        if oneIn(3) { meal.consumedShareBasisPoints = roll(0...10_000) }
        if oneIn(3) { meal.note = text(lines: true) }
        if oneIn(3) { meal.isEstimated = oneIn(2) }
        if oneIn(2) { meal.source = oneIn(2) ? .recipe : .manual }
        if oneIn(2) { meal.tags = Array(Set((0...roll(0...3)).map { _ in text() })) }
        let items = (0..<max(0, roll(-2...4))).map { index in
            var item = MealItem(
                id: id(), of: meal.id, name: text() + "!", nutrients: nutrients(own))
            let grams = oneIn(2) ? roll(0...900_000) : nil
            if oneIn(2) {
                item.amount = Amount(milli: roll(0...999_999), unit: "slice", milligrams: grams)
            }
            if oneIn(3) { item.brand = text() }
            if oneIn(2) { item.position = "\(index)" }
            return item
        }
        return [.add(meal, items: Array(items), today: today)]
    }
}
