import MacrologEvents
import MacrologFormats
import Macrolog
import MacrologNutrition
import Testing

/// Goal: a row that contradicts itself or the rest of its file is refused, alone and in words, and what a file
/// leaves unknown is reported.
@Suite struct ContradictionTests {
    /// A meal with one item of 60 g, and its export.
    private static func export(_ world: World) throws -> String {
        let day = try #require(Day("2026-10-01"))
        let meal = Meal(id: Identifier(high: 7, low: 1), on: LocalDate(day: day), dishName: "Bowl")
        let item = MealItem(
            id: Identifier(high: 8, low: 1), of: meal.id, name: "Oats",
            amount: Amount(milligrams: 60_000), nutrients: Nutrients(energy: 228_000))
        try world.replica.add(meal, items: [item])
        return try OwnFileTests.export(.meals, world)
    }

    @Test(arguments: [
        ("60,g,120", true), ("2,oz,120", true), ("2,oz,56.699", false), ("0.333,lb,151.197", false),
        ("60,ml,120", false), ("2,slice,120", false), ("60,g,", false),
    ])
    func `a row whose amount and grams are different masses is refused`(
        cells: String, isRefused: Bool
    ) throws {
        let (world, other) = (try World(), try World())
        let text = try Self.export(world)
        try #require(text.contains(",60,g,60,"))
        let edited = text.replacing(",60,g,60,", with: ",\(cells),")
        for world in [world, other] {
            let rows = try world.run(edited).rows
            let isTold = word(try #require(rows.first))
                .hasPrefix("line 2, grams: is another mass than the amount: ")
            #expect(isTold == isRefused, "\(rows.map(word))")
        }
    }

    @Test func `meals of which a file says neither energy nor nutrients are counted in a notice`()
        throws
    {
        let text = "Date,Food,Amount,Calories\n2026-10-01,Oats,60 g,\n2026-10-01,Tea,,0\n"
        let world = try World()
        #expect(
            try world.run(text).summary.notices == [
                "1 row says nothing about energy or nutrients, which stay unknown"
            ])
        #expect(try world.run(text).summary.notices.isEmpty, "nothing is new")
        let names = "Date,Food\n2026-10-01,Oats\n2026-10-01,Tea\n"
        #expect(
            try World().run(names).summary.notices == [
                "2 rows say nothing about energy or nutrients, which stay unknown"
            ])
    }

    @Test(arguments: [
        (["2026-10-02", "2026-10-03"], "01/10/2026", "YYYY-MM-DD"),
        (["13/10/2026", "01/10/2026"], "2026-10-01", "DD/MM/YYYY"),
        (["10/13/2026", "10/01/2026"], "1.10.2026", "MM/DD/YYYY"),
    ])
    func `of one day in another style that row alone is refused, and told the style of the file`(
        days: [String], odd: String, pattern: String
    ) throws {
        for place in 0...days.count {
            var cells = days
            cells.insert(odd, at: place)
            let text = cells.reduce("Date,Food,Calories\n") { $0 + "\($1),Soup,100\n" }
            let (summary, rows) = try World().run(text)
            #expect(summary.new == days.count && summary.rejected == 1, "\(rows.map(word))")
            try #require(rows.indices.contains(place))
            #expect(
                word(rows[place])
                    == "line \(place + 2), Date: cannot be read: type a day as \(pattern), as the "
                    + "days of this file are read")
        }
    }

    @Test
    func `days that contradict each other, and one that is another day in each, are asked about`()
        throws
    {
        for days in [
            ["03/04/2026", "14/04/2026", "04/14/2026"], ["03/04/2026", "05/04/2026", "2026-04-03"],
        ] {
            let text = days.reduce("Date,Food,Calories\n") { $0 + "\($1),Soup,100\n" }
            let error = #expect(throws: ImportError.self) { try World().run(text) }
            #expect(
                error?.description.contains("the day 03/04/2026 can be read in two ways") == true)
            #expect(error?.description.contains("MM/DD/YYYY or DD/MM/YYYY") == true)
            let chosen = try World().run(text) { $0.dateFormat = .british }.summary
            #expect(chosen.rejected == 1)
        }
    }

    @Test func `what a file changes is reported in words`() throws {
        let world = try World()
        let text = try Self.export(world)
        var edited = text.replacing(",60,g,60,", with: ",2,slice,70,")
        edited = edited.replacing("2026-10-01", with: "2026-10-02")
            .replacing(",100,true,,", with: ",50,false,true,")
        try #require(edited != text && edited.contains(",50,false,true,"))
        let said = word(try #require(try world.run(edited).rows.first))
        for part in [
            "date 2026-10-01 → 2026-10-02", "amount 60 g → 2 slice (70 g)", "eaten yes → no",
            "share eaten nothing → 50 %", "estimated nothing → yes",
        ] {
            #expect(said.contains(part), "\(part) in \(said)")
        }
        #expect(!said.contains("another value") && !said.contains("_"), "\(said)")
    }
}
