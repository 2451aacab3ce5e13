import MacrologEvents
import MacrologLog
import MacrologNutrition
import MacrologSQLite

/// Recipes and templates by their names, and what belongs to a recipe or a food.
enum RecipeTable {
    static func projectRecipe(
        _ id: Identifier, from old: Readable?, to new: Readable, in db: inout Connection
    ) throws {
        let (before, after) = (old?.entity(Recipe.self)?.name, new.entity(Recipe.self)?.name)
        if let after {
            try db.run(
                "INSERT OR REPLACE INTO recipe (id, name) VALUES (?, ?)", id,
                SearchText(after).text)
        } else if before != nil {
            try db.run("DELETE FROM recipe WHERE id = ?", id)
        }
    }

    static func projectTemplate(
        _ id: Identifier, from old: Readable?, to new: Readable, in db: inout Connection
    ) throws {
        let before = old?.entity(MealTemplate.self)?.name
        if let after = new.entity(MealTemplate.self)?.name {
            try db.run(
                "INSERT OR REPLACE INTO meal_template (id, name) VALUES (?, ?)", id,
                SearchText(after).text)
        } else if before != nil {
            try db.run("DELETE FROM meal_template WHERE id = ?", id)
        }
    }

    static func projectItem(
        _ id: Identifier, from old: Readable?, to new: Readable, in db: inout Connection
    ) throws {
        let before = old?.entity(RecipeItem.self)?.recipeID
        let after = new.entity(RecipeItem.self)?.recipeID
        guard before != after else { return }
        if let before {
            try db.run("DELETE FROM recipe_item WHERE recipe = ? AND id = ?", before, id)
        }
        if let after {
            try db.run("INSERT OR IGNORE INTO recipe_item (recipe, id) VALUES (?, ?)", after, id)
        }
    }

    static func projectPortion(
        _ id: Identifier, from old: Readable?, to new: Readable, in db: inout Connection
    ) throws {
        let before = old?.entity(FoodPortion.self)?.foodID
        let after = new.entity(FoodPortion.self)?.foodID
        guard before != after else { return }
        if let before {
            try db.run("DELETE FROM food_portion WHERE food = ? AND id = ?", before, id)
        }
        if let after {
            try db.run("INSERT OR IGNORE INTO food_portion (food, id) VALUES (?, ?)", after, id)
        }
    }
}
