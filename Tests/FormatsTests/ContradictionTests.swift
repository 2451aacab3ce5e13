import MacrologEvents
import MacrologFormats
import Macrolog
import MacrologNutrition
import Testing

/// Goal: a row that contradicts itself or the rest of its file is refused, alone and in words, and what a file
/// leaves unknown is told.
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
}
