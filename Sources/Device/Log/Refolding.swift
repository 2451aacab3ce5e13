import MacrologEvents
import MacrologSQLite

extension EventLog {
    /// Deletes everything that is derived and folds it again from the log. Call inside a
    /// transaction. The tables come out byte-identical.
    ///
    /// - Parameter progress: Called with how many events have been folded, of how many.
    package func refold(
        in db: inout LogConnection, updating readModels: inout some ReadModelUpdater,
        progress: (_ done: Int64, _ total: Int64) -> Void = { _, _ in }
    ) throws(LogError) {
        try db.run("DELETE FROM entity")
        try forgetOverwritten(in: &db)
        try db.run("DELETE FROM conflict")
        try readModels.clear(in: &db)

        let total = cursor + unsealedCount
        var done: Int64 = 0
        var fold = Fold()
        while done < total {
            let last = try readBatch(after: done, into: &fold, in: &db)
            guard last > done else { throw LogError(.gap(expected: done + 1)) }
            try fold.flush(in: &db, keys: keys, updating: &readModels)
            try readModels.flush(in: &db)
            done = last
            progress(done, total)
        }
    }

    /// Reads events after the `done`-th, sealed ones in the order of `n`, then this device's own.
    ///
    /// - Returns: The place of the last of them. Missing numbers of this device are skipped.
    private func readBatch(
        after done: Int64, into fold: inout Fold, in db: inout LogConnection
    ) throws(LogError) -> Int64 {
        var last = done
        func add(_ event: Event, _ seal: Seal?) {
            fold.add(event.changes, stamp: Stamp(dot: event.dot, base: event.base, seal: seal))
        }
        if done < cursor {
            try db.forEach(
                """
                SELECT n, t, event.dot, body FROM seal JOIN event ON event.dot = seal.dot
                WHERE n > ? ORDER BY n LIMIT ?
                """, done, Self.batchMax
            ) { row throws(LogError) in
                guard row.int(0) == last + 1 else { throw LogError(.gap(expected: last + 1)) }
                last += 1
                if voids.contains(row.dotNumber(2)) { return }
                let seal = Seal(n: row.int(0), t: row.int(1))
                add(try Self.entry(row, 3, seal).event, seal)
            }
            return last
        }
        let rest = sealedSeq - cursor
        try db.forEach(
            "SELECT dot, body, hash FROM event WHERE dot > ? AND dot <= ? ORDER BY dot LIMIT ?",
            try DotNumber(deviceKey, Seq(done).adding(rest)), DotNumber.last(of: deviceKey),
            Self.batchMax
        ) { row in
            last = row.dotNumber(0).seq - rest
            let held = UnsealedRow(
                row.dotNumber(0), of: device, body: row.bytes(1), hash: row.intOrNull(2))
            // Verification reports damage, not folding.
            guard let event = held.event, !voids.contains(held.dot) else { return }
            add(event, nil)
        }
        return last == done ? cursor + unsealedCount : last
    }

    /// Memory stays within one batch, however long the log.
    private static let batchMax = 10_000
}
