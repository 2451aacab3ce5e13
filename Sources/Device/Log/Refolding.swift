package import MacrologEvents
import MacrologSQLite

extension EventLog {
    /// Deletes everything that is derived and folds it again from the log. The tables come out
    /// byte-identical.
    ///
    /// - Parameter progress: Called with how many events have been folded, of how many.
    package func refold(
        in db: inout LogConnection, updating readModels: inout some ReadModelUpdater,
        progress: (_ done: Int64, _ total: Int64) -> Void = { _, _ in }
    ) throws(LogError) {
        assert(db.isInTransaction)
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
            let held = unsealedRow(row, body: 1)
            // Verification reports damage, not folding.
            guard let event = held.event, !voids.contains(held.dot) else { return }
            add(event, nil)
        }
        return last == done ? cursor + unsealedCount : last
    }

    /// Memory stays within one batch, however long the log, and near the processor: what is decoded is soon
    /// folded.
    private static let batchMax = 2_000
}

extension EventLog {
    /// Notes that entities have to be folded again, because an event was removed from them or added
    /// again.
    package mutating func markStale(_ entities: some Sequence<EntityKey>) {
        stale.formUnion(entities)
    }

    /// Folds again the entities from which an event was removed, or to which one was added again.
    ///
    /// - Parameter passing: Skips entities with an event that cannot be read. The repair of that
    ///   event folds them.
    package mutating func refoldStale(
        in db: inout LogConnection, updating readModels: inout some ReadModelUpdater,
        passing: Bool = false
    ) throws(LogError) {
        assert(db.isInTransaction)
        for entity in stale.sorted() {
            do throws(LogError) {
                _ = try refold(entity, in: &db, updating: &readModels)
            } catch {
                guard passing, case .damaged = error.code else { throw error }
            }
        }
        stale.removeAll()
    }

    /// The state of an entity that follows from some events.
    static func fold(_ entity: EntityKey, _ entries: [LogEntry]) -> EntityState {
        var state = EntityState()
        for entry in entries {
            for change in entry.event.changes where change.entity == entity {
                state.fold(change, stamp: entry.stamp)
            }
        }
        return state
    }

    /// Folds an entity again.
    ///
    /// - Returns: Whether its state has changed.
    func refold(
        _ entity: EntityKey, in db: inout LogConnection,
        updating readModels: inout some ReadModelUpdater
    ) throws(LogError) -> Bool {
        assert(db.isInTransaction)
        let old = try EntityTable.state(of: entity, in: &db)
        let entries = try history(of: entity, in: &db)
        let new = Self.fold(entity, entries)
        try OverwrittenEvents.removeAll(of: entity, in: &db)
        var rows = FoldedRows()
        try OverwrittenEvents.add(
            entries.lazy.map { $0.event.dot }, keys: keys, unknownTo: new, of: entity, to: &rows,
            in: &db)
        // Nothing is known yet of an entity that only orphans touched.
        guard new != old ?? EntityState() else {
            try rows.write(in: &db)
            return false
        }
        rows.store(new, was: old, for: entity)
        try rows.write(in: &db)
        try readModels.update(entity, from: old, to: new, in: &db)
        if new.isEmpty { try EntityTable.remove(entity, in: &db) }
        return true
    }

    /// Sealed events by `n`, then unsealed ones by `seq`.
    package static func precedes(_ left: LogEntry, _ right: LogEntry) -> Bool {
        switch (left.seal, right.seal) {
        case (let left?, let right?): left.n < right.n
        case (_?, nil): true
        case (nil, _?): false
        case (nil, nil): left.event.dot.seq < right.event.dot.seq
        }
    }
}
