import MacrologEvents
import MacrologLog
import MacrologNutrition
import MacrologSQLite

/// Foods by their words, their barcodes and the columns that lists show.
enum FoodTable {
    private struct Stored {
        let key: Int64
        let name: Text
        let brand: Text
    }

    static func update(
        _ id: Identifier, to new: Readable, in db: inout Connection
    ) throws {
        let stored = try db.first("SELECT key, name, brand FROM food WHERE id = ?", id) {
            Stored(key: $0.int(0), name: $0.name(1), brand: $0.name(2))
        }
        guard let food = new.entity(Food.self) else {
            guard let stored else { return }
            try forget(stored, in: &db)
            try db.run("DELETE FROM food WHERE key = ?", stored.key)
            return
        }
        let (name, brand) = (
            Text(SearchText(food.name).text), Text(SearchText(food.brand ?? "").text)
        )
        let (gtin, isFavourite, isArchived) = (
            Text(food.gtin ?? ""), food.isFavourite ?? false, food.isArchived ?? false
        )
        if let stored {
            let isNamedAlike = stored.name == name && stored.brand == brand
            if !isNamedAlike { try forget(stored, in: &db) }
            try db.run(
                """
                UPDATE food SET name = ?, brand = ?, gtin = ?, favourite = ?, archived = ?
                WHERE key = ?
                """, name, brand, gtin, isFavourite, isArchived, stored.key)
            if !isNamedAlike { try learn(stored.key, name, brand, in: &db) }
        } else {
            try db.run(
                """
                INSERT INTO food (id, name, brand, gtin, favourite, archived)
                VALUES (?, ?, ?, ?, ?, ?)
                """, id, name, brand, gtin, isFavourite, isArchived)
            let key = try db.first("SELECT key FROM food WHERE id = ?", id) { $0.int(0) }
            if let key { try learn(key, name, brand, in: &db) }
        }
    }

    private static func learn(
        _ key: Int64, _ name: Text, _ brand: Text, in db: inout Connection
    ) throws {
        try db.run("INSERT INTO food_text (rowid, name, brand) VALUES (?, ?, ?)", key, name, brand)
    }

    /// Deleting from the index needs the exact words that were inserted.
    private static func forget(_ stored: Stored, in db: inout Connection) throws {
        try db.run(
            "INSERT INTO food_text (food_text, rowid, name, brand) VALUES ('delete', ?, ?, ?)",
            stored.key, stored.name, stored.brand)
    }
}

/// When each food was logged. For a meal without foods this costs nothing.
enum FoodUseTable {
    /// - Parameters:
    ///   - known: The foods that the meal's rows may name.
    ///   - stored: The day of those rows.
    ///   - day: The meal's day now; `nil` if it is deleted.
    static func update(
        _ meal: Identifier, from known: [Identifier], on stored: Day?, to foods: [Identifier],
        on day: Day?, in db: inout Connection
    ) throws {
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
