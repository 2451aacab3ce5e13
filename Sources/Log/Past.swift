import Events
package import SQLite

extension EventLog {
    /// Copies this log, so far as it is asked for, into an empty database, and folds it there. Call
    /// inside a transaction of that database.
    ///
    /// - Parameter isIncluded: Whether an event is to be there. What it had seen should be, too.
    package func copy(
        where isIncluded: (LogEntry) -> Bool, from db: inout Connection,
        to other: inout Connection, projecting projector: inout some Projector
    ) throws {
        try db.forEach("SELECT key, id FROM device ORDER BY key") { row in
            try other.run(
                "INSERT INTO device (key, id) VALUES (?, ?)", row.int(0), row.identifier(1))
        }
        try other.run(
            "INSERT INTO replica (one, device, epoch) VALUES (1, ?, ?)", deviceKey, Int64(epoch))
        var fold = Fold()
        try db.forEach(
            """
            SELECT event.device, event.seq, body, n, t, digest FROM event
            LEFT JOIN seal ON seal.device = event.device AND seal.seq = event.seq
            WHERE n IS NOT NULL OR event.device = ? ORDER BY n IS NULL, n, event.seq
            """, deviceKey
        ) { row in
            let (key, seq) = (row.int(0), row.int(1))
            guard !voids.contains(Place(key: key, seq: seq)) else { return }
            let seal = row.isNull(3) ? nil : Seal(n: row.int(3), t: row.int(4))
            let entry = try row.withBytes(2) { try Self.entry($0, seal) }
            guard isIncluded(entry) else { return }
            try other.run(
                "INSERT INTO event (device, seq, body) VALUES (?, ?, ?)", key, seq, row.bytes(2))
            if let seal {
                try other.run(
                    "INSERT INTO seal (n, t, device, seq, digest) VALUES (?, ?, ?, ?, ?)", seal.n,
                    seal.t, key, seq, row.bytes(5))
            }
            fold.add(entry.event.changes, stamp: entry.stamp, deviceKey: key)
        }
        try fold.flush(in: &other, projecting: &projector)
        try projector.flush(in: &other)
    }
}
