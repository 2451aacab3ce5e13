/// The state of one entity, folded from all known events: for every cell, the writes that no other
/// write of the cell had seen. The same set of sealed events gives the same state in any order of
/// folding.
///
/// Most entities are what one event wrote. Such a state is that event's stamp and its fields, without a cell
/// for each, until another event changes it:
///
///     a1 sets dish_name and energy      stamp a1 · {energy, dish_name}
///     b1 sets energy                    energy: a1, b1 · dish_name: a1
package struct EntityState: Hashable, Sendable {
    /// The stamp of the one event that wrote everything; `nil` where several did, or none.
    package private(set) var stamp: Stamp?
    /// What that event wrote.
    package private(set) var whole = ValueMap()
    /// What several events wrote.
    private var list = Writes()

    /// An entity without any writes.
    public init() {}

    /// What one event wrote: fields, one or more.
    package init(_ fields: ValueMap, _ stamp: Stamp) {
        assert(!fields.entries.isEmpty, "an event writes something")
        whole = fields
        self.stamp = stamp
    }

    /// What several events wrote.
    package init(_ writes: Writes) { list = writes }

    /// The writes, cell after cell in canonical order.
    package var writes: Writes { stamp.map { Writes(whole, $0) } ?? list }

    /// The cells in canonical order.
    public var cells: [Cell] { writes.cells() }

    /// Whether nothing was written.
    package var isEmpty: Bool { stamp == nil && list.entries.isEmpty }

    /// The stamps of all writes, each once, in canonical order.
    package var stamps: [Stamp] { stamp.map { [$0] } ?? list.stamps }

    /// Whether an event is one of those that wrote.
    package func isWritten(by dot: Dot) -> Bool {
        stamp.map { $0.dot == dot } ?? list.stamps.contains { $0.dot == dot }
    }

    /// Equal states have equal writes.
    public static func == (left: EntityState, right: EntityState) -> Bool {
        if let mine = left.stamp, let theirs = right.stamp {
            return mine == theirs && left.whole == right.whole
        }
        return left.writes == right.writes
    }

    /// Hashes the writes.
    public func hash(into hasher: inout Hasher) { hasher.combine(writes) }

    /// Folds the change of one event into this entity. Folding is idempotent.
    public mutating func fold(_ change: Change, stamp: Stamp) {
        fold(change.operations, stamp: stamp)
    }

    /// Folds the operations of one event on this entity.
    package mutating func fold(_ operations: [CellOperation], stamp: Stamp) {
        // A map's fields are in canonical order, each once.
        if isEmpty, operations.count == 1, case .set(let fields) = operations[0],
            !fields.entries.isEmpty
        {
            (whole, self.stamp) = (fields, stamp)
            return
        }
        if let first = self.stamp {
            self = EntityState(Writes(whole, first))
        }
        list.fold(operations, stamp: stamp)
    }

    /// Sets the seal of an event folded before, whatever was folded since.
    public mutating func seal(_ dot: Dot, _ seal: Seal) {
        if stamp?.dot == dot { stamp?.seal = seal }
        list.seal(dot, seal)
    }

    /// The greatest number of the server's log at which one of the writes is sealed; 0 for none.
    package var lastNumber: Int64 {
        stamps.reduce(0) { max($0, $1.seal?.n.rawValue ?? 0) }
    }

    /// The canonical order of stamps: sealed ones by number, then unsealed ones by dot. It is
    /// total, so that a state has exactly one encoding.
    package static func precedes(_ left: Stamp, _ right: Stamp) -> Bool {
        switch (left.seal, right.seal) {
        case (let mine?, let theirs?):
            if mine.n != theirs.n { return mine.n < theirs.n }
            if mine.t != theirs.t { return mine.t < theirs.t }
        case (_?, nil): return true
        case (nil, _?): return false
        case (nil, nil): break
        }
        if left.dot != right.dot { return left.dot < right.dot }
        return left.base.epoch == right.base.epoch
            ? left.base.n < right.base.n : left.base.epoch < right.base.epoch
    }

    /// The cell of a key, or `nil` if it was never written.
    public func cell(_ key: CellKey) -> Cell? {
        let writes = writes
        let entries = writes.cell(key)
        return entries.isEmpty ? nil : writes.cell(of: entries)
    }
}

extension EntityState {
    /// The value of a field; `nil` if it was never written.
    public subscript(field: UTF8Text) -> Value? {
        stamp == nil ? cell(.field(field))?.winner.value : whole[field]
    }

    /// The values of all fields that were written.
    public var fields: ValueMap {
        if stamp != nil { return whole }
        var fields: [ValueMap.Entry] = []
        fields.reserveCapacity(list.entries.count)
        // By index, because copying an entry retains and releases its name and value.
        for index in list.entries.indices where !list.entries[index].isFurther {
            guard case .field(let name) = list.entries[index].key else { continue }
            fields.append(ValueMap.Entry(name, list.value(at: index)))
        }
        return ValueMap(canonical: fields)
    }

    /// The elements of the set stored in a field, in canonical order. An addition wins over a
    /// concurrent removal.
    public func members(_ field: UTF8Text) -> [Value] {
        cells.compactMap { cell in
            guard case .member(let name, let element) = cell.key, name == field,
                cell.writes.contains(where: { $0.value == .bool(true) })
            else { return nil }
            return element
        }
    }

    /// Whether the entity is hidden: it was deleted, and every change was seen by one of the deletions.
    public var isDeleted: Bool {
        guard stamp == nil, list.entries.first?.key == .life else { return false }
        let cells = cells
        let life = cells[0]
        guard life.writes.allSatisfy({ $0.value == .bool(false) }) else { return false }
        return cells.dropFirst().allSatisfy { cell in
            cell.writes.allSatisfy { write in
                life.writes.contains {
                    $0.stamp.dot == write.stamp.dot || write.stamp.happened(before: $0.stamp)
                }
            }
        }
    }

    /// Whether a newer version of the software changed it in a way that this one cannot show.
    public var isEditedByNewerVersion: Bool { cell(.newer) != nil }

    /// Whether anything was written concurrently, so that a search for conflicts is worthwhile.
    package var mayConflict: Bool {
        stamp == nil
            && (list.entries.first?.key == .life || list.entries.contains { $0.isFurther })
    }

    /// The unresolved conflicts; the same on every device, because only sealed writes are
    /// considered.
    public var conflicts: [CellConflict] {
        var conflicts: [CellConflict] = []
        for cell in list.cells(contested: true) {
            guard case .field = cell.key,
                cell.writes.allSatisfy({ $0.stamp.seal != nil }),
                cell.writes.contains(where: { $0.value != cell.writes[0].value })
            else { continue }
            let winner = cell.winner
            conflicts.append(
                CellConflict(
                    cell: cell.key, winner: winner,
                    losers: cell.writes.filter { $0.value != winner.value }))
        }
        if let conflict = lifeConflict { conflicts.append(conflict) }
        return conflicts
    }

    /// A deletion concurrent with a change: the change won.
    private var lifeConflict: CellConflict? {
        guard list.entries.first?.key == .life, !isDeleted else { return nil }
        let cells = cells
        let (life, all) = (cells[0], cells.flatMap { $0.writes })
        func isLatest(_ write: Write) -> Bool {
            !all.contains { write.stamp.happened(before: $0.stamp) }
        }
        let deletions = life.writes.filter { $0.value == .bool(false) && isLatest($0) }
        guard !deletions.isEmpty else { return nil }
        var survivors = cells.flatMap { cell in
            cell.writes.filter {
                (cell.key != .life || $0.value == .bool(true)) && isLatest($0)
            }
        }
        survivors.removeAll { survivor in
            deletions.contains { $0.stamp.dot == survivor.stamp.dot }
        }
        guard
            let winner = survivors.max(by: { $1.stamp.wins(over: $0.stamp) }),
            (deletions + survivors).allSatisfy({ $0.stamp.seal != nil })
        else { return nil }
        return CellConflict(cell: .life, winner: winner, losers: deletions)
    }
}

/// A conflict: concurrent writes of different values to one cell; or a deletion, and writes to any cell
/// that it had not seen. The winner is shown; the losers are kept.
package struct CellConflict: Hashable, Sendable {
    /// The cell written.
    public let cell: CellKey
    /// The write shown on every device.
    public let winner: EntityState.Write
    /// The losing writes.
    public let losers: [EntityState.Write]
}
