import MacrologLog
import MacrologNutrition
import MacrologReadModels
import MacrologSQLite

/// The days on which something was eaten: a streak need not read every meal.
///
/// A day appears with its first meal that was eaten, and disappears with its last:
///
///     meal a, planned → eaten:   INSERT OR IGNORE
///     meal b, deleted:           DELETE, unless a row of the day is left that was eaten
struct ConsumedDays: ~Copyable {
    static let table = ReadModelTable(
        "consumed_day", key: [.int("day")],
        following: "SELECT DISTINCT day FROM meal WHERE consumed = 1")

    /// The day that was inserted last, which is mostly that of the next meal, too.
    private var inserted: Day?
    /// Days of which a meal is gone, or was not eaten after all.
    private var left: [Day] = []

    /// Notes that a meal counts for another day than before; `nil` for a meal that was not eaten.
    mutating func note(from old: Day?, to new: Day?, in db: inout LogConnection) throws(LogError) {
        guard old != new else { return }
        if let old, left.last != old { left.append(old) }
        if let new, inserted != new {
            try db.run("INSERT OR IGNORE INTO consumed_day (day) VALUES (?)", new.number)
            inserted = new
        }
    }

    /// Deletes the days without a meal that was eaten, after the rows of all meals are written.
    mutating func write(in db: inout LogConnection) throws(LogError) {
        for day in left {
            try db.run(
                """
                DELETE FROM consumed_day WHERE day = ?1
                AND NOT EXISTS (SELECT 1 FROM meal WHERE day = ?1 AND consumed = 1)
                """, day.number)
        }
        left.removeAll(keepingCapacity: true)
        inserted = nil
    }
}
