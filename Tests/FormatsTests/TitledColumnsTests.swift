import MacrologEvents
import MacrologFormats
import Macrolog
import MacrologNutrition
import Testing

/// Goal: a file of another program comes in as it is: its titles say what the columns mean and in which units, its
/// first line says the delimiter, its days say their format. What can be read in two ways is not guessed.
@Suite struct TitledColumnsTests {
    private func meals(_ world: World) throws -> [Meal] {
        try world.replica.meals(on: .earliest ... .latest).map(\.meal)
    }

    @Test func `a file of servings, with units in the titles`() throws {
        let world = try World()
        let text = """
            Day,Time,Group,Food Name,Amount,Energy (kcal),B12 (Cobalamin) (µg),Vitamin D (IU),Sodium (mg),Fat (g),Category
            2026-09-01,08:00 AM,Breakfast,"Oats, Rolled",40.00 g,152.80,0.50,40.00,2.4,2.6,Cereal
            """
        let (summary, _) = try world.run(text)
        #expect(summary.notices == ["columns that are not read: Category"])
        let meal = try #require(try meals(world).first)
        #expect(meal.dishName == "Oats, Rolled" && meal.slot == "breakfast")
        #expect(meal.localDate.minuteOfDay == 480 && meal.note == "40.00 g")
        #expect(meal[.energy] == 152_800 && meal[.fat] == 2_600 && meal[.sodium] == 2_400_000)
        #expect(meal[.vitaminB12] == 500 && meal[.vitaminD] == 1_000)
        #expect(try world.run(text).summary.same == 1)
    }

    @Test func `a summary of meals: vitamins without a unit may be percent and are not read`()
        throws
    {
        let world = try World()
        let (summary, _) = try world.run(
            """
            Date,Meal,Calories,Fat (g),Cholesterol,Sodium (mg),Vitamin C,Iron
            2026-09-02,Breakfast,420.5,12.1,30,250,10,15
            2026-09-02,Snacks,150,5,0,20,0,3
            """)
        #expect(summary.notices == ["columns that are not read: Vitamin C, Iron"])
        let found = try meals(world).sorted { ($0[.energy] ?? 0) > ($1[.energy] ?? 0) }
        #expect(found.map(\.slot) == ["breakfast", "snack"])
        #expect(found.map { $0[.cholesterol] } == [30_000_000, 0] && found[0][.iron] == nil)
    }

    @Test func `a column of meals holds names where they are no meals of the day`() throws {
        let world = try World()
        try world.run("Date,Meal,Calories\n2026-09-02,Lunch,1\n2026-09-02,Chicken salad,2\n")
        #expect(try meals(world).map(\.dishName) == ["Lunch", "Chicken salad"])
    }

    @Test func `semicolons, kilojoules and a time beside the day`() throws {
        let world = try World()
        try world.run(
            """
            datum_tag_monat_jahr_stunde_minute;bezeichnung;kj;fett_g;kh_g;protein_g;
            22.09.2026 08:15;"100 g Haferflocken";1548;7,0;58,7;13,5;
            """)
        let meal = try #require(try meals(world).first)
        #expect(meal.localDate.day.description == "2026-09-22" && meal.localDate.minuteOfDay == 495)
        #expect(meal[.energy] == 369_981 && meal[.carbs] == 58_700)
    }

    @Test(arguments: [
        ("Date,Weight (kg),Fat mass (kg),Comments\n\"2026-09-05 07:34:12\",82.40,17.20,\n", 82_400),
        ("sep=;\nDatum;Gewicht (lb);Fett (%)\n5.9.2026;180,5;22,1\n", 81_873),
        ("Date\tWeightPounds\tWeightKg\n09/13/2026\t9\t80\n", 80_000),
        ("Time of day,Date,kg\n,2026-09-05,80\n", 80_000),
    ])
    func `weigh-ins in the unit of their title`(text: String, grams: Int64) throws {
        let world = try World()
        #expect(try world.run(text).summary.new == 1)
        let found = try world.replica.read { try $0.weighIns(on: .earliest ... .latest) }
        #expect(found.map(\.grams) == [grams])
    }

    @Test func `a unit of the options goes before that of the title`() throws {
        let world = try World()
        try world.run("Date,Food,Energy (kcal)\n2026-09-02,Soup,418.4\n") {
            $0.energyUnit = .kilojoules
        }
        #expect(try meals(world).first?[.energy] == 100_000)
    }

    @Test(
        arguments: [
            (
                "Date,Food\n03/04/2026,A\n05/04/2026,B\n", nil,
                "line 2: the day 03/04/2026 can be read in two"
            ),
            (
                "Date,Energy (kcal)\n2026-09-02,1\n", "date=1,fat=2",
                "line 1: the column \"Energy (kcal)\" is in another unit than fat"
            ),
            (
                "Date,Vitamin A (IU)\n2026-09-02,1\n", "date=1,vit_a=2",
                "line 1: the column \"Vitamin A (IU)\" is in int"
            ),
            (
                "Date,Fat (%)\n2026-09-02,1\n", "date=1,fat=2",
                "line 1: the column \"Fat (%)\" is in another unit than fat"
            ),
            ("Date,Minutes\n2026-09-02,1\n", nil, "line 1: the meaning of the columns is unknown"),
        ] as [(String, String?, String)])
    func `what could be two things is asked about`(text: String, map: String?, sentence: String)
        throws
    {
        let world = try World()
        let error = #expect(throws: ImportError.self) { try world.run(text, map) }
        #expect(error?.description.hasPrefix(sentence) == true, "\(error?.description ?? "")")
    }

    @Test(
        arguments: [
            ("12,5", "2.100", 2_100_000), ("1.234,5", "2.100", 2_100_000),
            ("1.234.567", "2.100", 2_100_000), ("12.5", "2,100", 2_100_000),
            ("1,234.5 g.", "2,100", 2_100_000),
            // The mark itself before three digits, both marks, and none: asked about.
            ("12,5", "2,100", nil), ("12.5", "2.100", nil), ("12,5 g.", "2,100", nil),
            ("1000", "2.100", nil), ("3.100", "2.100", nil),
        ] as [(String, String, Int64?)])
    func `other numbers show that a sign groups digits`(
        other: String, number: String, energy: Int64?
    ) throws {
        let world = try World()
        let (summary, _) = try world.run(
            "Date;Food;Calories;Fat\n2026-09-02;A;\(number);1\n2026-09-02;B;1;\(other)\n")
        #expect(try meals(world).first { $0.dishName == "A" }?[.energy] == energy)
        #expect(summary.notices.isEmpty == (energy == nil))
        if other == "12,5", energy != nil {
            #expect(
                summary.notices == ["other numbers have a decimal comma, so 2.100 is read as 2100"])
        }
    }

    @Test func `numbers with both marks show nothing, and a mark that was chosen goes first`()
        throws
    {
        let text = "Date;Food;Calories;Fat\n2026-09-02;A;2.100;1,5\n2026-09-02;B;1;1.5\n"
        #expect(try World().run(text).summary.rejected == 1)
        let world = try World()
        try world.run("Date;Food;Calories;Fat\n2026-09-02;A;2.100;1,5\n") {
            $0.decimalMark = .point
        }
        #expect(try meals(world).first?[.energy] == 2_100)
    }

    @Test func `one column is left out, by its title or its number`() throws {
        let text = "Date,Food,Calories,Fat,Fiber\n2026-09-02,Soup,100,5,3\n"
        for column in ["Fiber", "fiber", "5"] {
            let world = try World()
            let (summary, _) = try world.run(text) { $0.skippedColumns = [column] }
            let meal = try #require(try meals(world).first)
            #expect(meal[.fiber] == nil && meal[.fat] == 5_000 && meal[.energy] == 100_000)
            #expect(summary.notices == ["columns that are not read: Fiber"])
        }
        // Without its energy, and of two columns of energy the other one.
        let (bare, other) = (try World(), try World())
        try bare.run(text) { $0.skippedColumns = ["Calories", "Fat"] }
        #expect(try meals(bare).first.map { $0[.energy] } == .some(nil))
        try other.run("Date,Food,Calories,Energy (kJ)\n2026-09-02,Soup,999,418.4\n") {
            $0.skippedColumns = ["Calories"]
        }
        #expect(try meals(other).first?[.energy] == 100_000)
        let mapped = try World()
        try mapped.run(text, "date=Date,name=Food,fat=Fat,fiber=Fiber") {
            $0.skippedColumns = ["Fiber"]
        }
        #expect(try meals(mapped).first.map { [$0[.fat], $0[.fiber]] } == [5_000, nil])
    }

    @Test func `a column that is not there, and one of an own export, cannot be left out`() throws {
        let none = #expect(throws: ImportError.self) {
            try World().run("Date,Food\n2026-09-02,Soup\n") { $0.skippedColumns = ["Fiber"] }
        }
        #expect(none?.description.hasPrefix("line 1: there is no column \"Fiber\"") == true)
        let world = try World()
        let header = "date,time,at,tz,kg,bodyfat_pct,note,source,id"
        let own = #expect(throws: ImportError.self) {
            try world.run("\(header)\n2026-09-02,,,,80,,,,\n") { $0.skippedColumns = ["note"] }
        }
        #expect(own?.description.contains("was exported here") == true, "\(own?.description ?? "")")
    }

    @Test func `a delimiter that was chosen is obeyed`() throws {
        let error = #expect(throws: ImportError.self) {
            try World().run("a;b\n1;2\n", "date=a,fat=b") { $0.delimiter = UInt8(ascii: ",") }
        }
        #expect(
            error?.description.hasPrefix("line 1: there is no column \"a\" but only one") == true)
    }

    @Test func `the days of a column show whether the month is first`() throws {
        let (american, british) = (try World(), try World())
        try american.run("Date,Food\n03/04/2026,A\n03/14/2026,B\n")
        try british.run("Date,Food\n03/04/2026,A\n14/04/2026,B\n")
        #expect(
            try meals(american).map(\.localDate.day.description) == ["2026-03-04", "2026-03-14"])
        #expect(
            try meals(british).map(\.localDate.day.description) == ["2026-04-03", "2026-04-14"])
    }

    @Test(
        arguments: [
            ("2026-07-01T23:30:00Z", "2026-07-02", 90),
            ("2026-07-01 07:30:00 +0200", "2026-07-01", 450),
            ("2026-07-01T07:30:00.250-05:00", "2026-07-01", 450),
            ("2026-07-01, 6:05 PM", "2026-07-01", 1_085),
            // The second of two hours that show the same times is kept in UTC.
            ("2026-10-25T01:30:00Z", "2026-10-25", 90),
        ] as [(String, String, Int64)])
    func `a time beside the day, with an offset, is that instant`(
        text: String, day: String, minute: Int64
    ) throws {
        let world = try World()
        let zone = ImportZone(name: "Europe/Zurich") { day, minute in
            Self.zurich(day.number * 1_440 + minute)
        }
        let file = "timestamp,food\n\"\(text)\",Tea\n"
        try world.run(file) { $0.zone = zone }
        let date = try #require(try meals(world).first).localDate
        #expect(date.day.description == day && date.minuteOfDay == minute)
        // The same file, where the clocks are elsewhere.
        let again = try world.run(file) { $0.zone = .fixed(offsetMinutes: -300) }
        #expect(again.summary.same == 1, "\(again.rows)")
    }

    /// The first instant at which clocks of 2026 show a minute since 1970.
    private static func zurich(_ shown: Int64) -> Int64? {
        let (spring, autumn) = (Int64(1_774_746_000_000), Int64(1_792_890_000_000))
        let summer = (shown - 120) * 60_000
        let winter = (shown - 60) * 60_000
        if summer >= spring, summer < autumn { return summer }
        return winter < spring || winter >= autumn ? winter : nil
    }

    @Test func `a sum of other rows is no meal`() throws {
        let world = try World()
        let rows = try world.run("Date,Food,kcal\n2026-09-02,Soup,1\n2026-09-02,Total,1\n").rows
        #expect(
            word(rows[1])
                == "line 3, Food: is a sum of other rows: take the row out, or write what was eaten"
        )
    }
}

/// Goal: a file as spreadsheets and other programs write it comes in without a hand on it, and what is no meal of
/// this person is left out.
@Suite struct ForeignFileTests {
    private func meals(_ world: World) throws -> [Meal] {
        try world.replica.meals(on: .earliest ... .latest).map(\.meal)
    }

    @Test func `a file in Windows-1252 or UTF-16`() throws {
        let text = "Datum;Gericht;Kalorien\n24.11.26;Müsli – süß;300\n"
        let bytes: [UInt8] = text.unicodeScalars.map { $0 == "–" ? 0x96 : UInt8($0.value) }
        let wide: [UInt8] =
            [0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        for (bytes, notices) in [
            (bytes, ["the file is not UTF-8, and is read as Windows-1252"]), (wide, []),
        ] {
            let world = try World()
            let summary = try CSVImport(bytes).run(in: world.replica)
            #expect(summary.new == 1 && summary.notices == notices, "\(summary)")
            #expect(try meals(world).map(\.dishName) == ["Müsli – süß"])
            #expect(try meals(world).first?.localDate.day.description == "2026-11-24")
        }
    }

    @Test func `lines above the titles, and blank rows`() throws {
        let world = try World()
        let text = "#Version:6\n#Units:kg\n\n#date;weight;note\n2026-11-24T07:05:00;82,4;\n;;\n"
        let (summary, _) = try world.run(text)
        #expect(summary.total == 1 && summary.new == 1)
        #expect(summary.notices == ["weights without a unit are read in kg"])
    }

    @Test func `weights in the unit of the preferences, of a column, or of the title`() throws {
        for (text, grams) in [
            ("Date,Weight\n2026-11-24,180\n", 81_647),
            ("Date,Weight (kg)\n2026-11-24,180\n", 180_000),
            ("Date,Weight,Unit\n2026-11-24,180,kg\n", 180_000),
        ] as [(String, Int64)] {
            let world = try World()
            try world.replica.write { diary in
                var preferences = try diary.preferences()
                preferences.weightUnit = .pounds
                try diary.put(preferences)
            }
            try world.run(text)
            let found = try world.replica.read { try $0.weighIns(on: .earliest ... .latest) }
            #expect(found.map(\.grams) == [grams])
        }
    }

    @Test func `without a time, the meal of the day tells rows apart`() throws {
        let world = try World()
        try world.run("Date,Meal,Calories\n2026-11-24,Breakfast,400\n2026-11-24,Dinner,800\n")
        let corrected = try world.run("Date,Meal,Calories\n2026-11-24,Dinner,700\n")
        #expect(corrected.summary.changed == 1)
        #expect(Set(try meals(world).map { $0[.energy] }) == [400_000, 700_000])
    }

    @Test func `deleted rows, sums and midnights`() throws {
        let world = try World()
        let (summary, rows) = try world.run(
            """
            Date,Meal,Food,Calories,Deleted,Consumed
            2026-11-24 00:00:00,Lunch,A,1,0,no
            2026-11-24 00:00:00,Lunch,B,1,1,yes
            2026-11-24 00:00:00,TOTAL,,2,0,yes
            2026-11-24 00:00:00,Lunch,Breakfast total,2,0,yes
            """)
        #expect(summary.excluded == 1 && summary.rejected == 2 && summary.new == 1, "\(rows)")
        let meal = try #require(try meals(world).first)
        #expect(meal.localDate.occurredAt == nil && !meal.isConsumed)
    }

    @Test(arguments: [
        "Tuesday, November 24, 2026", "Nov 24, 2026", "24-Nov-26", "24. November 2026", "24.11.26",
        "2026/11/24", "2026.11.24", "11/24/26", "24-11-2026", "Nov 24th, 2026 at 7:05 AM",
        "mardi 24 november 2026", "mar. 24 nov. 2026", "martes, 24 nov 2026", "martedì 24 nov 2026",
    ])
    func `days as people and programs write them`(text: String) throws {
        let world = try World()
        try world.run("Date,Food\n\"\(text)\",Tea\n")
        let date = try #require(try meals(world).first).localDate
        #expect(date.day.description == "2026-11-24")
        #expect(date.minuteOfDay == (text.hasSuffix("AM") ? 425 : nil))
    }

    @Test(arguments: [
        "mardi 24 juin 2026", "24 marraskuuta 2026", "Nov 24 Dec 2026",
    ])
    func `a day whose month is not known is refused`(text: String) throws {
        let world = try World()
        let summary = try? world.run("Date,Food\n\"\(text)\",Tea\n2026-11-24,Tea\n").summary
        #expect(summary.map { $0.rejected } ?? 1 == 1)
        #expect(try meals(world).allSatisfy { $0.localDate.day.description == "2026-11-24" })
    }

    @Test(arguments: [
        ("7am", 420), ("7:30 a.m.", 450), ("07h30", 450), ("19h", 1_140), ("19:30 Uhr", 1_170),
        ("7.30", 450), ("07:30:00.000", 450),
    ])
    func `times as people write them`(text: String, minute: Int64) throws {
        let world = try World()
        try world.run("Date,Time,Food\n2026-11-24,\(text),Tea\n")
        #expect(try meals(world).first?.localDate.minuteOfDay == minute)
    }

    @Test(arguments: [
        "Date,Food,kcal/100g\n2026-11-24,Rice,130\n",
        "Date,Food,Calories,Calories\n2026-11-24,A,1,2\n",
        "Datum,Gericht,Energie,Einheit\n2026-11-24,A,1046,kJ\n",
    ])
    func `meals whose energy cannot be told are not read without it`(text: String) throws {
        let error = #expect(throws: ImportError.self) { try World().run(text) }
        #expect(error?.description.contains("the meaning of the columns is unknown") == true)
    }

    @Test(arguments: ["Sodium (mmol)", "Calcium (% DV)", "Calcium (%DV)", "Calcium (mg per 100 g)"])
    func `a mapped column in a unit that is not its own is refused`(title: String) throws {
        let field = title.hasPrefix("S") ? "sodium" : "calcium"
        #expect(throws: ImportError.self) {
            try World().run("Date,\(title)\n2026-11-24,1\n", "date=1,\(field)=2")
        }
    }

    @Test func `equivalents of a vitamin's forms are its mass`() throws {
        let world = try World()
        try world.run("Date,Food,Vitamin A (mcg RAE)\n2026-11-24,A,300\n")
        #expect(try meals(world).first?[.vitaminA] == 300_000)
    }
}
