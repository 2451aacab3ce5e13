package import MacrologEvents
import MacrologSQLite

extension EventLog {
    /// The events of one group that are not void, oldest first: by number, then unsealed ones.
    package func group(_ id: Identifier, in db: inout LogConnection) throws(LogError) -> [LogEntry]
    {
        // A body contains the sixteen bytes unchanged; events that contain them elsewhere are
        // filtered out.
        let entries = try db.all(
            """
            SELECT event.dot, n, t, body, hash FROM event
            LEFT JOIN seal ON seal.dot = event.dot
            WHERE (n IS NOT NULL OR event.dot >> 40 = ?) AND instr(body, ?) > 0
            AND NOT EXISTS (SELECT 1 FROM void WHERE void.dot = event.dot)
            ORDER BY n IS NULL, n, event.dot
            """, deviceKey, id
        ) { row throws(LogError) in try entry(of: row) }.compactMap { $0 }
        return entries.filter { $0.event.group == id && !isDuplicate($0.event.dot) }
    }
}
