import MacrologEvents
import MacrologFormats
import MacrologLog
import Macrolog
import MacrologNutrition
import Testing

/// Goal: every row of a file ends as exactly one of new, same, changed and rejected.
/// Method: small files, imported into real replicas; every import is also forecast.
@Suite struct ImportTests {
    static let map = "date=date,time=time,name=food,energy=kcal,protein=p,sodium=na"
    static let diary = """
        date,time,food,kcal,p,na
        2026-11-01,08:00,Oats,380,13.5,2
        2026-11-01,19:30,Salad,13,,
        2026-11-01,19:30,Salad,13,0.8,n/a
        2026-11-02,,Oats,-,1,

        """

    func meals(_ world: World) throws -> [Meal] {
        try world.replica.meals(on: .earliest ... .latest).map(\.meal)
    }

    @Test func `a row becomes a meal with exact numbers, and what is unknown stays unknown`() throws
    {
        let world = try World()
        let summary = try world.run(Self.diary, Self.map).summary
        #expect(summary.new == 4 && summary.total == 4)
        let meals = try meals(world)
        let oats = try #require(meals.first { $0.localDate.occurredAt != nil })
        #expect(oats.dishName == "Oats")
        #expect(oats[.energy] == 380_000 && oats[.protein] == 13_500)
        #expect(oats[.sodium] == 2_000_000 && oats[.fat] == nil)
        #expect(oats.slot == "breakfast" && oats.isConsumed && oats.source == .importer)
        #expect(oats.localDate.day.description == "2026-11-01")
        #expect(oats.localDate.minuteOfDay == 480 && oats.localDate.offsetMinutes == 60)
        #expect(oats.localDate.zone == "Europe/Zurich")
        let late = try #require(meals.last)
        #expect(late.localDate.occurredAt == nil && late.slot == nil && late[.energy] == nil)
    }

    @Test func `a row says exactly what is stored of it`() throws {
        let rows = try World().run(Self.diary, Self.map).rows
        #expect(
            rows.map { $0.content?.stored } == [
                "2026-11-01 08:00, Oats, breakfast: energy 380 kcal, protein 13.5 g, sodium 2 mg",
                "2026-11-01 19:30, Salad, dinner: energy 13 kcal",
                "2026-11-01 19:30, Salad, dinner: energy 13 kcal, protein 0.8 g",
                "2026-11-02, Oats: protein 1 g",
            ])
        let text = "date,kg,fat,what,eaten\n2026-11-01,80.25,18.5,Soup,no\n"
        let weighIn = try World().run(text, "date=date,weight=kg,bodyfat=fat,note=what").rows[0]
        #expect(
            weighIn.content?.stored
                == "2026-11-01: weight 80.25 kg, body fat 18.5 %, note \"Soup\"")
        let planned = try World().run(text, "date=date,name=what,consumed=eaten").rows[0]
        #expect(planned.content?.stored == "2026-11-01, Soup, not eaten")
    }

    @Test func `two equal rows are two meals`() throws {
        let world = try World()
        try world.run(Self.diary, Self.map)
        #expect(try meals(world).filter { $0.dishName == "Salad" }.count == 2)
    }

    @Test func `12 import twice = no change, from another zone neither; undo = the original days`()
        throws
    {
        let world = try World()
        func days() throws -> [String] {
            try world.replica.withStore { try $0.dayDigests().map { "\($0.day) \($0.digest)" } }
        }
        try world.run("date,name,kcal\n2026-11-01,Rice,300\n", "date=date,name=name,energy=kcal")
        let original = try days()
        try world.run(Self.diary, Self.map)
        let before = try world.replica.withStore { try $0.stateHash() }
        let again = try world.run(Self.diary, Self.map) { $0.zone = .fixed(offsetMinutes: -300) }
        #expect(again.summary.same == 4 && again.summary.group == nil)
        #expect(try world.replica.withStore { try $0.stateHash() } == before)
        #expect(try days() != original)
        try world.replica.undo()
        #expect(try days() == original)
    }

    @Test func `two weights of a day are two, and one that was typed stays as it was`() throws {
        let world = try World()
        let day = try #require(Day("2026-11-01"))
        let typed = try world.replica.logWeight(grams: 79_500, on: LocalDate(day: day)).weighIn
        let text = "date,kg\n2026-11-01,80.25\n2026-11-01,80.75\n"
        func grams() throws -> [Int64] {
            try world.replica.read { try $0.weighIns(on: day...day) }.map(\.grams).sorted()
        }
        for _ in 0..<2 {
            try world.run(text, "date=date,weight=kg")
            #expect(try grams() == [79_500, 80_250, 80_750])
        }
        // Another file says what the first row of the day weighs now: that row is corrected, and no other.
        try world.run("date,kg\n2026-11-01,81\n", "date=date,weight=kg")
        #expect(try grams() == [79_500, 80_750, 81_000])
        #expect(try world.replica.entity(WeighIn.self, typed.id)?.grams == 79_500)
    }

    @Test func `two devices give a row the same id`() throws {
        let (one, other) = (try World(), try World())
        try one.run(Self.diary, Self.map)
        try other.run(Self.diary, Self.map)
        #expect(try meals(one).map(\.id) == meals(other).map(\.id))
    }

    @Test func `a corrected number changes that field of that meal and no other`() throws {
        let world = try World()
        try world.run(Self.diary, Self.map)
        var first = try #require(try meals(world).first { $0.dishName == "Oats" })
        first.note = "mine"
        try world.replica.save(first)
        let corrected = Self.diary.replacing("Oats,380", with: "Oats,390.5")
        let rows = try world.run(corrected, Self.map).rows
        #expect(rows.map(word) == ["energy 380 kcal → 390.5 kcal", "same", "same", "same"])
        let meal = try #require(try world.replica.meal(first.id)?.meal)
        #expect(meal[.energy] == 390_500 && meal.note == "mine" && meal[.protein] == 13_500)
    }

    @Test func `a cell that says nothing takes nothing away`() throws {
        let world = try World()
        try world.run(Self.diary, Self.map)
        let blanked = Self.diary.replacing("380,13.5,2", with: "n/a,-,")
        #expect(try world.run(blanked, Self.map).summary.same == 4)
    }

    @Test func `a slot, a flag and a source that a person changed stay changed`() throws {
        let world = try World()
        try world.run(Self.diary, Self.map)
        var oats = try #require(try meals(world).first { $0.dishName == "Oats" })
        oats.slot = "snack"
        oats.isConsumed = false
        try world.replica.save(oats)
        #expect(try world.run(Self.diary, Self.map).summary.same == 4)
    }

    @Test func `a meal that a person deleted stays deleted, is counted, and comes back on demand`()
        throws
    {
        let world = try World()
        try world.run(Self.diary, Self.map)
        let oats = try #require(try meals(world).first { $0.dishName == "Oats" })
        try world.replica.delete(Meal.self, oats.id)
        let corrected = Self.diary.replacing("Oats,380", with: "Oats,381")
        let left = try world.run(corrected, Self.map)
        #expect(left.rows.map(word) == ["deleted", "same", "same", "same"])
        #expect(left.summary.deleted == 1 && left.summary.group == nil)
        #expect(try world.replica.meal(oats.id) == nil)
        let rows = try world.run(corrected, Self.map) { $0.restoresDeleted = true }.rows
        #expect(rows.map(word) == ["back", "same", "same", "same"])
        #expect(try world.replica.meal(oats.id)?.meal[.energy] == 381_000)
        #expect(try world.run(corrected, Self.map).summary.same == 4)
    }

    @Test(arguments: [true, false])
    func `a deleted meal stays deleted when what brought it back was undone`(byImport: Bool) throws
    {
        let world = try World()
        try world.run(Self.diary, Self.map)
        let oats = try #require(try meals(world).first { $0.dishName == "Oats" })
        try world.replica.delete(Meal.self, oats.id)
        if byImport {
            try world.run(Self.diary, Self.map) { $0.restoresDeleted = true }
        } else {
            try world.replica.write { try $0.restore(Meal.self, oats.id) }
        }
        _ = try world.replica.undo()
        #expect(try world.replica.meal(oats.id) == nil)
        let rows = try world.run(Self.diary, Self.map).rows
        #expect(rows.map(word) == ["deleted", "same", "same", "same"])
    }

    @Test func `the zone of this process shows the time of the row`() throws {
        let world = try World()
        try world.run(Self.diary, Self.map) { $0.zone = .system }
        let oats = try #require(try meals(world).first { $0.dishName == "Oats" })
        #expect(oats.localDate.minuteOfDay == 480)
        #expect(oats.localDate.day.description == "2026-11-01")
    }

    @Test func `a whole import is one group, in transactions of a thousand rows`() throws {
        let world = try World()
        var text = "date,name,kcal\n"
        for index in 0..<2_500 { text += "2026-11-01,Rice,\(index)\n" }
        let file = try World.file(text, "date=date,name=name,energy=kcal")
        var steps: [Int] = []
        let summary = try file.run(in: world.replica, progress: { done, _ in steps.append(done) })
        #expect(summary.new == 2_500 && steps == [1_000, 2_000, 2_500])
        let device = try world.replica.device
        let group = try #require(summary.group)
        for seq in [1, 1_000, 1_002, 2_501] as [Int64] {
            let entry = try world.replica.withStore { store in
                try store.log.entry(Dot(device: device, seq: seq), in: &store.db)
            }
            #expect(entry?.event.group == group && entry?.event.type == "meal.added")
        }
        #expect(try file.plan(in: world.replica).same == 2_500)
    }

    @Test func `one bad row does not hold up the others, and keeps their ids`() throws {
        let world = try World()
        let bad = Self.diary.replacing(
            "2026-11-01,19:30,Salad,13,,", with: "2026-11-01,19:30,Salad,x,,")
        let first = try world.run(bad, Self.map)
        #expect(first.summary.new == 3 && first.summary.rejected == 1)
        #expect(word(first.rows[1]).hasPrefix("line 3, kcal: this is not a number with a unit: "))
        let second = try world.run(Self.diary, Self.map)
        #expect(second.rows.map(word) == ["same", "new", "same", "same"])
    }

    @Test(arguments: [
        ("2026-11-01,08:00,Oats,\"1,234\",,", "line 2, kcal: the number could be 1.2340 or 1234: "),
        ("2026-11-01,08:00,Oats,1.234,,", "line 2, kcal: the number could be 1.2340 or 1234: "),
        ("2026-11-01,08:00,Oats,-5,,", "line 2, kcal: the number is below zero: "),
        ("2026-11-01,08:00,Oats,NaN,,", "line 2, kcal: the number is not finite: "),
        ("2026-11-01,08:00,Oats,5 g,,", "line 2, kcal: g cannot be converted to kcal: "),
        ("2026-11-01,08:00,Oats,99999,,", "line 2, kcal: is above 20000 kcal: type a number"),
        ("2026-02-30,08:00,Oats,1,,", "line 2, date: cannot be read: type a day as YYYY-MM-DD"),
        ("11/01/2026,08:00,Oats,1,,", "line 2, date: cannot be read: type a day as YYYY-MM-DD"),
        (",08:00,Oats,1,,", "line 2, date: is blank: type a day as YYYY-MM-DD"),
        ("2026-11-01,25:00,Oats,1,,", "line 2, time: cannot be read: type a time such as 18:00"),
        ("2026-11-01,08:00,Oats,1", "line 2: the row has 4 cells where 6 are expected: "),
        ("2026-11-01,08:00,Oats,1,,,x", "line 2: the row has 7 cells where 6 are expected: "),
        ("2026-11-01,08:00,,,,", "line 2: the row has neither a name nor a nutrient: "),
        ("2026-11-01,08:00,O\u{1}ats,1,,", "line 2, food: has control characters: "),
    ])
    func `a bad row is rejected with its line, its column and what to do`(
        row: String, sentence: String
    ) throws {
        let world = try World()
        let good = "2026-11-02,08:00,Oats,1,2,3,,"
        let (summary, rows) = try world.run("date,time,food,kcal,p,na\n\(row)\n\(good)\n", Self.map)
        #expect(summary.rejected == 1 && summary.new == 1)
        #expect(word(rows[0]).hasPrefix(sentence), "\(word(rows[0]))")
    }

    @Test func `a row names all its problems`() throws {
        let rows = try World().run(
            "date,kcal,p\n2026-13-01,x,-1\n", "date=date,energy=kcal,protein=p"
        ).rows
        guard case .rejected(let problems) = rows[0].outcome else {
            Issue.record("not rejected")
            return
        }
        #expect(Set(problems.map(\.column)) == ["date", "kcal", "p"])
    }

    @Test func `15 EU CSV "80,2" accepted, "1,234" refused without a choice`() throws {
        let open = try World()
        let both = "date,kcal\n2026-11-01,\"80,2\"\n2026-11-02,\"1,234\"\n"
        let rows = try open.run(both, "date=date,energy=kcal").rows.map(word)
        #expect(rows[0] == "new" && rows[1].hasPrefix("line 3, kcal:"), "\(rows)")
        #expect(try meals(open).map { $0[.energy] } == [80_200])
        let text = "date,kcal\n2026-11-01,\"1,234\"\n"
        let (point, comma) = (try World(), try World())
        try point.run(text, "date=date,energy=kcal") { $0.decimalMark = .point }
        try comma.run(text, "date=date,energy=kcal") { $0.decimalMark = .comma }
        #expect(try meals(point).first?[.energy] == 1_234_000)
        #expect(try meals(comma).first?[.energy] == 1_234)
    }

    @Test func `energy may be in kilojoules, for the file or for a cell`() throws {
        let world = try World()
        let text = "date,e\n2026-11-01,418.4\n2026-11-02,100 kcal\n"
        try world.run(text, "date=date,energy=e") { $0.energyUnit = .kilojoules }
        #expect(try meals(world).map { $0[.energy] } == [100_000, 100_000])
    }

    @Test(arguments: [
        (DateFormat.american, "2/9/2026"), (.american, "02/09/2026"), (.european, "9.2.2026"),
        (.iso, "2026-02-09"),
    ])
    func `days are read in the format asked for`(format: DateFormat, text: String) throws {
        let world = try World()
        try world.run("date,kcal\n\(text),1\n", "date=date,energy=kcal") { $0.dateFormat = format }
        #expect(try meals(world).first?.localDate.day.description == "2026-02-09")
    }

    @Test(arguments: [
        ("0:05", 5), ("07:05:59", 425), ("12:00 am", 0), ("12:30PM", 750), ("6:00 pm", 1_080),
    ])
    func `times are read with and without a noon`(text: String, minute: Int64) throws {
        let world = try World()
        try world.run("date,time,kcal\n2026-02-09,\(text),1\n", "date=date,time=time,energy=kcal")
        #expect(try meals(world).first?.localDate.minuteOfDay == minute)
    }

    @Test func `a time that the clocks skipped keeps the day and says so`() throws {
        let world = try World()
        let rows = try world.run(
            "date,time,kcal\n2026-03-29,02:30,1\n", "date=date,time=time,energy=kcal"
        ) { $0.zone = ImportZone(name: nil) { _, _ in nil } }.rows
        #expect(
            rows[0].warnings == ["the clocks skipped this time of this day: only the day is kept"])
        #expect(try meals(world).first?.localDate.occurredAt == nil)
        #expect(try meals(world).first?.slot == "snack")
        #expect(
            try world.run(
                "date,time,kcal\n2026-03-29,02:30,1\n", "date=date,time=time,energy=kcal"
            ) { $0.zone = ImportZone(name: nil) { _, _ in nil } }.summary.same == 1)
    }

    @Test func `amounts are for people to read, beside the note`() throws {
        let world = try World()
        try world.run(
            """
            date,name,amount,unit,note
            2026-11-01,Tea,20.0,fluid ounce,hot
            2026-11-02,Tea,0.75,cup,
            2026-11-03,Tea,a little,,
            2026-11-04,Tea,,,
            """, "date=date,name=name,amount=amount,unit=unit,note=note")
        #expect(
            try meals(world).map(\.note) == ["20 fluid ounce\nhot", "0.75 cup", "a little", nil])
    }

    @Test func `slots come from a column by key, by name, or as a word of their own`() throws {
        let world = try World()
        let rows = try world.run(
            """
            date,kcal,slot
            2026-11-01,1,Dinner
            2026-11-02,1,second_breakfast
            2026-11-03,1,Second Breakfast
            2026-11-04,1,Frühstück
            2026-11-05,1,Uncategorized
            2026-11-06,1,Vesper!
            """, "date=date,energy=kcal,slot=slot"
        ).rows
        #expect(
            try meals(world).map(\.slot) == [
                "dinner", "second_breakfast", "second_breakfast", "breakfast", nil, nil,
            ])
        #expect(try meals(world).last?.note == "Vesper!")
        #expect(rows.last?.warnings == ["the slot \"Vesper!\" cannot be stored: it is in the note"])
    }

    @Test func `quotes, a byte order mark and a file without a header are read`() throws {
        let world = try World()
        let text =
            "\u{FEFF}2026-11-01;\"Soup; \"\"hot\"\"\nand thick\";120,5\r\n2026-11-02;'=Tea;2\r\n"
        let (summary, rows) = try world.run(text, "date=1,name=2,energy=3") {
            $0.hasHeader = false
            $0.delimiter = UInt8(ascii: ";")
        }
        #expect(summary.new == 1 && summary.rejected == 1)
        #expect(word(rows[0]).hasPrefix("line 1, column 2: has control characters"))
        #expect(try meals(world).map(\.dishName) == ["=Tea"])
    }
}
