import MacrologEvents
import MacrologLog
import MacrologNutrition
import MacrologNutritionModels
import MacrologReadModels
import Testing

/// Goal: a recipe comes to the same on every device, whichever writes which half of it, and no circle
/// of recipes can hang a device. Method: two stores and a small server in memory.
@Suite struct RecipeTests {
    private func id(_ low: UInt64) -> Identifier {
        Identifier(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0000 | low)
    }

    private func add(_ number: UInt64, _ name: String, to device: Device) throws {
        let recipe = Recipe(id: id(number), name: name, servingsMilli: 2_000)
        try device.record("recipe.added", .recipe, recipe.id, [.set(recipe.fields)])
    }

    private func put(
        _ item: UInt64, into recipe: UInt64, food: UInt64? = nil, sub: UInt64? = nil,
        on device: Device
    ) throws {
        let part = RecipeItem(
            id: id(item), of: id(recipe), name: "Part", foodID: food.map { id($0) },
            subRecipeID: sub.map { id($0) },
            amount: food == nil ? Amount(milli: 1_000, unit: "serving") : Amount(milligrams: 50_000)
        )
        try device.record("recipe.item_added", .recipeItem, part.id, [.set(part.fields)])
    }

    @Test func `two halves of a circle, written apart, are left out and said alike everywhere`()
        throws
    {
        let (phone, laptop) = (try Device("a"), try Device("b"))
        var server = SyncServer()
        let food = Food(id: id(9), name: "Oats", nutrients: Nutrients(energy: 400_000))
        try phone.record("food.added", .food, food.id, [.set(food.fields)])
        try add(1, "Dough", to: phone)
        try add(2, "Bread", to: phone)
        try put(11, into: 1, food: 9, on: phone)
        try put(12, into: 2, food: 9, on: phone)
        try phone.sync(&server)
        try laptop.sync(&server)
        try put(21, into: 1, sub: 2, on: phone)
        try put(22, into: 2, sub: 1, on: laptop)
        try phone.sync(&server)
        try laptop.sync(&server)
        try phone.sync(&server)
        let dough = try #require(try phone.store.recipe(id(1)))
        #expect(dough.contents.problems == [.cycle(id(22))])
        #expect(dough.contents.totals[.energy] == 300_000, "a whole and half a bread")
        #expect(try laptop.store.recipe(id(1)) == dough)
        #expect(try phone.store.stateHash() == laptop.store.stateHash())
        let hash = try phone.store.stateHash()
        try phone.store.rebuild()
        #expect(try phone.store.stateHash() == hash)
    }

    @Test func `a recipe is found by its words, follows its parts, and forgets what is deleted`()
        throws
    {
        let phone = try Device("a")
        let food = Food(id: id(9), name: "Oats", nutrients: Nutrients(energy: 400_000))
        try phone.record("food.added", .food, food.id, [.set(food.fields)])
        try add(1, "Crème brûlée", to: phone)
        try add(2, "Bread", to: phone)
        try put(11, into: 1, food: 9, on: phone)
        let template = MealTemplate(id: id(30), name: "Supper", items: [])
        try phone.record("template.added", .mealTemplate, template.id, [.set(template.fields)])
        let portion = FoodPortion(of: id(9), label: "cup", milligrams: 90_000)
        try phone.record("food.portion_added", .foodPortion, portion.id, [.set(portion.fields)])
        #expect(try phone.store.recipes(matching: "brul").map(\.name) == ["Crème brûlée"])
        #expect(try phone.store.templates(matching: "sup").map(\.name) == ["Supper"])
        #expect(try phone.store.servingSizes(of: id(9))?.portions == [portion])
        try phone.record(
            "recipe.item_edited", .recipeItem, id(11), [.set(["recipe_id": .bytes(id(2).bytes)])])
        #expect(try phone.store.items(ofRecipe: id(1)).isEmpty)
        #expect(try phone.store.recipe(id(2))?.contents.totals[.energy] == 200_000)
        try phone.record("food.edited", .food, id(9), [.set(["energy": 200_000])])
        #expect(try phone.store.recipe(id(2))?.contents.totals[.energy] == 100_000)
        try phone.record("recipe.item_deleted", .recipeItem, id(11), [.delete])
        try phone.record("recipe.deleted", .recipe, id(1), [.delete])
        try phone.record("template.deleted", .mealTemplate, id(30), [.delete])
        try phone.record("food.portion_deleted", .foodPortion, portion.id, [.delete])
        #expect(try phone.store.recipes(matching: "").map(\.name) == ["Bread"])
        #expect(try phone.store.templates(matching: "").isEmpty)
        let hash = try phone.store.stateHash()
        try phone.store.rebuild()
        #expect(try phone.store.stateHash() == hash)
    }
}
