package import MacrologEvents
import MacrologWire
import MacrologSQLite

/// The folded state of every entity, one row each, and the list of those in conflict.
///
/// The entities of a kind are a part of the table for those who observe: a weight that is written does
/// not wake who has read meals.
package enum EntityTable {
    /// The state of an entity; `nil` when nothing is known of it.
    package static func state(
        of entity: EntityKey, in db: inout LogConnection
    ) throws(LogError) -> EntityState? {
        try db.reading(part: entity.kind.string) { db throws(LogError) in
            try db.first(
                "SELECT state FROM entity WHERE id = ? AND kind = ?", entity.id, entity.kind
            ) { row throws(LogError) in
                try decoded(row, 0)
            }
        }
    }

    /// The first id, from one on, of which an entity of any kind is stored; the greatest id if
    /// there is none.
    static func nextID(
        from id: Identifier, in db: inout LogConnection
    ) throws(LogError) -> Identifier {
        try db.first("SELECT id FROM entity WHERE id >= ? ORDER BY id LIMIT 1", id) {
            $0.identifier(0)
        } ?? Identifier(high: .max, low: .max)
    }

    /// Lends the entities of a kind whose ids begin with certain bits, in the order of their ids.
    package static func forEach(
        kind: UTF8Text, from: Identifier = Identifier(high: 0, low: 0),
        through: Identifier = Identifier(high: .max, low: .max), in db: inout LogConnection,
        _ body: (Identifier, EntityState) throws(LogError) -> Void
    ) throws(LogError) {
        try db.forEach(
            "SELECT id, state FROM entity WHERE id BETWEEN ? AND ? AND kind = ? ORDER BY id",
            from, through, kind
        ) { row throws(LogError) in
            try body(row.identifier(0), try decoded(row, 1))
        }
    }

    /// Whether something was folded that is sealed after a number. Reads every entity.
    package static func isFolded(
        beyond n: Int64, in db: inout LogConnection
    ) throws(LogError) -> Bool {
        var isBeyond = false
        try db.forEachWhile("SELECT state FROM entity") { row throws(LogError) in
            isBeyond = try decoded(row, 0).lastNumber > n
            return !isBeyond
        }
        return isBeyond
    }

    /// The entities with conflicts, and their conflicts.
    package static func conflicts(
        in db: inout LogConnection
    ) throws(LogError) -> [(entity: EntityKey, conflicts: [CellConflict])] {
        try db.all(
            """
            SELECT entity.id, entity.kind, state FROM conflict
            JOIN entity ON entity.id = conflict.id AND entity.kind = conflict.kind
            ORDER BY entity.id, entity.kind
            """
        ) { row throws(LogError) in
            (EntityKey(row.name(1), row.identifier(0)), try decoded(row, 2).conflicts)
        }
    }

    /// Deletes an entity of which nothing is known any more.
    static func remove(_ entity: EntityKey, in db: inout LogConnection) throws(LogError) {
        assert(db.isInTransaction)
        db.noteWrite(of: entity.kind.string)
        try db.run("DELETE FROM entity WHERE id = ? AND kind = ?", entity.id, entity.kind)
    }

    private static func decoded(_ row: borrowing Row, _ column: Int) throws(LogError) -> EntityState
    {
        try row.withBytes(column) { bytes throws(LogError) in
            do throws(CBORError) { return try EntityState.decoded(bytes) } catch {
                throw LogError(.damaged(error))
            }
        }
    }
}
