import MacrologEvents
import MacrologWire
import MacrologSQLite

/// A range of consecutive ids whose rows are checked together.
package struct IDRange: Hashable, Sendable {
    /// Ids greater than this one.
    package let after: [UInt8]
    /// Ids up to this one.
    package let through: [UInt8]

    /// Whether no id follows.
    package var isLast: Bool { through == Self.end }

    /// Greater than any id.
    private static let end = [UInt8](repeating: 0xFF, count: 17)

    /// The next range, of at most this many entities that events touched.
    package static func next(
        after: [UInt8], limit: Int, in db: inout LogConnection
    ) throws(LogError) -> IDRange {
        let ids = try db.all(
            """
            SELECT id FROM entity WHERE id > ?1 UNION SELECT id FROM touch WHERE id > ?1
            ORDER BY id LIMIT ?2
            """, after, limit
        ) { $0.bytes(0) }
        let last = ids.count < limit ? nil : ids.last
        return IDRange(after: after, through: last ?? end)
    }
}

extension EventLog {
    /// Folds the entities of a range again from the events that touched them, as if nothing of them
    /// had been stored. The updater has cleared them, too.
    package func refold(
        _ range: IDRange, in db: inout LogConnection,
        updating readModels: inout some ReadModelUpdater
    ) throws(LogError) {
        assert(db.isInTransaction)
        assert(stale.isEmpty, "the transaction before has folded everything")
        let entities = try history(of: range, in: &db)
        try db.run("DELETE FROM entity WHERE id > ? AND id <= ?", range.after, range.through)
        try db.run("DELETE FROM conflict WHERE id > ? AND id <= ?", range.after, range.through)
        try db.run("DELETE FROM touch WHERE id > ? AND id <= ?", range.after, range.through)
        var rows = FoldedRows()
        for (entity, entries) in entities.sorted(by: { $0.key < $1.key }) {
            let state = Self.fold(entity, entries)
            try OverwrittenEvents.add(
                entries.lazy.map { $0.event.dot }, keys: keys, unknownTo: state, of: entity,
                to: &rows, in: &db)
            // Nothing is known of an entity that only skeletons touched.
            if state.isEmpty { continue }
            rows.store(state, was: nil, for: entity)
            try readModels.update(entity, from: nil, to: state, in: &db)
        }
        try rows.write(in: &db)
        try readModels.flush(in: &db)
    }

    /// The events of each entity of a range, in order, as far as anything in the file names them.
    private func history(
        of range: IDRange, in db: inout LogConnection
    ) throws(LogError) -> [EntityKey: [LogEntry]] {
        var dots: [EntityKey: Set<DotNumber>] = [:]
        var states: [(EntityKey, EntityState)] = []
        try db.forEach(
            "SELECT id, kind, state FROM entity WHERE id > ? AND id <= ?", range.after,
            range.through
        ) { row throws(LogError) in
            guard let id = Identifier(bytes: row.bytes(0)) else { return }
            // Only the whole log can tell which events an unreadable state named.
            let state = try row.withBytes(2) { bytes throws(LogError) in
                do throws(CBORError) { return try EntityState.decoded(bytes) } catch {
                    throw LogError(.damaged(error))
                }
            }
            states.append((EntityKey(row.name(1), id), state))
        }
        for (entity, state) in states {
            for dot in state.dots {
                guard let number = try keys.number(of: dot, in: &db) else { continue }
                dots[entity, default: []].insert(number)
            }
        }
        try db.forEach(
            "SELECT id, kind, dot FROM touch WHERE id > ? AND id <= ?", range.after, range.through
        ) { row in
            guard let id = Identifier(bytes: row.bytes(0)) else { return }
            dots[EntityKey(row.name(1), id), default: []].insert(row.dotNumber(2))
        }
        var entries: [EntityKey: [LogEntry]] = [:]
        for (entity, dots) in dots {
            entries[entity] = try self.entries(dots.subtracting(voids), in: &db)
                .filter { $0.isCompacted || $0.event.changes.contains { $0.entity == entity } }
                .sorted { Self.precedes($0, $1) }
        }
        return entries
    }
}
