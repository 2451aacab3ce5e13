import MacrologEvents
import MacrologWire
import MacrologSQLite

/// What folding changes, until it is written: table by table, in the order of their keys if the entities
/// come in it.
struct FoldedRows: ~Copyable {
    /// States, encoded one after the other.
    private struct States: ~Copyable {
        private var entities: [(key: EntityKey, end: Int)] = []
        private var writer = CBORWriter(capacity: 0)

        var count: Int { entities.count }

        mutating func add(_ state: EntityState, of key: EntityKey) {
            state.encode(into: &writer)
            entities.append((key, writer.count))
        }

        mutating func write(_ insertion: Insertion, in db: inout LogConnection) throws(LogError) {
            try writer.withBytes { bytes throws(LogError) in
                try db.insert(entities.indices, by: insertion) { row, binder in
                    let start = row == 0 ? 0 : entities[row - 1].end
                    entities[row].key.bind(to: &binder)
                    binder.lentBytes(
                        UnsafeRawBufferPointer(rebasing: bytes[start..<entities[row].end]))
                }
            }
            entities.removeAll(keepingCapacity: true)
            writer.reset()
        }
    }

    private var new = States()
    private var changed = States()
    private var touches: [(entity: EntityKey, dot: DotNumber)] = []
    private var conflicts: [EntityKey] = []
    private var resolved: [EntityKey] = []
    private var kinds: [UTF8Text] = []

    /// Whether enough is collected: what is folded at once has no limit.
    var isFull: Bool { new.count + changed.count + touches.count >= 512 }

    mutating func store(_ state: EntityState, was old: EntityState?, for entity: EntityKey) {
        if kinds.last != entity.kind { kinds.append(entity.kind) }
        var hadConflict = false
        if let old {
            changed.add(state, of: entity)
            hadConflict = old.mayConflict && !old.conflicts.isEmpty
        } else {
            new.add(state, of: entity)
        }
        switch (hadConflict, state.mayConflict && !state.conflicts.isEmpty) {
        case (false, true): conflicts.append(entity)
        case (true, false): resolved.append(entity)
        default: break
        }
    }

    /// Notes that an event which the state does not name touched an entity.
    mutating func touch(_ entity: EntityKey, by dot: DotNumber) { touches.append((entity, dot)) }

    mutating func write(in db: inout LogConnection) throws(LogError) {
        assert(db.isInTransaction)
        for kind in kinds { db.noteWrite(of: kind.string) }
        try new.write(Self.newState, in: &db)
        try changed.write(Self.changedState, in: &db)
        try db.insert(touches.indices, by: Self.touch) { row, binder in
            touches[row].entity.bind(to: &binder)
            touches[row].dot.bind(to: &binder)
        }
        try db.insert(conflicts.indices, by: Self.conflict) { row, binder in
            conflicts[row].bind(to: &binder)
        }
        for entity in resolved {
            try db.run("DELETE FROM conflict WHERE id = ? AND kind = ?", entity.id, entity.kind)
        }
        touches.removeAll(keepingCapacity: true)
        (conflicts, resolved, kinds) = ([], [], [])
    }

    private static let newState = Insertion(
        "INSERT OR FAIL INTO entity (id, kind, state)", columns: 3)
    private static let changedState = Insertion(
        "INSERT OR REPLACE INTO entity (id, kind, state)", columns: 3)
    private static let touch = Insertion(
        "INSERT OR IGNORE INTO touch (id, kind, dot)", columns: 3)
    private static let conflict = Insertion(
        "INSERT OR IGNORE INTO conflict (id, kind)", columns: 2)
}

extension EntityKey {
    /// Binds the id and the kind.
    fileprivate func bind(to binder: inout Binder) {
        id.bind(to: &binder)
        kind.bind(to: &binder)
    }
}
