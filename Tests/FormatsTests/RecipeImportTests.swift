import MacrologEvents
import MacrologFormats
import MacrologLog
import Macrolog
import MacrologNutrition
import Testing

/// Goal: a recipe of someone else's comes in with every word of it; what can be read in one way is
/// read, and nothing is guessed. Method: small files in each form, lines with a known answer.
@Suite struct RecipeImportTests {
    @Test(
        arguments: [
            ("400 g kidney beans, drained", 400_000, "g", 400_000, "kidney beans, drained"),
            ("400g flour", 400_000, "g", 400_000, "flour"),
            ("1 1/2 cups of rice", 1_500, "cups", nil, "rice"),
            ("½ tsp. salt", 500, "tsp", nil, "salt"), ("1½ l water", 1_500_000, "ml", nil, "water"),
            ("2 onions", 2_000, "piece", nil, "onions"),
            ("2 large eggs (beaten)", 2_000, "piece", nil, "large eggs (beaten)"),
            ("1,5 dl cream", 150_000, "ml", nil, "cream"),
            ("1 lb beef", 1_000, "lb", 453_592, "beef"),
        ] as [(String, Int64, String, Int64?, String)])
    func `a line is an amount and a name`(
        line: String, milli: Int64, unit: String, milligrams: Int64?, name: String
    ) {
        let read = ReadIngredient(line)
        #expect(read.amount == Amount(milli: milli, unit: UTF8Text(unit), milligrams: milligrams))
        #expect(read.name == name)
        #expect(read.line == line)
    }

    @Test(arguments: [
        "2-3 tomatoes", "Salt to taste", "1,234 g flour", "(14 oz) can tomatoes", "7up",
        "1/0 cup x", "2", "", "99999999999999999999 g rice", "400 g",
    ])
    func `what can be read in two ways, or in none, stays text`(line: String) {
        let read = ReadIngredient(line)
        #expect(read.amount == nil)
        #expect(read.name == line)
    }

    static let page = """
        <html><script type="application/ld+json">
        {"@context": "https://schema.org", "@graph": [{"@type": "WebPage"}, {"@type": ["Recipe"],
        "name": "Chili &amp; Beans", "recipeYield": ["4", "4 servings"],
        "url": "https://a.example/1",
        "recipeIngredient": ["400 g beans", "2 cups rice", "2-3 tomatoes"],
        "recipeInstructions": [{"@type": "HowToStep", "text": "Chop.<br>Fry."},
        {"@type": "HowToSection", "name": "End", "itemListElement": [{"text": "Stir."}]}],
        "nutrition": {"@type": "NutritionInformation", "calories": "270 kcal"}}]}
        </script></html>
        """

    static let mealie = """
        {"name": "Chili & Beans", "recipeServings": 4, "orgURL": "https://a.example/1",
        "recipeIngredient": [
        {"quantity": 400, "unit": {"name": "g"}, "food": {"name": "beans"}, "note": ""},
        {"quantity": 2.0, "unit": {"name": "cups"}, "food": {"name": "rice"}},
        {"quantity": null, "unit": null, "food": null, "note": "2-3 tomatoes"}],
        "recipeInstructions": [{"text": "Chop."}, {"text": "Fry."}, {"text": "End"},
        {"text": "Stir."}], "nutrition": {"calories": null}}
        """

    static let tandoor = """
        {"name": "Chili & Beans", "servings": 4, "source_url": "https://a.example/1", "steps": [
        {"name": "", "instruction": "Chop.\\nFry.", "ingredients": [
        {"food": {"name": "beans"}, "unit": {"name": "g"}, "amount": 400.0, "note": ""},
        {"food": {"name": "rice"}, "unit": {"name": "cups"}, "amount": 2.0}]},
        {"name": "End", "instruction": "Stir.", "ingredients": [
        {"food": null, "unit": null, "amount": 0, "note": "2-3 tomatoes"}]}]}
        """

    @Test(arguments: [page, mealie, tandoor])
    func `a page, Mealie and Tandoor say the same`(text: String) throws {
        let file = try RecipeFile(Array(text.utf8))
        let recipe = try #require(file.recipes.first)
        #expect(file.recipes.count == 1)
        #expect(recipe.name == "Chili & Beans")
        #expect(recipe.servingsMilli == 4_000)
        #expect(recipe.url == "https://a.example/1")
        #expect(recipe.steps?.hasPrefix("Chop.\nFry.\nEnd\nStir.") == true)
        #expect(recipe.ingredients.map(\.name) == ["beans", "rice", "2-3 tomatoes"])
        #expect(recipe.ingredients[0].amount == Amount(milligrams: 400_000))
        #expect(recipe.ingredients[1].amount == Amount(milli: 2_000, unit: "cups"))
        #expect(recipe.ingredients[2].amount == nil)
    }

    @Test(
        arguments: [
            ("4 servings", 4_000, nil, 0), ("Serves 6", 6_000, nil, 0),
            ("4-6 people", 4_000, nil, 1),
            ("900 g", nil, 900_000, 0), ("a pot", nil, nil, 1),
        ] as [(String, Int64?, Int64?, Int)])
    func `a yield is servings or a mass`(
        text: String, servings: Int64?, mass: Int64?, notices: Int
    ) throws {
        let json = #"{"@type": "Recipe", "name": "Soup", "recipeYield": "\#(text)"}"#
        let recipe = try #require(try RecipeFile(Array(json.utf8)).recipes.first)
        #expect(recipe.servingsMilli == servings)
        #expect(recipe.cookedMilligrams == mass)
        #expect(recipe.notices.count == notices)
    }

    @Test func `an ingredient called like a food is that food, the rest is kept as text`() throws {
        let world = try World()
        let id = Identifier(high: 0x0190_0000_0000_7000, low: 1)
        let rice = Food(id: id, name: "Rice", nutrients: Nutrients(energy: 350_000))
        try world.replica.add(rice)
        try world.replica.put(FoodPortion(of: id, label: "cup", milligrams: 185_000))
        let source = try RecipeImport(Array(Self.page.utf8))
        let forecast = try source.plan(in: world.replica)
        #expect(try world.replica.read { try $0.recipes() }.isEmpty)
        let rows = try source.run(in: world.replica)
        #expect(rows == forecast)
        #expect(rows[0].ingredients.map(\.food) == [nil, "Rice", nil])
        #expect(rows[0].notices.count == 1, "what it states for a serving is text")
        let detail = try #require(try world.replica.read { try $0.recipe(rows[0].id) })
        #expect(detail.items.map(\.name) == ["beans", "rice", "2-3 tomatoes"])
        #expect(
            detail.items[1].amount == Amount(milli: 2_000, unit: "cup", milligrams: 370_000))
        #expect(detail.contents.totals[.energy] == 1_295_000)
        #expect(detail.recipe.steps?.hasSuffix("calories 270 kcal") == true)
    }

    @Test func `importing again changes nothing, a corrected page corrects, undo takes all back`()
        throws
    {
        let world = try World()
        func run(_ text: String) throws -> [RecipeImport.Row] {
            try RecipeImport(Array(text.utf8)).run(in: world.replica)
        }
        let first = try run(Self.page)
        #expect(word(first[0].outcome) == "new")
        let before = try world.replica.withStore { $0.log.lastSeq }
        #expect(word(try run(Self.page)[0].outcome) == "same")
        #expect(try world.replica.withStore { $0.log.lastSeq } == before)
        let corrected = Self.page.replacing(
            #""400 g beans", "2 cups rice", "#, with: #""500 g beans","#)
        let changed = try run(corrected)
        guard case .changed = changed[0].outcome.outcome else {
            Issue.record("\(changed[0].outcome)")
            return
        }
        let detail = try #require(try world.replica.read { try $0.recipe(first[0].id) })
        #expect(detail.items.map(\.name) == ["beans", "2-3 tomatoes", "as the page states"])
        #expect(detail.items[0].amount == Amount(milligrams: 500_000))
        try world.replica.undo()
        #expect(try world.replica.read { try $0.recipe(first[0].id) }?.items.count == 4)
        try world.replica.undo()
        #expect(try world.replica.read { try $0.recipes() }.isEmpty)
        #expect(word(try run(Self.page)[0].outcome) == "back")
    }

    @Test func `a recipe that a person deleted stays deleted, and comes back whole on demand`()
        throws
    {
        let world = try World()
        let id = try RecipeImport(Array(Self.page.utf8)).run(in: world.replica)[0].id
        let items = try world.replica.read { try $0.recipe(id) }?.items.map(\.id)
        try world.replica.delete(Recipe.self, id)
        let before = try world.replica.withStore { $0.log.lastSeq }
        let corrected = Self.page.replacing("Chop.", with: "Slice.")
        #expect(
            try RecipeImport(Array(corrected.utf8)).run(in: world.replica)[0].outcome.outcome
                == .deleted)
        #expect(try world.replica.withStore { $0.log.lastSeq } == before)
        let back = try RecipeImport(Array(corrected.utf8), restoresDeleted: true)
        #expect(word(try back.run(in: world.replica)[0].outcome) == "back")
        let detail = try #require(try world.replica.read { try $0.recipe(id) })
        #expect(detail.items.map(\.id) == items)
        #expect(detail.recipe.steps?.hasPrefix("Slice.") == true)
    }

    /// A recipe of some lines.
    private func cake(_ lines: String...) -> String {
        let list = lines.map { "\"\($0)\"" }.joined(separator: ", ")
        return #"{"@type": "Recipe", "name": "Cake", "recipeIngredient": [\#(list)]}"#
    }

    @Test func `a line that moves keeps its food, and a new one has nothing of the one before`()
        throws
    {
        let world = try World()
        let flour = Food(
            id: world.replica.newID(), name: "Flour", nutrients: Nutrients(energy: 364_000))
        try world.replica.add(flour)
        func items(_ text: String) throws -> [RecipeItem] {
            let id = try RecipeImport(Array(text.utf8)).run(in: world.replica)[0].id
            return try world.replica.read { try $0.recipe(id) }?.items ?? []
        }
        let first = try items(cake("200 g flour", "50 g butter"))
        var butter = first[1]
        butter[.energy] = 370_000
        try world.replica.save(butter)
        let text = cake("100 g sugar", "200 g flour", "50 g butter", "salt")
        let second = try items(text)
        #expect(second.map(\.name) == ["sugar", "flour", "butter", "salt"])
        #expect(second.map(\.foodID) == [nil, flour.id, nil, nil])
        #expect(second.map(\.amount?.milligrams) == [100_000, 200_000, 50_000, nil])
        #expect(second.map { $0[.energy] } == [nil, nil, 370_000, nil])
        #expect(try items(text) == second)
        var renamed = second[2]
        renamed.name = "Butter, unsalted"
        try world.replica.save(renamed)
        #expect(try items(text) == second, "what a person gave it stays")
        try world.replica.delete(Recipe.self, second[0].recipeID)
        let back = try RecipeImport(Array(text.utf8), restoresDeleted: true)
        let id = try back.run(in: world.replica)[0].id
        #expect(try world.replica.read { try $0.recipe(id) }?.items == second)
        let third = try items(cake("200 g sugar", "salt"))
        #expect(third.map(\.name) == ["sugar", "salt"] && third.map(\.foodID) == [nil, nil])
        let other = try items(cake("200 g rice flour", "3 eggs"))
        #expect(other.map(\.foodID) == [nil, nil])
        #expect(other.map(\.amount?.milligrams) == [200_000, nil])
        #expect(other.map { $0[.energy] } == [nil, nil])
    }

    @Test func `a dish and its sauce on one page are two recipes, the same one twice is one`()
        throws
    {
        func page(_ names: [(String, String)], _ url: String?) -> [UInt8] {
            let address = url.map { #", "mainEntityOfPage": "\#($0)""# } ?? ""
            let list = names.map { name, line in
                #"{"@type": "Recipe", "name": "\#(name)""#
                    + #", "recipeIngredient": ["\#(line)"]\#(address)}"#
            }
            return Array("[\(list.joined(separator: ", "))]".utf8)
        }
        let (chili, salsa) = (("Chili", "400 g beans"), ("Salsa", "3 tomatoes"))
        for (names, url, count) in [
            ([chili, salsa, chili], "https://x.example/chili", 2),
            ([chili, ("Chili", "400 g lentils"), chili], nil, 2),
        ] {
            let world = try World()
            let bytes = page(names, url)
            let rows = try RecipeImport(bytes).run(in: world.replica)
            #expect(rows.map { word($0.outcome) } == ["new", "new", "same"])
            #expect(try world.replica.read { try $0.recipes() }.count == count)
            let again = try RecipeImport(bytes).run(in: world.replica)
            #expect(again.map { word($0.outcome) } == ["same", "same", "same"])
        }
    }

    /// A soup of leeks, of which nothing is known.
    private func soup(_ servings: String, _ nutrition: String) -> String {
        #"{"@type": "Recipe", "name": "Soup", "recipeYield": "\#(servings)", "#
            + #""recipeIngredient": ["2 leeks"], "nutrition": {\#(nutrition)}}"#
    }

    @Test func `a serving of unknown ingredients counts as the page says`() throws {
        let world = try World()
        let text = soup(
            "4 servings",
            #""calories": "270 calories", "proteinContent": "12 g", "carbohydrateContent": 30.5, "#
                + #""sodiumContent": "300 mg", "fatContent": "some", "servingSize": "1 bowl""#)
        let source = try RecipeImport(Array(text.utf8))
        let rows = try source.run(in: world.replica)
        #expect(rows[0].notices[0].contains("is an ingredient of its own"))
        let contents = try #require(try world.replica.read { try $0.recipe(rows[0].id) }).contents
        let serving = contents.servings(1_000)
        #expect(serving[.energy] == 270_000 && serving[.protein] == 12_000)
        #expect(serving[.carbs] == 30_500 && serving[.sodium] == 300_000_000)
        #expect(serving[.fat] == nil)
        #expect(word(try source.run(in: world.replica)[0].outcome) == "same")
    }

    @Test func `what the page states goes when an ingredient is known`() throws {
        let world = try World()
        let text = soup("4 servings", #""calories": "270 kcal""#)
        let source = try RecipeImport(Array(text.utf8))
        let id = try source.run(in: world.replica)[0].id
        let leeks = Identifier(high: 0x0190_0000_0000_7000, low: 2)
        try world.replica.add(Food(id: leeks, name: "Leeks", nutrients: Nutrients(energy: 30_000)))
        let rows = try source.run(in: world.replica)
        #expect(
            rows[0].notices == [
                "what it states for one serving (calories 270 kcal) is kept as text"
            ])
        let detail = try #require(try world.replica.read { try $0.recipe(id) })
        #expect(detail.items.map(\.name) == ["leeks"])
    }

    @Test(arguments: [
        ("900 g", #""calories": "270 kcal""#), ("4", #""calories": "2,345 kcal""#),
        ("4", #""servingSize": "1 bowl""#), ("900", #""calories": "99999 kcal""#),
    ])
    func `what cannot be counted for a serving stays text`(servings: String, nutrition: String)
        throws
    {
        let world = try World()
        let source = try RecipeImport(Array(soup(servings, nutrition).utf8))
        let row = try source.run(in: world.replica)[0]
        #expect(row.notices.contains { $0.hasSuffix("is kept as text") })
        let detail = try #require(try world.replica.read { try $0.recipe(row.id) })
        #expect(detail.items.count == 1)
    }

    @Test(arguments: [
        "", "{}", "[]", "<html></html>", "{\"@type\": \"Recipe\"}", "Chili", "{\"a\": ",
    ])
    func `a file without a recipe is refused whole`(text: String) {
        #expect(throws: ImportError.self) { try RecipeFile(Array(text.utf8)) }
    }
}
