package import MacrologEvents
import MacrologWire
import MacrologSQLite

/// The events that touched an entity and that its state no longer names, because later events
/// overwrote them. Together with those that the state names they are the entity's history.
package enum OverwrittenEvents {
    /// The events that an entity's state no longer names.
    static func dots(of entity: EntityKey, in db: inout LogConnection) throws(LogError)
        -> [DotNumber]
    {
        try db.all(
            "SELECT dot FROM touch WHERE id = ? AND kind = ?", entity.id, entity.kind
        ) { $0.dotNumber(0) }
    }

    /// Whether an event is stored as one of them.
    package static func contains(
        _ dot: DotNumber, of entity: EntityKey, in db: inout LogConnection
    ) throws(LogError) -> Bool {
        try db.first(
            "SELECT 1 FROM touch WHERE id = ? AND kind = ? AND dot = ?", entity.id, entity.kind, dot
        ) { _ in true } ?? false
    }

    static func add(
        _ dot: DotNumber, to entity: EntityKey, in db: inout LogConnection
    ) throws(LogError) {
        assert(db.isInTransaction)
        try db.run(
            "INSERT OR IGNORE INTO touch (id, kind, dot) VALUES (?, ?, ?)", entity.id, entity.kind,
            dot)
    }

    /// Notes those of some events that wrote nothing which a state still has.
    static func add(
        _ dots: some Sequence<Dot>, keys: DeviceKeys, unknownTo state: EntityState,
        of entity: EntityKey, to rows: inout FoldedRows, in db: inout LogConnection
    ) throws(LogError) {
        for dot in dots where !state.isWritten(by: dot) {
            guard let number = try keys.number(of: dot, in: &db) else { continue }
            rows.touch(entity, by: number)
        }
    }

    static func removeAll(of entity: EntityKey, in db: inout LogConnection) throws(LogError) {
        assert(db.isInTransaction)
        try db.run("DELETE FROM touch WHERE id = ? AND kind = ?", entity.id, entity.kind)
    }
}

extension EventLog {
    /// Stores that an event touches an entity, which has to be folded again.
    package mutating func touch(
        _ entity: EntityKey, by dot: DotNumber, in db: inout LogConnection
    ) throws(LogError) {
        assert(db.isInTransaction)
        try OverwrittenEvents.add(dot, to: entity, in: &db)
        stale.insert(entity)
    }

    /// The device of a place; `nil` in a damaged file.
    package func device(
        of dot: DotNumber, in db: inout LogConnection
    ) throws(LogError) -> Identifier? {
        try db.first("SELECT id FROM device WHERE key = ?", dot.key) { $0.identifier(0) }
    }

    /// The entities that some events touched. An event that can no longer be read does not say what
    /// it touched, so the whole index of touches is searched, once.
    package func touched(
        by dots: Set<DotNumber>, in db: inout LogConnection
    ) throws(LogError) -> Set<EntityKey> {
        guard !dots.isEmpty else { return [] }
        var known: Set<Dot> = []
        for dot in dots {
            if let device = try device(of: dot, in: &db) {
                known.insert(Dot(device: device, seq: dot.seq))
            }
        }
        return try touched(where: { dots.contains($0) }, or: { known.contains($0) }, in: &db)
    }

    /// The entities that the events at some places, or with some dots, touched.
    package func touched(
        where isPlace: (DotNumber) -> Bool, or isName: (Dot) -> Bool, in db: inout LogConnection
    ) throws(LogError) -> Set<EntityKey> {
        var found: Set<EntityKey> = []
        try db.forEach("SELECT id, kind, dot FROM touch") { row in
            if isPlace(row.dotNumber(2)) {
                found.insert(EntityKey(row.name(1), row.identifier(0)))
            }
        }
        try db.forEach("SELECT id, kind, state FROM entity") { row in
            let state = row.withBytes(2) { try? EntityState.decoded($0) }
            if state?.stamps.contains(where: { isName($0.dot) }) == true {
                found.insert(EntityKey(row.name(1), row.identifier(0)))
            }
        }
        return found
    }
}
