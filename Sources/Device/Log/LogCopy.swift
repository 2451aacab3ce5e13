import MacrologEvents
import MacrologSQLite

extension EventLog {
    /// Copies a part of this log into an empty database, and folds it there, in a
    /// transaction of that database.
    ///
    /// - Parameter isIncluded: Whether to include an event. What it had seen should be included
    ///   too.
    package func copy(
        where isIncluded: (LogEntry) -> Bool, from db: inout LogConnection,
        to other: inout LogConnection, updating readModels: inout some ReadModelUpdater
    ) throws(LogError) {
        assert(other.isInTransaction)
        try db.forEach("SELECT key, id FROM device ORDER BY key") { row throws(LogError) in
            try other.run(
                "INSERT INTO device (key, id) VALUES (?, ?)", row.int(0), row.identifier(1))
        }
        try other.run(
            "INSERT INTO replica (one, device, epoch) VALUES (1, ?, ?)", deviceKey, Int64(epoch))
        var fold = Fold()
        try db.forEach(
            """
            SELECT event.dot, body, n, t, digest FROM event
            LEFT JOIN seal ON seal.dot = event.dot
            WHERE n IS NOT NULL OR event.dot >> 40 = ? ORDER BY n IS NULL, n, event.dot
            """, deviceKey
        ) { row throws(LogError) in
            let dot = row.dotNumber(0)
            guard !voids.contains(dot) else { return }
            let seal = row.isNull(2) ? nil : Seal(n: row.int(2), t: row.int(3))
            let entry = try Self.entry(row, 1, seal)
            guard isIncluded(entry) else { return }
            try other.run("INSERT INTO event (dot, body) VALUES (?, ?)", dot, row.bytes(1))
            if let seal {
                try other.run(
                    "INSERT INTO seal (n, t, dot, digest) VALUES (?, ?, ?, ?)", seal.n, seal.t, dot,
                    row.bytes(4))
            }
            fold.add(entry.event.changes, stamp: entry.stamp)
        }
        try fold.flush(in: &other, keys: keys, updating: &readModels)
        try readModels.flush(in: &other)
    }
}
