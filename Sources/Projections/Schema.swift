package import SQLite

extension ReadModels {
    /// Raised when the same log would fold to other rows; replicas then refold at their next start.
    static let version: Int64 = 5

    /// The tables of the read models. All are folded from entities and can be thrown away.
    package static let migrations = [
        Migration(
            name: "read models 1",
            """
            -- What each meal adds to its day.
            CREATE TABLE meal (
                day INTEGER NOT NULL,        -- days since 1970-01-01
                id BLOB NOT NULL,
                slot TEXT NOT NULL,          -- '' for none
                consumed INTEGER NOT NULL,   -- 0 or 1
                totals BLOB NOT NULL,        -- of itself and its items
                PRIMARY KEY (day, id)
            ) STRICT, WITHOUT ROWID;

            -- The items of each meal.
            CREATE TABLE meal_item (
                meal BLOB NOT NULL,
                id BLOB NOT NULL,
                PRIMARY KEY (meal, id)
            ) STRICT, WITHOUT ROWID;

            CREATE TABLE day_log (
                day INTEGER PRIMARY KEY,
                status TEXT NOT NULL,        -- open, complete, skipped
                verdict TEXT NOT NULL        -- none, achieved, missed
            ) STRICT;

            CREATE TABLE weigh_in (
                day INTEGER NOT NULL,
                id BLOB NOT NULL,
                at INTEGER,                  -- milliseconds since 1970 UTC
                grams INTEGER NOT NULL,
                PRIMARY KEY (day, id)
            ) STRICT, WITHOUT ROWID;

            CREATE TABLE goal_plan (
                start_day INTEGER NOT NULL,
                id BLOB NOT NULL,
                PRIMARY KEY (start_day, id)
            ) STRICT, WITHOUT ROWID;

            CREATE TABLE food (
                id BLOB PRIMARY KEY,
                words TEXT NOT NULL          -- name and brand, folded for searching
            ) STRICT, WITHOUT ROWID;

            -- Fields that a peer set beyond a hard bound: kept and relayed, but not used.
            CREATE TABLE quarantine (
                id BLOB NOT NULL,
                kind TEXT NOT NULL,
                field TEXT NOT NULL,
                finding TEXT NOT NULL,
                PRIMARY KEY (id, kind, field)
            ) STRICT, WITHOUT ROWID;
            """),
        Migration(
            name: "read models 2 photos",
            """
            -- Which meals name which photos.
            CREATE TABLE photo (
                name BLOB NOT NULL,          -- SHA-256 of its bytes
                meal BLOB NOT NULL,
                PRIMARY KEY (name, meal)
            ) STRICT, WITHOUT ROWID;
            """),
        foodSearch, recipes, days,
    ]
}

extension ReadModels {
    /// Foods as people look for them. SQLite's full-text index reads the words from the table, and is
    /// told of every change; no answer depends on the numbers by which it knows the rows.
    private static let foodSearch = Migration(
        name: "read models 3 food search",
        """
        DROP TABLE food;
        CREATE TABLE food (
            key INTEGER PRIMARY KEY,     -- this file's number of it, for the index
            id BLOB NOT NULL UNIQUE,
            name TEXT NOT NULL,          -- folded for searching
            brand TEXT NOT NULL,         -- likewise
            gtin TEXT NOT NULL,          -- fourteen digits, or ''
            favourite INTEGER NOT NULL,  -- 0 or 1
            archived INTEGER NOT NULL    -- 0 or 1
        ) STRICT;
        CREATE INDEX food_gtin ON food (gtin) WHERE gtin <> '';

        -- Words are folded before they come here, so that they part at spaces only.
        CREATE VIRTUAL TABLE food_text USING fts5 (
            name, brand, content = 'food', content_rowid = 'key', tokenize = 'ascii',
            prefix = '1 2 3'
        );
        -- The words that there are.
        CREATE VIRTUAL TABLE food_word USING fts5vocab (food_text, 'row');

        -- On which days and in which meals each food was logged.
        CREATE TABLE food_use (
            food BLOB NOT NULL,
            day INTEGER NOT NULL,
            meal BLOB NOT NULL,
            PRIMARY KEY (food, day, meal)
        ) STRICT, WITHOUT ROWID;
        """)

    /// Recipes and templates by name, and what belongs to a recipe or a food.
    private static let recipes = Migration(
        name: "read models 4 recipes",
        """
        CREATE TABLE recipe (
            id BLOB PRIMARY KEY,
            name TEXT NOT NULL           -- folded for searching
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE recipe_item (
            recipe BLOB NOT NULL,
            id BLOB NOT NULL,
            PRIMARY KEY (recipe, id)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE food_portion (
            food BLOB NOT NULL,
            id BLOB NOT NULL,
            PRIMARY KEY (food, id)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE meal_template (
            id BLOB PRIMARY KEY,
            name TEXT NOT NULL           -- folded for searching
        ) STRICT, WITHOUT ROWID;
        """)

    /// Where entries are found that nothing else is computed of: their fields are read from their
    /// registers.
    private static let days = Migration(
        name: "read models 5 days",
        """
        -- Which entries belong to a day.
        CREATE TABLE by_day (
            kind TEXT NOT NULL,
            day INTEGER NOT NULL,        -- days since 1970-01-01
            id BLOB NOT NULL,
            PRIMARY KEY (kind, day, id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX by_day_id ON by_day (id);

        -- Entities that belong to no day, nor to another entity.
        CREATE TABLE listed (
            kind TEXT NOT NULL,
            id BLOB NOT NULL,
            PRIMARY KEY (kind, id)
        ) STRICT, WITHOUT ROWID;

        ALTER TABLE weigh_in ADD COLUMN fat INTEGER; -- basis points, where the scale told it
        CREATE INDEX weigh_in_fat ON weigh_in (day) WHERE fat IS NOT NULL;
        """)
}
