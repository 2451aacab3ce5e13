import MacrologEvents
import MacrologLog
package import MacrologNutrition
import MacrologSQLite

/// The ids of entries by kind and day. Their contents are read from their cells.
///
/// An entry without a usable day, because none was written or it breaks a bound, is in no day; nor
/// is a deleted one.
enum DayTable {
    static func update<E: DayEntry>(
        _ type: E.Type, from old: Readable?, to new: Readable, in db: inout Connection
    ) throws {
        let before = old?.entity(type)?.day
        let after = new.entity(type)?.day
        guard before != after else { return }
        if let before {
            try db.run(
                "DELETE FROM by_day WHERE kind = ? AND day = ? AND id = ?", E.kind.name,
                before.number, new.id)
        }
        if let after {
            try db.run(
                "INSERT OR IGNORE INTO by_day (kind, day, id) VALUES (?, ?, ?)", E.kind.name,
                after.number, new.id)
        }
    }
}

/// The ids of entities without a day, by kind.
enum ListTable {
    static func update<E: ListedEntity>(
        _ type: E.Type, from old: Readable?, to new: Readable, in db: inout Connection
    ) throws {
        let (before, after) = (old?.entity(type) != nil, new.entity(type) != nil)
        guard before != after else { return }
        if after {
            try db.run(
                "INSERT OR IGNORE INTO listed (kind, id) VALUES (?, ?)", E.kind.name, new.id)
        } else {
            try db.run("DELETE FROM listed WHERE kind = ? AND id = ?", E.kind.name, new.id)
        }
    }
}

/// Reading them.
extension Store {
    /// The entries of a kind on some days that are not deleted: by day, by time, by id.
    package mutating func entities<E: DayEntry>(
        _ type: E.Type, on days: ClosedRange<Day>
    ) throws -> [E] {
        let ids = try db.all(
            "SELECT id FROM by_day WHERE kind = ? AND day BETWEEN ? AND ?", E.kind.name,
            days.lowerBound.number, days.upperBound.number
        ) { $0.identifier(0) }
        return try ids.compactMap { try entity(type, $0) }.sorted { $0.precedes($1) }
    }

    /// The entities of a kind that are not deleted, oldest id first.
    package mutating func entities<E: ListedEntity>(_ type: E.Type) throws -> [E] {
        let ids = try db.all(
            "SELECT id FROM listed WHERE kind = ? ORDER BY id", E.kind.name
        ) { $0.identifier(0) }
        return try ids.compactMap { try entity(type, $0) }
    }
}
