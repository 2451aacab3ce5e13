import MacrologEvents
import MacrologLog
import MacrologSQLite

/// One hash of everything that is folded from the log: equal logs give equal hashes on every
/// device, whatever the order in which events arrived.
extension Store {
    /// The SHA-256 of the entities, the touches, the conflicts and every read model, row by row in
    /// the order of their keys; devices by their IDs, not by this file's numbers.
    ///
    /// - Parameter touches: Whether to include which events touched what. A device does not know
    ///   that of events that were compacted elsewhere.
    ///   compacted elsewhere a device doesn't know that.
    package mutating func stateHash(touches: Bool = true) throws -> [UInt8] {
        var state = [UInt8](repeating: 0, count: 32)
        for (name, sql) in Self.tables where touches || !"\(name)".utf8.elementsEqual("touch".utf8)
        {
            state = try Self.hash(name, sql, after: state, in: &db)
        }
        return state
    }

    private static func hash(
        _ name: StaticString, _ sql: StaticString, after before: [UInt8], in db: inout Connection
    ) throws -> [UInt8] {
        var state = SHA256.hash(before + Array("\(name)".utf8))
        try db.forEach(sql) { row in
            var writer = CBORWriter(capacity: 256)
            for column in 0..<row.columnCount { Self.write(row, column, &writer) }
            state = SHA256.hash(state + writer.bytes)
        }
        return state
    }

    /// The tables that differ from what the events give: everything derived is folded beside what
    /// is stored, compared, and restored as it was.
    ///
    /// - Returns: Their names.
    package mutating func wrongTables() throws -> [String] {
        struct Compared: Error { let wrong: [String] }
        let log = log
        do {
            try db.transaction { db in
                let before = try Self.tables.map { try Self.hash($0.0, $0.1, after: [], in: &db) }
                var models = ReadModels()
                try log.refold(in: &db, updating: &models, progress: { _, _ in })
                let wrong = try zip(Self.tables, before).filter { table, hash in
                    try Self.hash(table.0, table.1, after: [], in: &db) != hash
                }
                throw Compared(wrong: wrong.map { "\($0.0.0)" })
            }
        } catch let compared as Compared {
            return compared.wrong
        }
        return []
    }

    /// One hash of what is derived for the entities of a range, with this file's numbers of
    /// devices.
    static func hash(_ range: IDRange, in db: inout Connection) throws -> [UInt8] {
        var writer = CBORWriter(capacity: 65_536)
        for sql in Self.slices {
            try db.forEach(sql, range.after, range.through) { row in
                for column in 0..<row.columnCount { write(row, column, &writer) }
            }
            writer.null()
        }
        for day in try DayLogTable.days(of: range, in: &db) {
            try db.forEach("SELECT * FROM day_log WHERE day = ?", day) { row in
                for column in 0..<row.columnCount { write(row, column, &writer) }
            }
        }
        return SHA256.hash(writer.bytes)
    }

    private static let slices: [StaticString] = [
        "SELECT * FROM entity WHERE id > ? AND id <= ? ORDER BY id, kind",
        "SELECT * FROM touch WHERE id > ? AND id <= ? ORDER BY id, kind, dot",
        "SELECT * FROM conflict WHERE id > ? AND id <= ? ORDER BY id, kind",
        "SELECT * FROM meal WHERE id > ? AND id <= ? ORDER BY day, id",
        "SELECT * FROM meal_item WHERE id > ? AND id <= ? ORDER BY meal, id",
        "SELECT * FROM weigh_in WHERE id > ? AND id <= ? ORDER BY day, id",
        "SELECT * FROM goal_plan WHERE id > ? AND id <= ? ORDER BY start_day, id",
        """
        SELECT id, name, brand, gtin, favourite, archived FROM food WHERE id > ? AND id <= ?
        ORDER BY id
        """,
        "SELECT * FROM quarantine WHERE id > ? AND id <= ? ORDER BY id, kind, field",
        "SELECT * FROM photo WHERE meal > ? AND meal <= ? ORDER BY name, meal",
        "SELECT * FROM food_use WHERE meal > ? AND meal <= ? ORDER BY food, day, meal",
        "SELECT * FROM recipe WHERE id > ? AND id <= ? ORDER BY id",
        "SELECT * FROM recipe_item WHERE id > ? AND id <= ? ORDER BY recipe, id",
        "SELECT * FROM food_portion WHERE id > ? AND id <= ? ORDER BY food, id",
        "SELECT * FROM meal_template WHERE id > ? AND id <= ? ORDER BY id",
        "SELECT * FROM by_day WHERE id > ? AND id <= ? ORDER BY kind, day, id",
        "SELECT * FROM listed WHERE id > ? AND id <= ? ORDER BY kind, id",
    ]

    static func write(_ row: borrowing Row, _ column: Int, _ writer: inout CBORWriter) {
        switch row.type(column) {
        case .null: writer.null()
        case .integer: writer.int(row.int(column))
        case .text: writer.text(row.name(column))
        case .blob: writer.byteString(row.bytes(column))
        }
    }

    private static let tables: [(StaticString, StaticString)] = [
        ("entity", "SELECT * FROM entity ORDER BY id, kind"),
        (
            "touch",
            """
            SELECT touch.id, kind, device.id, dot & 0xFFFFFFFFFF FROM touch
            JOIN device ON key = dot >> 40
            ORDER BY touch.id, kind, device.id, dot & 0xFFFFFFFFFF
            """
        ),
        ("conflict", "SELECT * FROM conflict ORDER BY id, kind"),
        ("meal", "SELECT * FROM meal ORDER BY day, id"),
        ("meal_item", "SELECT * FROM meal_item ORDER BY meal, id"),
        ("day_log", "SELECT * FROM day_log ORDER BY day"),
        ("weigh_in", "SELECT * FROM weigh_in ORDER BY day, id"),
        ("goal_plan", "SELECT * FROM goal_plan ORDER BY start_day, id"),
        // The full-text index follows from this table; its own rows depend on the order of writes.
        ("food", "SELECT id, name, brand, gtin, favourite, archived FROM food ORDER BY id"),
        ("food_use", "SELECT * FROM food_use ORDER BY food, day, meal"),
        ("recipe", "SELECT * FROM recipe ORDER BY id"),
        ("recipe_item", "SELECT * FROM recipe_item ORDER BY recipe, id"),
        ("food_portion", "SELECT * FROM food_portion ORDER BY food, id"),
        ("meal_template", "SELECT * FROM meal_template ORDER BY id"),
        ("by_day", "SELECT * FROM by_day ORDER BY kind, day, id"),
        ("listed", "SELECT * FROM listed ORDER BY kind, id"),
        ("photo", "SELECT * FROM photo ORDER BY name, meal"),
        ("quarantine", "SELECT * FROM quarantine ORDER BY id, kind, field"),
    ]
}
