package import MacrologEvents
package import MacrologLog
package import MacrologNutrition
package import MacrologReadModels
import MacrologSQLite

/// Foods as people look for them: by their words, their barcodes and the columns that lists show.
enum Foods {
    static let model = ReadModel(
        tables: [table],
        folds: [
            Fold(kind: .food, list: table) { _, new, _, db throws(LogError) in
                try update(new, in: &db)
            }
        ], clear: ["INSERT INTO food_text (food_text) VALUES ('delete-all')"],
        repair: ["INSERT INTO food_text (food_text) VALUES ('rebuild')"])

    /// `name` and `brand` are folded for searching, so that words are separated by spaces only;
    /// `gtin` is fourteen digits, or `''`. The full-text index reads the words from the table, and is
    /// updated with every change; no answer depends on the numbers by which it knows the rows.
    static let table = ReadModelTable(
        "food", key: [.blob("id")],
        columns: [
            .text("name"), .text("brand"), .text("gtin"), .bool("favourite"), .bool("archived"),
        ], rowid: "key",
        also: """
            CREATE INDEX food_gtin ON food (gtin) WHERE gtin <> '';
            DROP TABLE IF EXISTS food_word;
            DROP TABLE IF EXISTS food_text;
            CREATE VIRTUAL TABLE food_text USING fts5 (
                name, brand, content = 'food', content_rowid = 'key', tokenize = 'ascii',
                prefix = '1 2 3'
            );
            -- The words that there are.
            CREATE VIRTUAL TABLE food_word USING fts5vocab (food_text, 'row');
            """)

    private struct Stored {
        let key: Int64
        let name: UTF8Text
        let brand: UTF8Text
    }

    private static func update(_ new: Readable, in db: inout LogConnection) throws(LogError) {
        let stored = try db.first("SELECT key, name, brand FROM food WHERE id = ?", new.id) {
            Stored(key: $0.int(0), name: $0.name(1), brand: $0.name(2))
        }
        guard let food = new.entity(Food.self) else {
            guard let stored else { return }
            try removeWords(of: stored, in: &db)
            return try db.run("DELETE FROM food WHERE key = ?", stored.key)
        }
        let name = UTF8Text(SearchText(food.name).text)
        let brand = UTF8Text(SearchText(food.brand ?? "").text)
        let hasSameWords = stored.map { $0.name == name && $0.brand == brand } ?? false
        if let stored, !hasSameWords { try removeWords(of: stored, in: &db) }
        try db.run(
            """
            INSERT INTO food (id, name, brand, gtin, favourite, archived) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET name = excluded.name, brand = excluded.brand,
                gtin = excluded.gtin, favourite = excluded.favourite, archived = excluded.archived
            """, new.id, name, brand, food.gtin ?? "", food.isFavourite ?? false,
            food.isArchived ?? false)
        guard !hasSameWords else { return }
        try db.run(
            """
            INSERT INTO food_text (rowid, name, brand)
            SELECT key, name, brand FROM food WHERE id = ?
            """, new.id)
    }

    /// Deleting from the index needs the exact words that were inserted.
    private static func removeWords(of stored: Stored, in db: inout LogConnection) throws(LogError)
    {
        try db.run(
            "INSERT INTO food_text (food_text, rowid, name, brand) VALUES ('delete', ?, ?, ?)",
            stored.key, stored.name, stored.brand)
    }
}

/// Searching foods.
extension Store {
    /// How many foods are ranked; of more, favourites come first, then logged foods, then the
    /// shortest names.
    private static let candidatesMax = 200

    /// The foods that match a typed text, best first; all foods for an empty text. The digits of a
    /// barcode find the food that has it.
    ///
    /// - Parameter forgiving: Whether a word that no food has matches similar words.
    package mutating func foods(
        matching typed: String, limit: Int, today: Day, forgiving: Bool = true
    ) throws(LogError) -> [Food] {
        let scanned = try foods(withBarcode: typed)
        guard scanned.isEmpty else { return Array(scanned.prefix(limit)) }
        let search = FoodSearch(typed)
        var found: [Candidate]
        if let query = search.query.prefixQuery {
            found = try candidates(query, named: search.query.text, limit)
            if found.isEmpty, forgiving, let near = try corrected(search.query) {
                found = try candidates(near, named: search.query.text, limit)
            }
        } else {
            found = try allCandidates(limit)
        }
        var scored: [(candidate: Candidate, score: Int)] = []
        for candidate in found {
            let use = try use(of: candidate)
            guard
                let score = search.score(
                    SearchText(candidate.name.string),
                    brand: SearchText(candidate.brand.string), use: use, today: today)
            else { continue }
            scored.append((candidate, score))
        }
        let best = scored.sorted { left, right in
            let (one, other) = (left.candidate, right.candidate)
            if one.isArchived != other.isArchived { return other.isArchived }
            if left.score != right.score { return left.score > right.score }
            return one.name == other.name ? one.id < other.id : one.name < other.name
        }.prefix(limit)
        return try entities(Food.self, best.map { $0.candidate.id })
    }

    /// The foods that the digits of a barcode may mean, the more likely first.
    private mutating func foods(withBarcode typed: String) throws(LogError) -> [Food] {
        var foods: [Food] = []
        for barcode in Barcode.readings(typed) {
            foods += try entities(Food.self, try ids(ofFoodsWith: barcode))
        }
        return foods
    }

    /// The foods that have a barcode; archived ones last.
    package mutating func ids(ofFoodsWith barcode: Barcode) throws(LogError) -> [Identifier] {
        try db.all(
            "SELECT id FROM food WHERE gtin = ? AND gtin <> '' ORDER BY archived, id",
            barcode.gtin
        ) { $0.identifier(0) }
    }

    private struct Candidate {
        let id: Identifier
        let name: UTF8Text
        let brand: UTF8Text
        let isFavourite: Bool
        let isArchived: Bool

        init(_ row: borrowing Row) {
            id = row.identifier(0)
            name = row.name(1)
            brand = row.name(2)
            isFavourite = row.bool(3)
            isArchived = row.bool(4)
        }
    }

    private mutating func candidates(
        _ query: String, named name: String, _ limit: Int
    ) throws(LogError) -> [Candidate] {
        try db.all(
            """
            SELECT id, food.name, food.brand, favourite, archived
            FROM food_text JOIN food ON key = food_text.rowid
            WHERE food_text MATCH ?
            ORDER BY food.name = ? DESC, favourite DESC,
                EXISTS (SELECT 1 FROM food_use WHERE food = id) DESC,
                length(food.name), food.name, id
            LIMIT ?
            """, query, name, max(limit, Self.candidatesMax)
        ) { Candidate($0) }
    }

    private mutating func allCandidates(_ limit: Int) throws(LogError) -> [Candidate] {
        try db.all(
            """
            SELECT id, name, brand, favourite, archived FROM food
            ORDER BY archived, favourite DESC,
                EXISTS (SELECT 1 FROM food_use WHERE food = id) DESC, name, id
            LIMIT ?
            """, max(limit, Self.candidatesMax)
        ) { Candidate($0) }
    }

    private mutating func use(of food: Candidate) throws(LogError) -> FoodSearch.Use {
        let (count, last) =
            try db.first(
                "SELECT count(*), max(day) FROM food_use WHERE food = ?", food.id
            ) { (Int($0.int(0)), $0.intOrNull(1)) } ?? (0, nil)
        return FoodSearch.Use(
            count: count, last: last.flatMap { Day(number: $0) }, isFavourite: food.isFavourite)
    }

    /// The query with similar words in place of those that no food has; `nil` if there are none, or
    /// if every word is known.
    private mutating func corrected(_ query: SearchText) throws(LogError) -> String? {
        var parts: [String] = []
        var isChanged = false
        for word in query.words {
            var words = [word]
            if try !isKnown(word) {
                words = SpellCorrection.nearest(word, in: try vocabulary(like: word))
                isChanged = true
            }
            guard !words.isEmpty else { return nil }
            let quoted = words.map { "\"\(String(decoding: $0, as: UTF8.self))\"*" }
            parts.append("(" + quoted.joined(separator: " OR ") + ")")
        }
        return isChanged ? parts.joined(separator: " AND ") : nil
    }

    /// Whether a food has a word with this prefix.
    private mutating func isKnown(_ word: [UInt8]) throws(LogError) -> Bool {
        let word = String(decoding: word, as: UTF8.self)
        return try db.first(
            "SELECT 1 FROM food_word WHERE term >= ? AND term < ? LIMIT 1", word,
            word + "\u{10FFFF}"
        ) { _ in true } ?? false
    }

    /// The words with the same first letter: people rarely mistype it.
    private mutating func vocabulary(like word: [UInt8]) throws(LogError) -> [[UInt8]] {
        guard let first = String(decoding: word, as: UTF8.self).unicodeScalars.first else {
            return []
        }
        let letter = String(Character(first))
        return try db.all(
            "SELECT term FROM food_word WHERE term >= ? AND term < ?", letter,
            letter + "\u{10FFFF}"
        ) { $0.bytes(0) }
    }
}
