import MacrologEvents
import MacrologLog
import MacrologSQLite

/// What a file that has lost rows of `seal` still knows of them. While the server has the same log, the
/// rows come again; in another log they may not.
///
///     sealed a1 a2 b1, folded a1 a2 b1 → the seals of a2 and b1 are lost → sealed a1, folded a1 a2 b1
extension EventLog {
    /// Whether the last seals are missing, but not what was folded from them.
    func hasLostTail(in db: inout LogConnection) throws(LogError) -> Bool {
        if try EntityTable.isFolded(beyond: cursor, in: &db) { return true }
        // What another device recorded may be overwritten, and then no entity has its number.
        return try db.first(
            """
            SELECT 1 FROM event
            JOIN (SELECT max(key) AS key FROM device GROUP BY id) AS last ON key = dot >> 40
            WHERE key <> ? AND NOT EXISTS (SELECT 1 FROM seal WHERE seal.dot = event.dot)
            """, deviceKey
        ) { _ in true } ?? false
    }
}
