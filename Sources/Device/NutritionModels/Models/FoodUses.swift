package import MacrologEvents
package import MacrologLog
package import MacrologNutrition
package import MacrologReadModels
import MacrologSQLite

/// On which days and in which meals each food was logged. A meal without foods costs nothing.
enum FoodUses {
    /// Folded with the meals, which ``PendingMeals`` collects.
    static let model = ReadModel(tables: [table], folds: [])

    static let table = ReadModelTable(
        "food_use", key: [.blob("food"), .int("day"), .blob("meal")], entity: "meal")

    /// - Parameters:
    ///   - known: The foods that the meal's rows may name.
    ///   - stored: The day of those rows.
    ///   - day: The meal's day now; `nil` if it is deleted.
    static func update(
        _ meal: Identifier, from known: [Identifier], on stored: Day?, to foods: [Identifier],
        on day: Day?, in db: inout LogConnection
    ) throws(LogError) {
        if let stored {
            for food in known + foods where day != stored || !foods.contains(food) {
                try db.run(
                    "DELETE FROM food_use WHERE food = ? AND day = ? AND meal = ?", food,
                    stored.number, meal)
            }
        }
        guard let day else { return }
        for food in foods {
            try db.run(
                "INSERT OR IGNORE INTO food_use (food, day, meal) VALUES (?, ?, ?)", food,
                day.number, meal)
        }
    }
}

/// Reading when foods were logged.
extension Store {
    /// How much of a food was eaten on the latest day that has it; `nil` when there is none, or it has no amount. Of
    /// several on that day, the one that was recorded last: computed ids say nothing about the time.
    package mutating func lastPortion(of food: Identifier) throws(LogError) -> Amount? {
        let meals = try db.all(
            """
            SELECT food_use.meal FROM food_use
            JOIN meal ON meal.day = food_use.day AND meal.id = food_use.meal
            WHERE food = ?1 AND consumed AND food_use.day = (
                SELECT max(food_use.day) FROM food_use
                JOIN meal ON meal.day = food_use.day AND meal.id = food_use.meal
                WHERE food = ?1 AND consumed)
            ORDER BY food_use.meal
            """, food
        ) { $0.identifier(0) }
        var items: [MealItem] = []
        for meal in meals {
            items += try Meals.items(of: meal, in: &db).filter { $0.foodID == food }
        }
        guard items.count > 1 else { return items.first?.amount }
        var last: (item: MealItem, wall: Int64, seq: Int64)?
        for item in items {
            let event = try history(of: EntityKey(MealItem.kind.name, item.id)).first?.event
            let (wall, seq) = (event?.wall ?? 0, event?.dot.seq.rawValue ?? 0)
            if let last, (last.wall, last.seq) > (wall, seq) { continue }
            last = (item, wall, seq)
        }
        return last?.item.amount
    }

    /// The foods that were logged in a meal slot, the latest first, then the more frequent; in any
    /// slot if none is given. Archived foods and planned meals are left out.
    package mutating func recentFoods(in slot: UTF8Text?, limit: Int) throws(LogError) -> [Food] {
        let ids = try db.all(
            """
            SELECT food FROM food_use
            JOIN meal ON meal.day = food_use.day AND meal.id = food_use.meal
            JOIN food ON food.id = food_use.food
            WHERE consumed AND NOT archived AND (?1 IS NULL OR slot = ?1)
            GROUP BY food ORDER BY max(food_use.day) DESC, count(*) DESC, food LIMIT ?2
            """, slot, limit
        ) { $0.identifier(0) }
        return try entities(Food.self, ids)
    }

    /// The meals from a day on in which a food was logged, by day.
    package mutating func meals(
        with food: Identifier, from day: Day
    ) throws(LogError) -> [Identifier] {
        try db.all(
            "SELECT DISTINCT meal FROM food_use WHERE food = ? AND day >= ? ORDER BY day, meal",
            food, day.number
        ) { $0.identifier(0) }
    }
}
