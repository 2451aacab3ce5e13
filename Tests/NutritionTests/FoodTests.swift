import MacrologEvents
import MacrologNutrition
import Testing

@Suite struct PortionTests {
    static func id(_ number: UInt64) -> Identifier { Identifier(high: 0, low: number) }

    static let bread: ServingSizes = {
        var food = Food(
            id: id(1), name: "Bread", nutrients: Nutrients(energy: 250_000, protein: 9_000))
        food.serving = Amount(milli: 2_000, unit: "slice", milligrams: 60_000)
        return ServingSizes(
            food,
            portions: [
                FoodPortion(of: id(1), label: "loaf", milligrams: 750_000),
                FoodPortion(of: id(2), label: "crumb", milligrams: 1),
            ])
    }()

    struct Case: Sendable, CustomTestStringConvertible {
        let milli: Int64
        let unit: UTF8Text
        let energy: Int64
        var testDescription: String { "\(milli) \(unit)" }
    }

    @Test(arguments: [
        Case(milli: 100_000, unit: "g", energy: 250_000),
        Case(milli: 1_000, unit: "oz", energy: 70_875),
        Case(milli: 1_000, unit: "slice", energy: 75_000),
        Case(milli: 3_000, unit: "Slices", energy: 225_000),
        Case(milli: 500, unit: "serving", energy: 75_000),
        Case(milli: 100, unit: "loaf", energy: 187_500), Case(milli: 0, unit: "g", energy: 0),
    ])
    func `an amount in any unit of a food is its nutrients`(amount: Case) throws {
        let (nutrients, weighed) = try Self.bread.nutrients(
            of: Amount(milli: amount.milli, unit: amount.unit))
        #expect(nutrients[.energy] == amount.energy)
        #expect(weighed.milligrams != nil)
    }

    @Test func `a unit that a food does not have is refused, with those that it has`() throws {
        let error = #expect(throws: PortionError.self) {
            try Self.bread.nutrients(of: Amount(milli: 1_000, unit: "crumb"))
        }
        #expect(
            try #require(error).description
                == "it is unknown how much one crumb of this food is: use loaf or slice or serving or g, or add a portion of that name"
        )
        #expect(throws: PortionError.self) {
            try Self.bread.nutrients(of: Amount(milli: 1_000, unit: "ml"))
        }
    }

    @Test func `an item's own nutrients follow its amount in any unit of its food`() throws {
        var item = MealItem(
            id: Self.id(9), of: Self.id(8), name: "Bread", amount: Amount(milligrams: 100_000),
            nutrients: Nutrients(energy: 300_000))
        let loaf = Amount(milli: 100, unit: "loaf")
        let rescaled = try item.rescaled(to: loaf, food: Self.bread)
        #expect(rescaled[.energy] == 225_000)
        #expect(rescaled.amount?.milligrams == 75_000)
        #expect(try rescaled.rescaled(to: Amount(milli: 2, unit: "kg"))[.energy] == 6_000)
        #expect(throws: PortionError.self) { try item.rescaled(to: loaf) }
        item.amount?.milligrams = 0
        #expect(throws: PortionError.self) { try item.rescaled(to: loaf, food: Self.bread) }
        item.amount = nil
        #expect(try item.rescaled(to: loaf, food: Self.bread)[.energy] == 300_000)
    }

    @Test func `what is stated by volume is taken by volume, or by mass where density is known`()
        throws
    {
        var milk = Food(
            id: Self.id(1), name: "Milk", basis: .per100Milliliters,
            nutrients: Nutrients(energy: 64_000))
        #expect(
            try ServingSizes(milk).nutrients(of: Amount(milli: 2_500, unit: "dl")).0[.energy]
                == 160_000)
        #expect(throws: PortionError.self) {
            try ServingSizes(milk).nutrients(of: Amount(milligrams: 100_000))
        }
        let cup = FoodPortion(of: milk.id, label: "cup", milligrams: 240_000)
        let error = #expect(throws: PortionError.self) {
            try ServingSizes(milk, portions: [cup]).nutrients(of: Amount(milli: 1_000, unit: "cup"))
        }
        #expect(error?.description == "it is unknown how much one cup of this food is: use ml")
        milk.serving = Amount(milli: 200_000, unit: "ml", milligrams: 206_000)
        let servingSizes = ServingSizes(milk)
        #expect(
            try servingSizes.nutrients(of: Amount(milli: 1_000, unit: "serving")).0[.energy]
                == 128_000)
        #expect(
            try servingSizes.nutrients(of: Amount(milligrams: 103_000)).0[.energy] == 64_000)
    }

    @Test func `what is stated per serving is taken by servings, or by mass where that is known`()
        throws
    {
        var bar = Food(
            id: Self.id(1), name: "Bar", basis: .perServing, nutrients: Nutrients(energy: 200_000))
        #expect(
            try ServingSizes(bar).nutrients(of: Amount(milli: 1_500, unit: "servings")).0[.energy]
                == 300_000)
        #expect(throws: PortionError.self) {
            try ServingSizes(bar).nutrients(of: Amount(milligrams: 40_000))
        }
        bar.serving = Amount(milli: 1_000, unit: "bar", milligrams: 40_000)
        #expect(
            try ServingSizes(bar).nutrients(of: Amount(milligrams: 20_000)).0[.energy] == 100_000)
        #expect(
            try ServingSizes(bar).nutrients(of: Amount(milli: 2_000, unit: "bars")).0[.energy]
                == 400_000)
    }

    @Test func `eight digits that check as two barcodes have both readings`() {
        #expect(
            Barcode.readings("01234565").map(\.gtin) == ["00000001234565", "00012345000065"])
        #expect(Barcode.readings("4006381333931").map(\.gtin) == ["04006381333931"])
        #expect(Barcode.readings("04252614").map(\.gtin) == ["00042100005264"])
        #expect(Barcode.readings("12345").isEmpty)
    }
}

/// Goal: a recipe's numbers are those of its ingredients, and no circle hangs or traps.
@Suite struct RecipeTests {
    static func id(_ number: UInt64) -> Identifier { Identifier(high: 0, low: number) }

    static func item(
        _ number: UInt64, of recipe: UInt64, food: UInt64? = nil, sub: UInt64? = nil,
        amount: Amount? = nil, nutrients: Nutrients = Nutrients()
    ) -> RecipeItem {
        RecipeItem(
            id: id(number), of: id(recipe), foodID: food.map(id), subRecipeID: sub.map(id),
            amount: amount, nutrients: nutrients)
    }

    static func book(
        _ recipes: [Recipe], _ items: [RecipeItem], foods: [Food] = [lentils, oil]
    ) -> RecipeBook {
        RecipeBook(
            recipe: { wanted in recipes.first { $0.id == wanted } },
            items: { wanted in items.filter { $0.recipeID == wanted } },
            food: { wanted in foods.first { $0.id == wanted }.map { ServingSizes($0) } })
    }

    static let lentils = Food(
        id: id(100), name: "Lentils", nutrients: Nutrients(energy: 350_000, protein: 25_000))
    static let oil = Food(
        id: id(101), name: "Oil", nutrients: Nutrients(energy: 884_000, fat: 100_000))

    static func recipe(_ number: UInt64, servings: Int64? = nil, cooked: Int64? = nil) -> Recipe {
        var recipe = Recipe(id: id(number), name: "R\(number)", servingsMilli: servings)
        recipe.cookedMilligrams = cooked
        return recipe
    }

    static let soupItems = [
        item(10, of: 1, food: 100, amount: Amount(milligrams: 200_000)),
        item(11, of: 1, food: 101, amount: Amount(milligrams: 20_000)),
        item(12, of: 1, amount: Amount(milligrams: 5_000), nutrients: Nutrients(energy: 0)),
    ]

    @Test func `a serving is the whole by its yield`() throws {
        let contents = try #require(
            Self.book([Self.recipe(1, servings: 4_000)], Self.soupItems).contents(of: Self.id(1)))
        #expect(contents.totals[.energy] == 876_800)
        #expect(contents.servings(1_000)[.energy] == 219_200)
        #expect(contents.milligrams == 225_000)
        #expect(contents.isRawMass)
        #expect(contents.totals.coverage(of: .protein).description == "1 of 3")
        #expect(contents.problems == [])
    }

    @Test func `water that boils off or soaks in changes a gram, not the whole`() throws {
        let contents = try #require(
            Self.book([Self.recipe(1, servings: 4_000, cooked: 800_000)], Self.soupItems)
                .contents(of: Self.id(1)))
        #expect(contents.totals[.energy] == 876_800)
        #expect(
            try contents.nutrients(of: Amount(milligrams: 200_000)).0[.energy] == 219_200)
        #expect(!contents.isRawMass)
    }

    @Test func `a recipe in a recipe counts by servings or by mass`() throws {
        let items =
            Self.soupItems + [
                Self.item(20, of: 2, sub: 1, amount: Amount(milli: 2_000, unit: "servings")),
                Self.item(21, of: 3, sub: 1, amount: Amount(milligrams: 112_500)),
                Self.item(22, of: 4, sub: 1, amount: Amount(milli: 1_000, unit: "bowl")),
            ]
        let book = Self.book(
            [Self.recipe(1, servings: 4_000), Self.recipe(2), Self.recipe(3), Self.recipe(4)], items
        )
        #expect(book.contents(of: Self.id(2))?.totals[.energy] == 438_400)
        #expect(book.contents(of: Self.id(2))?.milligrams == 112_500)
        #expect(book.contents(of: Self.id(3))?.totals[.energy] == 438_400)
        #expect(book.contents(of: Self.id(4))?.problems == [.unmeasured(Self.id(22))])
        #expect(book.contents(of: Self.id(4))?.totals[.energy] == nil, "unknown is not zero")
    }

    @Test func `grams of a recipe whose mass is unknown lack the mass of that recipe`() throws {
        let items = [
            Self.item(20, of: 2, nutrients: Nutrients(energy: 100_000)),
            Self.item(21, of: 1, sub: 2, amount: Amount(milligrams: 150_000)),
            Self.item(22, of: 3, sub: 2, amount: Amount(milli: 1_000, unit: "bowl")),
        ]
        let recipes = [Self.recipe(1), Self.recipe(2), Self.recipe(3)]
        let book = Self.book(recipes, items)
        #expect(
            book.contents(of: Self.id(1))?.problems == [
                .unweighed(Self.id(21), recipe: Self.id(2))
            ])
        #expect(book.contents(of: Self.id(1))?.totals[.energy] == nil, "unknown is not zero")
        #expect(book.contents(of: Self.id(3))?.problems == [.unmeasured(Self.id(22))])
        let weighed = Self.book([Self.recipe(1), Self.recipe(2, cooked: 300_000)], items)
        #expect(weighed.contents(of: Self.id(1))?.problems == [])
        #expect(weighed.contents(of: Self.id(1))?.totals[.energy] == 50_000)
    }

    @Test func `a circle is refused when written, and left out when two devices wrote it`() throws {
        let items =
            Self.soupItems + [
                Self.item(30, of: 1, sub: 2), Self.item(31, of: 2, sub: 3),
                Self.item(32, of: 3, sub: 1), Self.item(33, of: 4, sub: 4),
            ]
        let book = Self.book(
            [Self.recipe(1), Self.recipe(2), Self.recipe(3), Self.recipe(4)], items)
        let contents = try #require(book.contents(of: Self.id(1)))
        #expect(contents.problems == [.cycle(Self.id(32))])
        #expect(contents.totals[.energy] == 876_800)
        #expect(book.contents(of: Self.id(4))?.problems == [.cycle(Self.id(33))])
        let open = Self.book(
            [Self.recipe(1), Self.recipe(2), Self.recipe(3)],
            [Self.item(30, of: 1, sub: 2), Self.item(31, of: 2, sub: 3)])
        #expect(open.wouldCycle(adding: Self.id(1), to: Self.id(3)))
        #expect(open.wouldCycle(adding: Self.id(1), to: Self.id(1)))
        #expect(!open.wouldCycle(adding: Self.id(3), to: Self.id(1)))
        #expect(!book.wouldCycle(adding: Self.id(3), to: Self.id(9)), "a circle elsewhere ends")
    }

    @Test func `recipes nest eight deep and no deeper`() {
        let recipes = (1...10).map { Self.recipe(UInt64($0)) }
        var items: [RecipeItem] = []
        for outer in UInt64(1)...9 {
            items.append(Self.item(40 + outer, of: outer, sub: outer + 1))
        }
        items.append(Self.item(60, of: 8, food: 100, amount: Amount(milligrams: 100_000)))
        let contents = Self.book(recipes, items).contents(of: Self.id(1))
        #expect(contents?.problems == [.tooDeep(Self.id(48))])
        #expect(contents?.totals[.energy] == 350_000)
    }

    @Test func `a food that is gone leaves its ingredient unknown and says so`() {
        let contents = Self.book(
            [Self.recipe(1)], [Self.item(10, of: 1, food: 999), Self.item(11, of: 1, sub: 999)]
        ).contents(of: Self.id(1))
        #expect(contents?.problems == [.missing(Self.id(10)), .missing(Self.id(11))])
        #expect(contents?.milligrams == nil)
        #expect(Self.book([], []).contents(of: Self.id(1)) == nil)
    }

    @Test func `what is left over of a dish is the rest, whatever share was eaten`() throws {
        let date = LocalDate(day: try #require(Day("2026-11-20")))
        func left(_ eaten: Int64) -> Int64 {
            var meal = Meal(id: Self.id(1), on: date)
            meal.consumedShareBasisPoints = eaten
            return meal.leftoverBasisPoints
        }
        #expect(left(4_000) == 6_000)
        #expect(left(12_000) == -2_000, "more than there was")
        #expect(left(.min) == .max)
    }
}
