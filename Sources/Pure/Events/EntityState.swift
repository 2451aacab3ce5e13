/// The state of one entity, folded from all known events: for every cell, the writes that no other
/// write of the cell had seen. The same set of sealed events gives the same state in any order of
/// folding.
package struct EntityState: Hashable, Sendable {
    /// One write of one cell.
    public struct Write: Hashable, Sendable {
        /// The stamp of the event that wrote.
        public var stamp: Stamp
        /// The value written.
        public let value: Value

        /// A write of a value by an event.
        package init(stamp: Stamp, value: Value) {
            self.stamp = stamp
            self.value = value
        }
    }

    /// One cell and its concurrent writes, in the order of their stamps.
    public struct Cell: Hashable, Sendable {
        /// The cell.
        public let key: CellKey
        /// One or more writes; several only if they are concurrent.
        public package(set) var writes: [Write]

        /// A cell and its writes, one or more, in the order of their stamps.
        package init(key: CellKey, writes: [Write]) {
            self.key = key
            self.writes = writes
        }

        /// The winning write: the last by sealed time; unsealed writes come after all sealed ones.
        public var winner: Write {
            var winner = writes[0]
            for write in writes.dropFirst() where write.stamp.wins(over: winner.stamp) {
                winner = write
            }
            return winner
        }

        /// Adds a write unless an existing one had seen it, and removes the writes that it had
        /// seen.
        mutating func fold(_ write: Write) {
            for other in writes
            where other.stamp.dot == write.stamp.dot || write.stamp.happened(before: other.stamp) {
                return
            }
            writes.removeAll { $0.stamp.happened(before: write.stamp) }
            writes.append(write)
            if writes.count > 1 { writes.sort { EntityState.precedes($0.stamp, $1.stamp) } }
        }

        /// Removes writes that a new seal shows to have been seen, and sorts the others.
        mutating func removeSeen() {
            guard writes.count > 1 else { return }
            let all = writes
            writes.removeAll { write in
                all.contains { write.stamp.happened(before: $0.stamp) }
            }
            writes.sort { EntityState.precedes($0.stamp, $1.stamp) }
        }
    }

    /// The cells in canonical order.
    public package(set) var cells: [Cell]

    /// An entity without any writes.
    public init() {
        cells = []
    }

    /// A state of cells in canonical order, each with one or more writes in the order of their stamps.
    package init(cells: [Cell]) {
        self.cells = cells
    }

    /// Folds the change of one event into this entity. Folding is idempotent.
    public mutating func fold(_ change: Change, stamp: Stamp) {
        // The first event of most entities. A map's fields are in canonical order, each once.
        if cells.isEmpty, case .set(let fields)? = change.operations.first,
            change.operations.count == 1
        {
            cells = fields.entries.map {
                Cell(key: .field($0.name), writes: [Write(stamp: stamp, value: $0.value)])
            }
            return
        }
        for operation in change.operations {
            for (key, value) in operation.writes {
                fold(Write(stamp: stamp, value: value), into: key)
            }
        }
    }

    mutating func fold(_ write: Write, into key: CellKey) {
        let index = position(of: key)
        if index < cells.count, cells[index].key == key {
            cells[index].fold(write)
        } else {
            cells.insert(Cell(key: key, writes: [write]), at: index)
        }
    }

    /// Sets the seal of an event folded before, whatever was folded since.
    public mutating func seal(_ dot: Dot, _ seal: Seal) {
        for index in cells.indices {
            guard let write = cells[index].writes.firstIndex(where: { $0.stamp.dot == dot }) else {
                continue
            }
            cells[index].writes[write].stamp.seal = seal
            cells[index].removeSeen()
        }
    }

    /// The greatest number of the server's log at which one of the writes is sealed; 0 for none.
    package var lastNumber: Int64 {
        cells.reduce(0) { last, cell in
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
        let index = position(of: key)
        return index < cells.count && cells[index].key == key ? cells[index] : nil
    }

    private func position(of key: CellKey) -> Int {
        var low = 0
        var high = cells.count
        while low < high {
            let middle = (low + high) / 2
            if cells[middle].key < key { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension EntityState {
    /// The value of a field; `nil` if it was never written.
    public subscript(field: UTF8Text) -> Value? { cell(.field(field))?.winner.value }

    /// The values of all fields that were written.
    public var fields: ValueMap {
        var entries: [ValueMap.Entry] = []
        entries.reserveCapacity(cells.count)
        for cell in cells {
            if case .field(let name) = cell.key {
                entries.append(ValueMap.Entry(name, cell.winner.value))
            }
        }
        return ValueMap(canonical: entries)
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
        guard let life = cells.first, life.key == .life else { return false }
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

    /// The unresolved conflicts; the same on every device, because only sealed writes are
    /// considered.
    public var conflicts: [CellConflict] {
        var conflicts: [CellConflict] = []
        for cell in cells {
            guard case .field = cell.key, cell.writes.count > 1,
                cell.writes.allSatisfy({ $0.stamp.seal != nil }),
                cell.writes.contains(where: { $0.value != cell.writes[0].value })
            else { continue }
            let winner = cell.winner
            conflicts.append(
                CellConflict(
                    cell: cell.key, winner: winner, losers: cell.writes.filter { $0 != winner }))
        }
        if let conflict = lifeConflict { conflicts.append(conflict) }
        return conflicts
    }

    /// A deletion concurrent with a change: the change won.
    private var lifeConflict: CellConflict? {
        guard let life = cells.first, life.key == .life, !isDeleted else { return nil }
        let all = cells.flatMap { $0.writes }
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

/// A conflict: concurrent writes to one cell; or a deletion, and writes to any cell that it had not
/// seen. The winner is shown; the losers are kept. Losers of the winner's own value are among them, and
/// are left out where conflicts are listed.
package struct CellConflict: Hashable, Sendable {
    /// The cell written.
    public let cell: CellKey
    /// The write shown on every device.
    public let winner: EntityState.Write
    /// The losing writes.
    public let losers: [EntityState.Write]
}
