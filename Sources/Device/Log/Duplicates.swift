package import MacrologEvents
import MacrologSQLite

/// Which events are void, because an event that was sealed earlier has the same content.
///
/// A reissued event (``Event/origin``), its original, and the event that a copied file reissued
/// from the same original are one fact under several dots. The first one that the server seals
/// counts. The server's order is the same everywhere, so every device decides alike.
extension EventLog {
    /// Whether an event is void, because an event that was sealed earlier has the same content.
    package func isDuplicate(_ dot: Dot) -> Bool {
        guard !voids.isEmpty, let key = keys[dot.device],
            let number = try? DotNumber(key, dot.seq)
        else { return false }
        return voids.contains(number)
    }

    /// Stores the original dot of a reissued event.
    mutating func note(_ event: Event, key: Int64, in db: inout LogConnection) throws(LogError) {
        guard let origin = event.reissuedFrom else { return }
        hasReissues = true
        try db.run(
            "INSERT OR IGNORE INTO reissue (origin, origin_seq, dot) VALUES (?, ?, ?)",
            origin.device, origin.seq, try DotNumber(key, event.dot.seq))
    }

    /// Whether an event of another device, which has just been sealed, counts. If it does, this
    /// device's unsealed events with the same content become void.
    mutating func counts(_ entry: LogEntry, key: Int64, in db: inout LogConnection) throws(LogError)
        -> Bool
    {
        let event = entry.event
        guard hasReissues || event.reissuedFrom != nil else { return true }
        try note(event, key: key, in: &db)
        let dot = try DotNumber(key, event.dot.seq)
        for twin in try sameName(event.original.dot, in: &db)
        where twin.dot != dot && !voids.contains(twin.dot) {
            guard twin.entry.says(entry) else { continue }
            if twin.entry.seal != nil {
                try void(dot, in: &db)
                return false
            }
            try void(twin.dot, in: &db)
            for change in twin.entry.event.changes { stale.insert(change.entity) }
        }
        return true
    }

    /// Whether an event with the same content, sealed or unsealed on this device, counts.
    func isSaid(_ event: Event, in db: inout LogConnection) throws(LogError) -> Bool {
        let entry = LogEntry(event: event, seal: nil)
        return try sameName(event.original.dot, in: &db)
            .contains { !voids.contains($0.dot) && $0.entry.says(entry) }
    }

    /// The events with the same original dot that are sealed or this device's own.
    private func sameName(
        _ origin: Dot, in db: inout LogConnection
    ) throws(LogError) -> [(dot: DotNumber, entry: LogEntry)] {
        try db.all(
            """
            WITH twin (dot) AS (
                SELECT key << 40 | ?2 FROM device WHERE id = ?1
                UNION
                SELECT dot FROM reissue WHERE origin = ?1 AND origin_seq = ?2
            )
            SELECT event.dot, n, t, body, hash FROM twin
            JOIN event ON event.dot = twin.dot
            LEFT JOIN seal ON seal.dot = twin.dot
            WHERE n IS NOT NULL OR event.dot >> 40 = ?3
            """, origin.device, origin.seq, deviceKey
        ) { row throws(LogError) in
            try entry(of: row).map { (dot: row.dotNumber(0), entry: $0) }
        }.compactMap { $0 }
    }

    mutating func void(_ dot: DotNumber, in db: inout LogConnection) throws(LogError) {
        guard voids.insert(dot).inserted else { return }
        try db.run("INSERT INTO void (dot) VALUES (?)", dot)
    }

    private mutating func reinstate(_ dot: DotNumber, in db: inout LogConnection) throws(LogError) {
        voids.remove(dot)
        try db.run("INSERT INTO aside (dot) VALUES (?)", dot)
        try db.run("DELETE FROM void WHERE dot = ?", dot)
    }

    /// Decides again which of the events with the content of a repaired event counts. While that
    /// event or its seal was damaged, another may have counted in its place, and an own event may
    /// have become void although it was sealed first.
    ///
    /// - Returns: The events that became void, and those that count again.
    mutating func decideAgain(
        _ dot: DotNumber, in db: inout LogConnection
    ) throws(LogError) -> Set<DotNumber> {
        guard hasReissues || voids.contains(dot) else { return [] }
        var changed: Set<DotNumber> = []
        do throws(LogError) {
            guard let entry = try entry(dot, in: &db), entry.seal != nil else { return [] }
            let twins = try sameName(entry.event.original.dot, in: &db)
                .filter { $0.entry.says(entry) }.sorted { Self.precedes($0.entry, $1.entry) }
            for (place, twin) in twins.enumerated()
            where voids.contains(twin.dot) == (place == 0) {
                if place == 0 {
                    try reinstate(twin.dot, in: &db)
                } else {
                    try void(twin.dot, in: &db)
                }
                changed.insert(twin.dot)
            }
        } catch {
            // The repair of the event that cannot be read decides.
            guard case .damaged = error.code else { throw error }
        }
        return changed
    }

    /// Makes own unsealed events count again that were void only because of an event sealed after a
    /// fork.
    ///
    /// They are reissued like the others, or recognised where the server has them after all: then
    /// every other device counts them, and this device must too. An event that is held only as a
    /// skeleton cannot be reissued; the event that made it void waits as an orphan.
    mutating func reconsiderOwn(in db: inout LogConnection) throws(LogError) {
        for dot in voids where dot.key == deviceKey && dot.seq > sealedSeq {
            var event: Event?
            try forEachUnsealed(dot.seq, in: &db) { event = $0.event }
            guard let mine = event.map({ LogEntry(.whole($0), nil) }) else { continue }
            let isSaid = try sameName(mine.event.original.dot, in: &db).contains { twin in
                twin.dot != dot && twin.entry.seal != nil && !voids.contains(twin.dot)
                    && twin.entry.says(mine)
            }
            if isSaid { continue }
            try reinstate(dot, in: &db)
        }
    }

    /// Folds again the entities from which an event was removed, or to which one was added again.
    ///
    /// - Parameter passing: Skips entities with an event that cannot be read. The repair of that
    ///   event folds them.
    mutating func refoldStale(
        in db: inout LogConnection, updating readModels: inout some ReadModelUpdater,
        passing: Bool = false
    ) throws(LogError) {
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
        let old = try EntityTable.state(of: entity, in: &db)
        let entries = try history(of: entity, in: &db)
        let new = Self.fold(entity, entries)
        try OverwrittenEvents.removeAll(of: entity, in: &db)
        try OverwrittenEvents.add(
            entries.lazy.map { $0.event.dot }, keys: keys, unknownTo: new, of: entity, in: &db)
        // Nothing is known yet of an entity that only orphans touched.
        guard new != old ?? EntityState() else { return false }
        try EntityTable.store(new, was: old, for: entity, in: &db)
        try readModels.update(entity, from: old, to: new, in: &db)
        if new.cells.isEmpty { try EntityTable.remove(entity, in: &db) }
        return true
    }
}

extension LogEntry {
    /// Whether two events with different dots have the same content. Skeletons are compared by
    /// hash.
    fileprivate func says(_ other: LogEntry) -> Bool {
        switch (skeleton, other.skeleton) {
        case (nil, nil): event.said == other.event.said
        case (let skeleton?, nil): skeleton.says(other.event)
        case (nil, let skeleton?): skeleton.says(event)
        case (let skeleton?, let other?): skeleton.hash == other.hash
        }
    }
}
