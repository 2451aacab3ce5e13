import Events
import Log
import SQLite

/// One hash over everything that is folded from the log: equal logs give equal hashes on every
/// device, whatever the order in which events arrived.
extension Store {
    /// The SHA-256 of the entities, the touches, the conflicts and every read model, row by row in
    /// the order of their keys; devices by their ids, not by this file's numbers.
    ///
    /// - Parameter touches: Whether it is to say which events touched what, too. Of events that were
    ///   compacted elsewhere a device doesn't know that.
    package mutating func stateHash(touches: Bool = true) throws -> [UInt8] {
        var state = [UInt8](repeating: 0, count: 32)
        for (name, sql) in Self.tables where touches || !"\(name)".utf8.elementsEqual("touch".utf8)
        {
            state = SHA256.hash(state + Array("\(name)".utf8))
            try db.forEach(sql) { row in
                var writer = CBORWriter(capacity: 256)
                for column in 0..<row.columnCount { Self.write(row, column, &writer) }
                state = SHA256.hash(state + writer.bytes)
            }
        }
        return state
    }

    private static func write(_ row: borrowing Row, _ column: Int, _ writer: inout CBORWriter) {
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
        // The full-text index follows from this table; its own rows depend on how it got there.
        ("food", "SELECT id, name, brand, gtin, favourite, archived FROM food ORDER BY id"),
        ("food_use", "SELECT * FROM food_use ORDER BY food, day, meal"),
        ("recipe", "SELECT * FROM recipe ORDER BY id"),
        ("recipe_item", "SELECT * FROM recipe_item ORDER BY recipe, id"),
        ("food_portion", "SELECT * FROM food_portion ORDER BY food, id"),
        ("meal_template", "SELECT * FROM meal_template ORDER BY id"),
        ("photo", "SELECT * FROM photo ORDER BY name, meal"),
        ("quarantine", "SELECT * FROM quarantine ORDER BY id, kind, field"),
    ]
}
