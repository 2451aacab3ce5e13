package import Events
import SQLite

/// Which events count no more, because an event that was sealed before says the same.
///
/// An event that was issued anew (``Event/origin``), its original, and what a copied file issued
/// anew from the same original are one fact under several names. The first that the hub seals
/// counts; the hub's order is the same everywhere, so every device decides alike.
extension EventLog {
    /// An event of this file: its device's key and its number.
    struct Place: Hashable, Sendable {
        let key: Int64
        let seq: Int64
    }

    /// Whether an event counts no more, because another that was sealed before says the same.
    package func isRepeat(_ dot: Dot) -> Bool {
        guard !voids.isEmpty, let key = keysByDevice[dot.device] else { return false }
        return voids.contains(Place(key: key, seq: dot.seq))
    }

    /// Remembers of an event that was issued anew what it was at first.
    mutating func note(_ event: Event, key: Int64, in db: inout Connection) throws {
        guard let origin = event.origin else { return }
        hasReissues = true
        try db.run(
            "INSERT INTO reissue (origin, origin_seq, device, seq) VALUES (?, ?, ?, ?)",
            origin.device, origin.seq, key, event.dot.seq)
    }

    /// Whether an event of another device counts, which has just been sealed. If it does, own
    /// unsealed events that say the same count no more.
    mutating func counts(_ event: Event, key: Int64, in db: inout Connection) throws -> Bool {
        guard hasReissues || event.origin != nil else { return true }
        try note(event, key: key, in: &db)
        let said = event.said
        let place = Place(key: key, seq: event.dot.seq)
        for twin in try sameName(event.original.dot, in: &db)
        where twin.place != place && !voids.contains(twin.place) {
            guard twin.event.said == said else { continue }
            if twin.isSealed {
                try void(place, in: &db)
                return false
            }
            try void(twin.place, in: &db)
            for change in twin.event.changes {
                try db.run(
                    "DELETE FROM touch WHERE id = ? AND kind = ? AND device = ? AND seq = ?",
                    change.entity.id, change.entity.kind, twin.place.key, twin.place.seq)
                stale.insert(change.entity)
            }
        }
        return true
    }

    /// Whether a sealed event, or an unsealed one of this device, says the same and counts.
    func isSaid(_ event: Event, in db: inout Connection) throws -> Bool {
        let said = event.said
        return try sameName(event.original.dot, in: &db)
            .contains { !voids.contains($0.place) && $0.event.said == said }
    }

    /// The events of one first name that are sealed, or this device's own.
    private func sameName(
        _ origin: Dot, in db: inout Connection
    ) throws -> [(place: Place, isSealed: Bool, event: Event)] {
        try db.all(
            """
            WITH twin (device, seq) AS (
                SELECT key, ?2 FROM device WHERE id = ?1
                UNION
                SELECT device, seq FROM reissue WHERE origin = ?1 AND origin_seq = ?2
            )
            SELECT event.device, event.seq, n IS NOT NULL, body FROM twin
            JOIN event ON event.device = twin.device AND event.seq = twin.seq
            LEFT JOIN seal ON seal.device = twin.device AND seal.seq = twin.seq
            WHERE n IS NOT NULL OR event.device = ?3
            """, origin.device, origin.seq, deviceKey
        ) { row in
            (
                Place(key: row.int(0), seq: row.int(1)), row.int(2) == 1,
                try row.withBytes(3) { try Self.entry($0, nil) }.event
            )
        }
    }

    private mutating func void(_ place: Place, in db: inout Connection) throws {
        try db.run("INSERT INTO void (device, seq) VALUES (?, ?)", place.key, place.seq)
        voids.insert(place)
    }

    /// Folds the entities anew that an event was taken out of, or came back to.
    mutating func refoldStale(
        in db: inout Connection, projecting projector: inout some Projector
    ) throws {
        for entity in stale.sorted() {
            // What a snapshot says of it has events that are not here yet.
            let known =
                try isPreviewed(entity, in: &db)
                ? EntityTable.state(of: entity, in: &db)?.withoutUnsealed() : nil
            _ = try refold(entity, from: known ?? EntityState(), in: &db, projecting: &projector)
        }
        stale.removeAll()
    }

    /// Folds an entity anew.
    ///
    /// - Parameter start: What is known of it otherwise than by the events that are here.
    /// - Returns: Whether this has changed anything.
    func refold(
        _ entity: EntityKey, from start: EntityState, in db: inout Connection,
        projecting projector: inout some Projector
    ) throws -> Bool {
        let old = try EntityTable.state(of: entity, in: &db)
        var new = start
        for entry in try history(of: entity, in: &db) {
            for change in entry.event.changes where change.entity == entity {
                new.fold(change, stamp: entry.stamp)
            }
        }
        // Of an entity that only orphans spoke of nothing is known yet.
        guard new != old ?? EntityState() else { return false }
        try EntityTable.store(new, was: old, for: entity, in: &db)
        try projector.project(entity, from: old, to: new, in: &db)
        if new.cells.isEmpty { try EntityTable.remove(entity, in: &db) }
        return true
    }
}
