import MacrologEvents
import MacrologNutrition
import Testing

/// Goal: a measure that people type is the one that they mean, or is refused. Method: a food with
/// measures that begin alike.
@Suite struct MeasureTests {
    static let food = Food(
        id: Identifier(high: 1, low: 1), name: "Rice", nutrients: Nutrients(energy: 350_000))

    static func servingSizes(_ labels: [(String, Int64)], serving: Amount? = nil) -> ServingSizes {
        var food = food
        food.serving = serving
        return ServingSizes(
            food,
            portions: labels.map { FoodPortion(of: food.id, label: $0.0, milligrams: $0.1) })
    }

    static let rice = servingSizes([
        ("cup", 185_000), ("cup, cooked", 158_000), ("slice, thin", 20_000),
        ("cookie (yield from 1 package, 12 oz)", 12_000),
    ])

    @Test(arguments: [
        ("cup", "cup", 185_000), ("CUPS", "cup", 185_000), ("cups, cooked", "cup, cooked", 158_000),
        ("cup cooked", "cup, cooked", 158_000), ("slices", "slice, thin", 20_000),
        ("cookies", "cookie", 12_000),
    ])
    func `a measure is found by its name, in the plural, or by how it begins`(
        typed: String, unit: String, milligrams: Int64
    ) throws {
        let amount = try Self.rice.amount(milli: 2_000, of: UTF8Text(typed))
        #expect(amount == Amount(milli: 2_000, unit: UTF8Text(unit), milligrams: milligrams * 2))
        let (nutrients, weighed) = try Self.rice.nutrients(of: amount)
        #expect(weighed == amount)
        #expect(nutrients[.energy] == Rounding.scaled(350_000, by: milligrams * 2, over: 100_000))
    }

    @Test func `what could be several is refused with their names, what is none with all`() {
        let bread = Self.servingSizes([("slice, thin", 20_000), ("slice, thick", 40_000)])
        let both = #expect(throws: PortionError.self) {
            try bread.amount(milli: 1_000, of: "slice")
        }
        #expect(both?.candidates == ["slice, thick", "slice, thin"])
        let none = #expect(throws: PortionError.self) {
            try bread.amount(milli: 1_000, of: "bowl")
        }
        #expect(none?.candidates == [])
        #expect(none?.known == ["slice, thick", "slice, thin", "g"])
        #expect(throws: PortionError.self) { try bread.amount(milli: 1_000, of: "(,") }
    }

    @Test func `without a measure it is the food's own serving`() throws {
        let slice = Amount(milli: 2_000, unit: "slice", milligrams: 56_000)
        let bread = Self.servingSizes([], serving: slice)
        #expect(
            try bread.amount(milli: 1_500)
                == Amount(milli: 3_000, unit: "slice", milligrams: 84_000))
        #expect(
            try bread.amount(milli: 1_000, of: "slices")
                == Amount(milli: 1_000, unit: "slice", milligrams: 28_000))
        #expect(throws: PortionError.self) { try Self.rice.amount(milli: 1_000) }
    }

    @Test func `every unit of an amount fits where amounts are stored`() throws {
        for length in 1...60 {
            let label = String(repeating: "x", count: length)
            for text in [label, "cup of \(label)", "\(label), sliced", "(\(label)"] {
                let servingSizes = Self.servingSizes([(text, 1_000)])
                guard let amount = try? servingSizes.amount(milli: 1_000, of: UTF8Text(text)) else {
                    continue
                }
                #expect(Amount(amount.value) == amount)
            }
        }
    }

    @Test func `a recipe for other servings holds the same in each`() throws {
        let id = Identifier(high: 2, low: 1)
        var recipe = Recipe(id: id, name: "Chili", servingsMilli: 4_000)
        recipe.cookedMilligrams = 1_000_000
        let items = [
            RecipeItem(
                id: Identifier(high: 3, low: 1), of: id, foodID: Self.food.id,
                amount: Amount(milligrams: 300_000)),
            RecipeItem(
                id: Identifier(high: 3, low: 2), of: id, name: "Oil",
                nutrients: Nutrients(energy: 90_000)),
            RecipeItem(id: Identifier(high: 3, low: 3), of: id, name: "Salt to taste"),
        ]
        let (large, parts) = recipe.scaled(items, toServings: 6_000)
        #expect(large.servingsMilli == 6_000)
        #expect(large.cookedMilligrams == 1_500_000)
        #expect(parts[0].amount == Amount(milligrams: 450_000))
        #expect(parts[1].nutrients[.energy] == 135_000)
        #expect(parts[2] == items[2], "what has no amount has none afterwards")
        func serving(_ recipe: Recipe, _ items: [RecipeItem]) -> Nutrients? {
            RecipeBook(
                recipe: { _ in recipe }, items: { _ in items },
                food: { _ in ServingSizes(Self.food) }
            ).contents(of: id)?.servings(1_000)
        }
        #expect(serving(recipe, items) == serving(large, parts))
        #expect(serving(recipe, items)?[.energy] == 285_000)
    }

    @Test func `a recipe of a meal follows its foods, and keeps the numbers of the rest`() {
        var low: UInt64 = 0
        func newID() -> Identifier {
            low += 1
            return Identifier(high: 9, low: low)
        }
        let meal = Meal(
            id: newID(), on: LocalDate(day: .earliest), dishName: "Pot",
            nutrients: Nutrients(energy: 10_000))
        func item(_ name: String, edited: Bool = false) -> MealItem {
            var item = MealItem(
                id: newID(), of: meal.id, name: name, amount: Amount(milligrams: 100_000),
                nutrients: Nutrients(energy: 50_000))
            item.foodID = Self.food.id
            if edited { item.isEditedByUser = true }
            return item
        }
        var bare = item("Water")
        bare.foodID = nil
        let (recipe, parts) = Recipe.of(
            meal, items: [item("Rice"), item("Rice", edited: true), bare], name: "Pot",
            servingsMilli: 2_000, newID: newID)
        #expect(parts.map(\.foodID) == [nil, Self.food.id, nil, nil])
        #expect(parts.map { $0.nutrients[.energy] } == [10_000, nil, 50_000, 50_000])
        #expect(parts.allSatisfy { $0.recipeID == recipe.id })
        #expect(parts.map(\.position) == ["001", "002", "003", "004"])
    }
}
