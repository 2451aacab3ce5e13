import MacrologEvents
package import MacrologNutrition
import MacrologSQLite

/// What a day shows, as one number: it distinguishes a fault of the log from a fault of this
/// program.
///
/// Two devices whose logs have the same digest must have the same digest for every day. If the logs
/// differ, a disk or the server is at fault, and syncing repairs it; if the logs are equal and a
/// day differs, the folded data is at fault.
extension Store {
    /// The digests of all days of which something is known, in order. Computed from the rows of the
    /// read models on request, and not stored.
    package mutating func dayDigests() throws -> [(day: Day, digest: [UInt8])] {
        let days = try db.all(
            """
            SELECT day FROM meal UNION SELECT day FROM weigh_in UNION SELECT day FROM day_log
            UNION SELECT start_day FROM goal_plan UNION SELECT day FROM by_day ORDER BY 1
            """
        ) { Day(number: $0.int(0)) }
        return try days.compactMap(\.self).map { ($0, try digest(of: $0)) }
    }

    /// The first 16 bytes of the SHA-256 of what the read models hold for a day, row by row in the
    /// order of their keys.
    package mutating func digest(of day: Day) throws -> [UInt8] {
        var writer = CBORWriter(capacity: 4_096)
        for sql in [
            "SELECT id, slot, consumed, totals FROM meal WHERE day = ? ORDER BY id",
            "SELECT id, at, grams, fat FROM weigh_in WHERE day = ? ORDER BY id",
            "SELECT status, verdict FROM day_log WHERE day = ?",
            "SELECT id FROM goal_plan WHERE start_day = ? ORDER BY id",
            "SELECT kind, id FROM by_day WHERE day = ? ORDER BY kind, id",
        ] as [StaticString] {
            try db.forEach(sql, day.number) { row in
                for column in 0..<row.columnCount { Self.write(row, column, &writer) }
            }
            writer.null()
        }
        return Array(SHA256.hash(writer.bytes).prefix(16))
    }
}
