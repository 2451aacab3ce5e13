/// The classes of an ingredient that diets distinguish; a dish such as cheesecake has several.
package struct IngredientClass: OptionSet, Hashable, Sendable {
    /// One bit for each class.
    public let rawValue: UInt32

    /// Takes bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Beef, pork, lamb, game and their organs.
    public static let redMeat = IngredientClass(rawValue: 1 << 0)
    /// Sausage, ham, bacon and the like.
    public static let processedMeat = IngredientClass(rawValue: 1 << 1)
    /// Chicken, turkey and other birds.
    public static let poultry = IngredientClass(rawValue: 1 << 2)
    /// Fish, shellfish and other animals of the water.
    public static let fish = IngredientClass(rawValue: 1 << 3)
    /// Milk and milk products.
    public static let dairy = IngredientClass(rawValue: 1 << 4)
    /// Butter, which is dairy too.
    public static let butter = IngredientClass(rawValue: 1 << 5)
    /// Eggs.
    public static let egg = IngredientClass(rawValue: 1 << 6)
    /// Honey, which is a sweetener too.
    public static let honey = IngredientClass(rawValue: 1 << 7)
    /// Lard, gelatin and other parts of animals.
    public static let animalPart = IngredientClass(rawValue: 1 << 8)
    /// Grain and grain products.
    public static let grain = IngredientClass(rawValue: 1 << 9)
    /// Whole grain, which is grain too.
    public static let wholeGrain = IngredientClass(rawValue: 1 << 10)
    /// Beans, lentils, peas, peanuts, soy.
    public static let legume = IngredientClass(rawValue: 1 << 11)
    /// Refined sugar and sweets.
    public static let sugar = IngredientClass(rawValue: 1 << 12)
    /// Syrups and other sweeteners.
    public static let sweetener = IngredientClass(rawValue: 1 << 13)
    /// Oils pressed from seeds, and fats made of them.
    public static let seedOil = IngredientClass(rawValue: 1 << 14)
    /// Olive oil.
    public static let oliveOil = IngredientClass(rawValue: 1 << 15)
    /// Vegetables.
    public static let vegetable = IngredientClass(rawValue: 1 << 16)
    /// Fruit.
    public static let fruit = IngredientClass(rawValue: 1 << 17)
    /// Nuts and seeds.
    public static let nut = IngredientClass(rawValue: 1 << 18)
    /// Drinks with sugar.
    public static let sugaryDrink = IngredientClass(rawValue: 1 << 19)
    /// Nothing that a diet asks about: water, salt, spices, starches of roots.
    public static let neutral = IngredientClass(rawValue: 1 << 20)

    /// Meat and fish: with ``animalPart``, everything that vegetarians avoid.
    public static let flesh: IngredientClass = [.redMeat, .processedMeat, .poultry, .fish]
    /// All animal products: everything that vegans avoid.
    public static let animal: IngredientClass = [
        .flesh, .dairy, .butter, .egg, .honey, .animalPart,
    ]
}
