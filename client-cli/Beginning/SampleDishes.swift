import Macrolog

/// The foods and dishes of the sample diary. Round values of common tables, for looking at and not for
/// eating by.
enum SampleDishes {
    /// A food by 100 g: kilocalories, and tenths of a gram of the others.
    struct Ingredient {
        let name: String
        let kcal, protein, carbs, fat, fiber: Int64

        init(
            _ name: String, _ kcal: Int64, _ protein: Int64, _ carbs: Int64, _ fat: Int64,
            _ fiber: Int64
        ) {
            (self.name, self.kcal) = (name, kcal)
            (self.protein, self.carbs, self.fat, self.fiber) = (protein, carbs, fat, fiber)
        }

        func nutrients(grams: Int64) -> Nutrients {
            var nutrients = Nutrients(
                energy: kcal * grams * 10, protein: protein * grams, carbs: carbs * grams,
                fat: fat * grams)
            nutrients[.fiber] = fiber * grams
            return nutrients
        }
    }

    static let foods = [
        Ingredient("Oats", 372, 135, 587, 70, 100), Ingredient("Milk", 64, 33, 48, 36, 0),
        Ingredient("Banana", 89, 11, 228, 3, 26), Ingredient("Rye bread", 217, 85, 450, 17, 80),
        Ingredient("Egg", 143, 126, 7, 95, 0), Ingredient("Yoghurt", 61, 35, 47, 33, 0),
        Ingredient("Berries", 50, 10, 95, 4, 40), Ingredient("Lentils", 352, 246, 520, 11, 107),
        Ingredient("Carrot", 41, 9, 76, 2, 28), Ingredient("Olive oil", 884, 0, 0, 1_000, 0),
        Ingredient("Chicken breast", 165, 310, 0, 36, 0), Ingredient("Rice", 130, 27, 282, 3, 4),
        Ingredient("Pasta", 158, 58, 309, 9, 18), Ingredient("Tomato sauce", 40, 15, 60, 10, 15),
        Ingredient("Salmon", 208, 204, 0, 134, 0), Ingredient("Potato", 87, 19, 201, 1, 18),
        Ingredient("Broccoli", 35, 24, 42, 4, 33), Ingredient("Apple", 52, 3, 118, 2, 24),
        Ingredient("Almonds", 579, 212, 96, 499, 125), Ingredient("Cheese", 402, 250, 13, 330, 0),
    ]

    /// A dish, and how much of which food is in it.
    struct Dish {
        let name: String
        let parts: [(food: String, grams: Int64)]

        init(_ name: String, _ parts: [(food: String, grams: Int64)]) {
            (self.name, self.parts) = (name, parts)
        }
    }

    /// The dishes of a slot, one after the other, and when it is eaten in minutes after midnight.
    static let slots: [(name: UTF8Text, minute: Int64, dishes: [Dish])] = [
        (
            "breakfast", 480,
            [
                Dish("Oat porridge", [("Oats", 60), ("Milk", 250), ("Banana", 120)]),
                Dish("Eggs on rye bread", [("Egg", 120), ("Rye bread", 90)]),
                Dish("Yoghurt with berries", [("Yoghurt", 250), ("Berries", 150), ("Oats", 40)]),
            ]
        ),
        (
            "lunch", 750,
            [
                Dish(
                    "Chicken with rice",
                    [("Chicken breast", 160), ("Rice", 250), ("Broccoli", 150), ("Olive oil", 10)]),
                Dish(recipe.name, []),
                Dish(
                    "Pasta with tomato sauce",
                    [("Pasta", 300), ("Tomato sauce", 150), ("Cheese", 30)]),
                Dish("Cheese sandwich", [("Rye bread", 140), ("Cheese", 70), ("Carrot", 100)]),
            ]
        ),
        (
            "snack", 960,
            [
                Dish("Apple and almonds", [("Apple", 180), ("Almonds", 30)]),
                Dish("Banana", [("Banana", 120)]),
            ]
        ),
        (
            "dinner", 1_140,
            [
                Dish(
                    "Salmon with potatoes",
                    [("Salmon", 150), ("Potato", 300), ("Broccoli", 200), ("Olive oil", 10)]),
                Dish("Omelette", [("Egg", 180), ("Cheese", 40), ("Rye bread", 80)]),
                Dish(
                    "Chicken salad",
                    [("Chicken breast", 150), ("Carrot", 150), ("Olive oil", 20), ("Apple", 100)]),
                Dish("Rice with vegetables", [("Rice", 300), ("Broccoli", 200), ("Almonds", 40)]),
                Dish("Baked potatoes", [("Potato", 400), ("Cheese", 60), ("Yoghurt", 100)]),
            ]
        ),
    ]

    /// What is cooked for four.
    static let recipe = Dish(
        "Lentil soup",
        [("Lentils", 350), ("Carrot", 400), ("Potato", 300), ("Olive oil", 40)])
}
