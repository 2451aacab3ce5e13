import MacrologEvents
import MacrologSQLite

/// The events that touched an entity and that its state no longer names, because later events
/// overwrote them. Together with those that the state names they are the entity's history.
enum OverwrittenEvents {
    /// The events that an entity's state no longer names.
    static func dots(of entity: EntityKey, in db: inout LogConnection) throws(LogError)
        -> [DotNumber]
    {
        try db.all(
            "SELECT dot FROM touch WHERE id = ? AND kind = ?", entity.id, entity.kind
        ) { $0.dotNumber(0) }
    }

    static func add(
        _ dot: DotNumber, to entity: EntityKey, in db: inout LogConnection
    ) throws(LogError) {
        try db.run(
            "INSERT OR IGNORE INTO touch (id, kind, dot) VALUES (?, ?, ?)", entity.id, entity.kind,
            dot)
    }

    /// Stores those of some events that a state does not name.
    static func add(
        _ dots: some Sequence<Dot>, keys: DeviceKeys, unknownTo state: EntityState,
        of entity: EntityKey, in db: inout LogConnection
    ) throws(LogError) {
        let stamps = state.stamps
        for dot in dots where !stamps.contains(where: { $0.dot == dot }) {
            guard let number = try keys.number(of: dot, in: &db) else { continue }
            try add(number, to: entity, in: &db)
        }
    }

    static func removeAll(of entity: EntityKey, in db: inout LogConnection) throws(LogError) {
        try db.run("DELETE FROM touch WHERE id = ? AND kind = ?", entity.id, entity.kind)
    }
}
