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
    /// The stamp of the one event that wrote everything, which is in `whole`; `nil` where `list` has the cells.
    private var stamp: Stamp?
    private var whole = ValueMap()
    private var list: [Cell] = []

    /// An entity without any writes.
    public init() {}

    /// What one event wrote: fields, one or more.
    package init(_ fields: ValueMap, _ stamp: Stamp) {
        assert(!fields.entries.isEmpty, "an event writes something")
        whole = fields
        self.stamp = stamp
    }

    /// A state of cells in canonical order, each with one or more writes in the order of their stamps.
    package init(cells: [Cell]) {
        list = cells
    }

    /// The cells in canonical order.
    public var cells: [Cell] {
        guard let stamp else { return list }
        return whole.entries.map {
            Cell(key: .field($0.name), writes: Writes(Write(stamp: stamp, value: $0.value)))
        }
    }

    /// Whether nothing was written.
    package var isEmpty: Bool { stamp == nil && list.isEmpty }

    /// What one event wrote, where it is all that was written.
    package var only: (fields: ValueMap, stamp: Stamp)? { stamp.map { (whole, $0) } }

    /// The stamps of all writes, each once, in canonical order.
    package var stamps: [Stamp] {
        if let stamp { return [stamp] }
        var stamps: [Stamp] = []
        for index in list.indices { list[index].writes.addStamps(to: &stamps) }
        guard stamps.count > 1 else { return stamps }
        stamps.sort(by: Self.precedes)
        var unique = 1
        for index in 1..<stamps.count where stamps[index] != stamps[unique - 1] {
            stamps[unique] = stamps[index]
            unique += 1
        }
        stamps.removeLast(stamps.count - unique)
        return stamps
    }

    /// Gives each field a cell, before another event changes one.
    private mutating func spread() {
        guard stamp != nil else { return }
        list = cells
        (stamp, whole) = (nil, ValueMap())
    }

    /// Equal states have equal cells.
    public static func == (left: EntityState, right: EntityState) -> Bool {
        if let mine = left.only, let theirs = right.only {
            return mine.stamp == theirs.stamp && mine.fields == theirs.fields
        }
        return left.cells == right.cells
    }

    /// Hashes the cells.
    public func hash(into hasher: inout Hasher) { hasher.combine(cells) }

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
            self = EntityState(fields, stamp)
            return
        }
        spread()
        for operation in operations {
            if case .set(let fields) = operation {
                for entry in fields.entries {
                    fold(Write(stamp: stamp, value: entry.value), into: .field(entry.name))
                }
            } else {
                for (key, value) in operation.writes {
                    fold(Write(stamp: stamp, value: value), into: key)
                }
            }
        }
    }

    private mutating func fold(_ write: Write, into key: CellKey) {
        let index = position(of: key)
        if index < list.count, list[index].key == key {
            list[index].fold(write)
        } else {
            list.insert(Cell(key: key, writes: Writes(write)), at: index)
        }
    }

    /// Sets the seal of an event folded before, whatever was folded since.
    public mutating func seal(_ dot: Dot, _ seal: Seal) {
        if stamp?.dot == dot { stamp?.seal = seal }
        for index in list.indices where list[index].writes.seal(dot, seal) {
            list[index].removeSeen()
        }
    }

    /// The greatest number of the server's log at which one of the writes is sealed; 0 for none.
    package var lastNumber: Int64 {
        list.reduce(stamp?.seal?.n.rawValue ?? 0) { last, cell in
            cell.writes.reduce(last) { max($0, $1.stamp.seal?.n.rawValue ?? 0) }
        }
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
        if let stamp {
            guard case .field(let name) = key, let value = whole[name] else { return nil }
            return Cell(key: key, writes: Writes(Write(stamp: stamp, value: value)))
        }
        let index = position(of: key)
        return index < list.count && list[index].key == key ? list[index] : nil
    }

    private func position(of key: CellKey) -> Int {
        var low = 0
        var high = list.count
        while low < high {
            let middle = (low + high) / 2
            if list[middle].key < key { low = middle + 1 } else { high = middle }
        }
        return low
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
        var entries: [ValueMap.Entry] = []
        entries.reserveCapacity(list.count)
        for index in list.indices {
            guard case .field(let name) = list[index].key else { continue }
            let isAlone = list[index].writes.others.isEmpty
            entries.append(
                ValueMap.Entry(
                    name, isAlone ? list[index].writes.earliest.value : list[index].winner.value))
        }
        return ValueMap(canonical: entries)
    }

    /// The elements of the set stored in a field, in canonical order. An addition wins over a
    /// concurrent removal.
    public func members(_ field: UTF8Text) -> [Value] {
        list.compactMap { cell in
            guard case .member(let name, let element) = cell.key, name == field,
                cell.writes.contains(where: { $0.value == .bool(true) })
            else { return nil }
            return element
        }
    }

    /// Whether the entity is hidden: it was deleted, and every change was seen by one of the deletions.
    public var isDeleted: Bool {
        guard let life = list.first, life.key == .life else { return false }
        guard life.writes.allSatisfy({ $0.value == .bool(false) }) else { return false }
        return list.dropFirst().allSatisfy { cell in
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
        list.first?.key == .life || list.indices.contains { !list[$0].writes.others.isEmpty }
    }

    /// The unresolved conflicts; the same on every device, because only sealed writes are
    /// considered.
    public var conflicts: [CellConflict] {
        var conflicts: [CellConflict] = []
        for cell in list where cell.writes.count > 1 {
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
        guard let life = list.first, life.key == .life, !isDeleted else { return nil }
        let all = list.flatMap { $0.writes }
        func isLatest(_ write: Write) -> Bool {
            !all.contains { write.stamp.happened(before: $0.stamp) }
        }
        let deletions = life.writes.filter { $0.value == .bool(false) && isLatest($0) }
        guard !deletions.isEmpty else { return nil }
        var survivors = list.flatMap { cell in
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
