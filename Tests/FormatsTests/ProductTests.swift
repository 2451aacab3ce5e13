import MacrologEvents
import MacrologFormats
import Macrolog
import MacrologNutrition
import Testing

/// Goal: a product of Open Food Facts is the same food in whichever form it is stated.
/// Method: products in both forms, as one text, an answer, an array and lines.
@Suite struct ProductTests {
    static func product(_ body: String, code: String = "4006381333931") -> String {
        #"{"code": "\#(code)", "product_name": "Oat drink", "brands": "Alpine", \#(body)}"#
    }

    static let old = product(
        #"""
        "nutriments": {"energy_100g": 2343, "proteins_100g": "8", "carbohydrates_100g": 52.5,
        "fat_100g": "", "salt_100g": "0.85", "sodium_100g": 0.3346, "vitamin-c_100g": 0.012,
        "energy_value": "560", "energy_unit": "kcal"}
        """#)

    static let new = product(
        #"""
        "nutrition": {"aggregated_set": {"preparation": "as_sold", "per": "100g", "nutrients": {
        "energy-kj": {"value": 2343, "unit": "kJ"}, "proteins": {"value": "8", "unit": "g"},
        "carbohydrates": {"value": 52500, "unit": "mg"}, "salt": {"value": 0.85, "unit": "g"},
        "vitamin-c": {"value_computed": 12, "unit": "mg"}}}}
        """#)

    static func food(_ text: String) throws -> Food {
        let world = try World()
        let (_, rows, _) = try FoodImportTests.run(.openFoodFacts, text, in: world)
        #expect(rows.map(word) == ["new"])
        return try #require(try world.replica.foods().first)
    }

    @Test func `both forms are one food: kJ become kcal, salt sodium, texts numbers`() throws {
        let (one, other) = (try Self.food(Self.old), try Self.food(Self.new))
        #expect(one == other)
        #expect(one.id == Identities.food(try #require(Barcode("4006381333931"))))
        #expect(one.nutrients[.energy] == 559_990, "2343 kJ / 4.184")
        #expect(one.nutrients[.carbs] == 52_500)
        #expect(one.carbBasis == .available)
        #expect(one.nutrients[.fat] == nil, "an empty text says nothing")
        #expect(one.nutrients[.sodium] == 340_000_000, "0.85 g of salt / 2.5")
        #expect(one.nutrients[.vitaminC] == 12_000_000)
        #expect(one.source == .openFoodFacts)
        #expect(one.brand == "Alpine")
    }

    @Test func `a product whose barcode another food had before comes in as a food of its own`()
        throws
    {
        let world = try World()
        let barcode = try #require(Barcode("4006381333931"))
        var bar = Food(id: Identities.food(barcode), name: "Bar")
        bar.gtin = "07612345678900"
        try world.replica.put(bar)
        let text = #"{"code": "4006381333931", "product_name": "Juice"}"#
        let (_, rows, _) = try FoodImportTests.run(.openFoodFacts, text, in: world)
        #expect(rows.map(word) == ["new"])
        let again = try FoodImportTests.run(.openFoodFacts, text, in: world)
        #expect(again.rows.map(word) == ["same"])
        #expect(try world.replica.foods().map { $0.name } == ["Bar", "Juice"])
        #expect(try world.replica.read { try $0.foodID(of: barcode) } != bar.id)
        // A food that got the barcode by an edit is the product, and stays as it was typed.
        bar.gtin = "00000096385074"
        try world.replica.put(bar)
        let other = #"{"code": "96385074", "product_name": "Other"}"#
        #expect(
            try FoodImportTests.run(.openFoodFacts, other, in: world).rows.map(word) == ["same"])
    }

    @Test(arguments: [
        (#""en:united-states""#, CarbBasis.total), (#""en:canada", "en:united-states""#, .total),
        (#""en:france", "en:united-states""#, .available), ("", .available),
    ])
    func `labels of the United States and Canada count fibre in`(
        countries: String, basis: CarbBasis
    ) throws {
        let food = try Self.food(
            Self.product(
                #""countries_tags": [\#(countries)], "nutriments": {"carbohydrates_100g": 60}"#))
        #expect(food.carbBasis == basis)
    }

    @Test func `kcal of the label go before kJ`() throws {
        let food = try Self.food(
            Self.product(#""nutriments": {"energy-kcal_100g": 560, "energy_100g": 2343}"#))
        #expect(food.nutrients[.energy] == 560_000)
    }

    @Test func `what is sold by volume is per 100 ml, and alcohol a share of it`() throws {
        let wine = try Self.food(
            Self.product(
                #"""
                "quantity": "75 cl", "serving_size": "1 glass (125 ml)",
                "nutriments": {"energy-kcal_100g": 82, "alcohol_100g": 12.5}
                """#))
        #expect(wine.basis == .per100Milliliters)
        #expect(wine.serving == Amount(milli: 125_000, unit: "ml"))
        #expect(wine.nutrients[.alcohol] == 9_862, "12.5 ml × 0.789 g")
        let chocolate = try Self.food(
            Self.product(
                #""quantity": "100 g", "serving_size": "25 g", "nutriments": {"alcohol_100g": 2}"#))
        #expect(chocolate.basis == .per100Grams)
        #expect(chocolate.serving == Amount(milligrams: 25_000))
        #expect(chocolate.nutrients[.alcohol] == nil, "no one knows what 2 % vol of 100 g weigh")
    }

    @Test func `a product that is stated per serving alone is kept so`() throws {
        let food = try Self.food(
            Self.product(
                #"""
                "nutrition_data_per": "serving", "nutriments": {"energy-kcal_serving": "190"}
                """#))
        #expect(food.basis == .perServing)
        #expect(food.nutrients[.energy] == 190_000)
        let input = try Self.food(
            Self.product(
                #"""
                "nutrition": {"input_sets": [
                {"preparation": "prepared", "per": "100g", "nutrients": {"fat": {"value": 9}}},
                {"preparation": "as_sold", "per": "serving", "nutrients": {"fat": {"value": 3}}}]}
                """#))
        #expect(input.basis == .perServing)
        #expect(input.nutrients[.fat] == 3_000, "as sold, not as prepared")
    }

    @Test func `one product, an answer, an array and lines are read alike`() throws {
        let one = Self.old.replacing("\n", with: " ")
        let two = Self.product(#""nutriments": {}"#, code: "96385074")
        let texts = [
            (#"{"status": 1, "product": \#(one)}"#, [1]),
            ("{\n \"page\": 1,\n \"products\": [\n\(one),\n\(two)\n]}", [4, 5]),
            ("[\n\(one),\(two)]", [2, 2]), ("\n\(one)\n\(two)\n", [2, 3]),
            ("\(one)\n\(two)", [1, 2]),
        ]
        for (text, lines) in texts {
            for piece in [1, 5, 1_000_000] {
                let world = try World()
                let found = try FoodImportTests.run(
                    .openFoodFacts, text, in: world, piece: piece)
                #expect(found.rows.map(\.line) == lines)
                #expect(found.rows.allSatisfy { word($0) == "new" })
            }
        }
    }

    @Test func `a bad line is refused and the others come in; a bad text is refused whole`() throws
    {
        let one = Self.old.replacing("\n", with: " ")
        let world = try World()
        let text =
            "\(one)\n{\"code\": \n{\"product_name\": \"Unnamed\"}\n"
            + #"{"code": "20", "nutriments": {}}"# + "\n{\"status\": 0}\n"
        let (result, rows, _) = try FoodImportTests.run(.openFoodFacts, text, in: world)
        #expect((result.foods.new, result.foods.rejected) == (1, 4))
        #expect(rows.map(\.line) == [1, 2, 3, 4, 5])
        #expect(throws: ImportError.self) {
            try FoodImportTests.run(.openFoodFacts, "{\n\"products\": [", in: World())
        }
        #expect(throws: ImportError.self) {
            try FoodImportTests.run(.openFoodFacts, "\u{1F}\u{8B}", in: World())
        }
    }

    @Test func `codes without their leading zeros find their barcode, others their name`() throws {
        for (code, gtin) in [
            ("34000460625", "00034000460625"), ("96385074", "00000096385074"),
            ("0018176783207", "00018176783207"), ("0716791", nil),
        ] as [(String, String?)] {
            let food = try Self.food(Self.product(#""nutriments": {}"#, code: code))
            #expect(food.gtin == gtin)
            #expect(food.sourceReference == code)
        }
    }

    @Test(.enabled(if: RealFile.products != nil, RealFile.noTables))
    func `of 20 real products 19 come in, and one that holds 214 g of sodium does not`() throws {
        let world = try World()
        let text = try #require(RealFile.products)
        let (result, rows, _) = try FoodImportTests.run(.openFoodFacts, text, in: world)
        #expect((result.foods.new, result.foods.rejected) == (19, 1))
        #expect(word(rows[1]).hasPrefix("line 374, sodium: is more than 100 g can hold"))
        let again = try FoodImportTests.run(.openFoodFacts, text, in: world)
        #expect(again.result.foods.same == 19)
    }
}
