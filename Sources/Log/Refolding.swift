import Events
package import SQLite

extension EventLog {
    /// Throws away everything that is derived and folds it again from the log. Call inside a
    /// transaction. The tables come out byte-identical.
    ///
    /// - Parameter progress: Told how many events have been folded, of how many.
    package func refold(
        in db: inout Connection, projecting projector: inout some Projector,
        progress: (_ done: Int64, _ total: Int64) -> Void = { _, _ in }
    ) throws {
        guard preview == nil else { return try project(in: &db, projecting: &projector) }
        try db.run("DELETE FROM entity")
        try db.run("DELETE FROM touch")
        try db.run("DELETE FROM conflict")
        try projector.clear(in: &db)

        let total = cursor + unsealedCount
        var done: Int64 = 0
        var fold = Fold()
        while done < total {
            let count = try readBatch(after: done, into: &fold, in: &db)
            guard count > 0 else { throw LogError(.gap(expected: done + 1)) }
            try fold.flush(in: &db, projecting: &projector)
            try projector.flush(in: &db)
            done += count
            progress(done, total)
        }
    }

    /// Derives the read models anew from the entities as they are: while a snapshot is shown, not
    /// all events are here to fold.
    private func project(
        in db: inout Connection, projecting projector: inout some Projector
    ) throws {
        try projector.clear(in: &db)
        var last: EntityKey?
        while true {
            let batch = try EntityTable.states(after: last, limit: Self.batchMax, in: &db)
            guard let end = batch.last?.entity else { return }
            for (entity, state) in batch {
                try projector.project(entity, from: nil, to: state, in: &db)
            }
            try projector.flush(in: &db)
            last = end
        }
    }

    /// Reads events behind the `done`-th, sealed ones in the order of `n`, then this device's own.
    private func readBatch(
        after done: Int64, into fold: inout Fold, in db: inout Connection
    ) throws -> Int64 {
        var batch: Int64 = 0
        func add(_ body: UnsafeRawBufferPointer, _ seal: Seal?, _ key: Int64) throws {
            batch += 1
            let event: Event
            do throws(CBORError) { event = try Event.decoded(body) } catch {
                throw LogError(.damaged(error))
            }
            if voids.contains(Place(key: key, seq: event.dot.seq)) { return }
            fold.add(
                event.changes, stamp: Stamp(dot: event.dot, base: event.base, seal: seal),
                deviceKey: key)
        }
        if done < cursor {
            try db.forEach(
                """
                SELECT n, t, seal.device, body FROM seal
                JOIN event ON event.device = seal.device AND event.seq = seal.seq
                WHERE n > ? ORDER BY n LIMIT ?
                """, done, Self.batchMax
            ) { row in
                try row.withBytes(3) {
                    try add($0, Seal(n: row.int(0), t: row.int(1)), row.int(2))
                }
            }
        } else {
            try db.forEach(
                "SELECT body FROM event WHERE device = ? AND seq > ? ORDER BY seq LIMIT ?",
                deviceKey, sealedSeq + done - cursor, Self.batchMax
            ) { row in
                try row.withBytes(0) { try add($0, nil, deviceKey) }
            }
        }
        return batch
    }

    /// Memory stays within one batch, however long the log.
    private static let batchMax = 10_000
}
