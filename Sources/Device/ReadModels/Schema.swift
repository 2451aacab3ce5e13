import MacrologEvents
import MacrologLog
package import MacrologSQLite

extension ReadModels {
    /// The tables of the read models. All are folded from entities and can be deleted, so there are
    /// no migrations: the hash of this text is their version. If a file has tables of another
    /// version, they are dropped, created again, and folded from the log.
    ///
    /// The first line is a version of the fold: increase it when the same log would fold to other
    /// rows.
    private static let tables: StaticString = """
        -- Fold 1. The line of a table that is not made below any more stays here.
        DROP TABLE IF EXISTS meal;
        DROP TABLE IF EXISTS meal_item;
        DROP TABLE IF EXISTS day_log;
        DROP TABLE IF EXISTS weigh_in;
        DROP TABLE IF EXISTS goal_plan;
        DROP TABLE IF EXISTS food_word;
        DROP TABLE IF EXISTS food_text;
        DROP TABLE IF EXISTS food;
        DROP TABLE IF EXISTS food_use;
        DROP TABLE IF EXISTS recipe;
        DROP TABLE IF EXISTS recipe_item;
        DROP TABLE IF EXISTS food_portion;
        DROP TABLE IF EXISTS meal_template;
        DROP TABLE IF EXISTS by_day;
        DROP TABLE IF EXISTS listed;
        DROP TABLE IF EXISTS photo;
        DROP TABLE IF EXISTS quarantine;

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
            fat INTEGER,                 -- basis points, where the scale told it
            PRIMARY KEY (day, id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX weigh_in_fat ON weigh_in (day) WHERE fat IS NOT NULL;

        CREATE TABLE goal_plan (
            start_day INTEGER NOT NULL,
            id BLOB NOT NULL,
            PRIMARY KEY (start_day, id)
        ) STRICT, WITHOUT ROWID;

        -- Foods as people look for them.
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

        -- SQLite's full-text index reads the words from the table, and is updated with every change; no
        -- answer depends on the numbers by which it knows the rows. Words are folded before they come
        -- here, so that they part at spaces only.
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

        -- Recipes and templates by name, and what belongs to a recipe or a food.
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

        -- Which entries belong to a day. Nothing else is computed of them: their fields are read from
        -- their registers.
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

        -- Which meals name which photos.
        CREATE TABLE photo (
            name BLOB NOT NULL,          -- SHA-256 of its bytes
            meal BLOB NOT NULL,
            PRIMARY KEY (name, meal)
        ) STRICT, WITHOUT ROWID;

        -- Fields that a peer set beyond a hard bound: kept and relayed, but not used.
        CREATE TABLE quarantine (
            id BLOB NOT NULL,
            kind TEXT NOT NULL,
            field TEXT NOT NULL,
            finding TEXT NOT NULL,
            PRIMARY KEY (id, kind, field)
        ) STRICT, WITHOUT ROWID;
        """

    private static let version = tables.withUTF8Buffer { SHA256.hash(Array($0)) }

    /// Whether the file has the tables of this version.
    static func areCurrent(in db: inout Connection) throws -> Bool {
        try db.first("SELECT read_models FROM maintenance") { $0.bytesOrNull(0) } == version
    }

    /// Drops the file's read models and creates empty tables. Call inside a transaction, and fold
    /// the log in it.
    package static func makeTables(in db: inout Connection) throws {
        try db.execute(tables)
        try db.run("UPDATE maintenance SET read_models = ?", version)
    }
}
