extension EntityState {
    /// The writes of an entity, cell after cell. Each stamp is stored once, and a write names it by its place:
    ///
    ///     stamps   a1, b1
    ///     entries  dish_name 0 · energy 0 · energy 1
    package struct Writes: Hashable, Sendable {
        /// One write of one cell.
        package struct Entry: Hashable, Sendable {
            /// The cell.
            package let key: CellKey
            /// The value written.
            package let value: Value
            /// The place of its stamp.
            package fileprivate(set) var stamp: Int
            /// Whether the entry before it is a write of the same cell, which this one is concurrent with.
            package fileprivate(set) var isFurther: Bool

            /// A write by the event whose stamp has a place.
            package init(_ key: CellKey, _ value: Value, stamp: Int, isFurther: Bool) {
                self.key = key
                self.value = value
                self.stamp = stamp
                self.isFurther = isFurther
            }
        }

        /// The stamps of all writes, each once, in canonical order.
        package private(set) var stamps: [Stamp] = []
        /// In the canonical order of cells, those of one cell in that of their stamps.
        package private(set) var entries: [Entry] = []

        /// No writes.
        init() {}

        /// Stamps and writes, both in their order, and each stamp named by a write.
        package init(_ stamps: [Stamp], _ entries: [Entry]) {
            self.stamps = stamps
            self.entries = entries
        }

        /// What one event wrote.
        init(_ fields: ValueMap, _ stamp: Stamp) {
            stamps = [stamp]
            entries.reserveCapacity(fields.entries.count + 1)
            for index in fields.entries.indices {
                entries.append(
                    Entry(
                        .field(fields.entries[index].name), fields.entries[index].value, stamp: 0,
                        isFurther: false))
            }
        }

        /// The places of a cell's entries, from its first.
        func cell(at start: Int) -> Range<Int> {
            var end = start + 1
            while end < entries.count, entries[end].isFurther { end += 1 }
            return start..<end
        }

        /// The places of a cell's entries: none for one that was never written, where they would be.
        func cell(_ key: CellKey) -> Range<Int> {
            var low = 0
            var high = entries.count
            while low < high {
                let middle = (low + high) / 2
                if entries[middle].key < key { low = middle + 1 } else { high = middle }
            }
            guard low < entries.count, entries[low].key == key else { return low..<low }
            return cell(at: low)
        }

        /// The value of the cell that begins at an entry: that of its winner.
        func value(at start: Int) -> Value {
            let cell = cell(at: start)
            return cell.count == 1 ? entries[start].value : self.cell(of: cell).winner.value
        }

        /// The cell that some entries are.
        func cell(of entries: Range<Int>) -> Cell {
            Cell(
                key: self.entries[entries.lowerBound].key,
                writes: entries.map {
                    Write(stamp: stamps[self.entries[$0].stamp], value: self.entries[$0].value)
                })
        }

        /// The cells, or only those with several writes.
        func cells(contested: Bool = false) -> [Cell] {
            var cells: [Cell] = []
            var start = 0
            while start < entries.count {
                let range = cell(at: start)
                if !contested || range.count > 1 { cells.append(cell(of: range)) }
                start = range.upperBound
            }
            return cells
        }
    }
}

extension EntityState.Writes {
    /// Folds the operations of one event.
    mutating func fold(_ operations: [CellOperation], stamp: Stamp) {
        let place = insert(stamp)
        for operation in operations {
            if case .set(let fields) = operation {
                for index in fields.entries.indices {
                    let name = fields.entries[index].name
                    fold(.field(name), fields.entries[index].value, by: place)
                }
            } else {
                for (key, value) in operation.writes { fold(key, value, by: place) }
            }
        }
        removeUnusedStamps()
    }

    /// The place of a stamp, which gets one if it has none.
    private mutating func insert(_ stamp: Stamp) -> Int {
        // A new event's is nearly always the last.
        var place = stamps.count
        while place > 0, EntityState.precedes(stamp, stamps[place - 1]) { place -= 1 }
        if place > 0, stamps[place - 1] == stamp { return place - 1 }
        stamps.insert(stamp, at: place)
        if place == stamps.count - 1 { return place }
        for index in entries.indices where entries[index].stamp >= place {
            entries[index].stamp += 1
        }
        return place
    }

    /// Adds a write unless an existing one of its cell had seen it, and removes those that it had seen.
    private mutating func fold(_ key: CellKey, _ value: Value, by place: Int) {
        let stamp = stamps[place]
        let cell = cell(key)
        for index in cell {
            let other = stamps[entries[index].stamp]
            if other.dot == stamp.dot || stamp.happened(before: other) { return }
        }
        if cell.count == 1, stamps[entries[cell.lowerBound].stamp].happened(before: stamp) {
            entries[cell.lowerBound] = Entry(key, value, stamp: place, isFurther: false)
            return
        }
        var (index, end, insertion) = (cell.lowerBound, cell.upperBound, cell.lowerBound)
        while index < end {
            if stamps[entries[index].stamp].happened(before: stamp) {
                entries.remove(at: index)
                end -= 1
            } else {
                if entries[index].stamp < place { insertion = index + 1 }
                index += 1
            }
        }
        entries.insert(Entry(key, value, stamp: place, isFurther: false), at: insertion)
        for index in cell.lowerBound...end { entries[index].isFurther = index > cell.lowerBound }
    }

    /// Sets the seal of an event, and removes what other writes are thereby known to have seen.
    mutating func seal(_ dot: Dot, _ seal: Seal) {
        var isFound = false
        for place in stamps.indices where stamps[place].dot == dot {
            stamps[place].seal = seal
            isFound = true
        }
        guard isFound else { return }
        for place in stamps.indices.dropFirst()
        where !EntityState.precedes(stamps[place - 1], stamps[place]) {
            sort()
            break
        }
        if entries.contains(where: { $0.isFurther }) { removeSeen() }
    }

    /// Puts the stamps into canonical order, and the writes of each cell into theirs.
    private mutating func sort() {
        var places = [Int](repeating: 0, count: stamps.count)
        var sorted: [Stamp] = []
        for place in stamps.indices.sorted(by: { EntityState.precedes(stamps[$0], stamps[$1]) }) {
            if sorted.last != stamps[place] { sorted.append(stamps[place]) }
            places[place] = sorted.count - 1
        }
        stamps = sorted
        for index in entries.indices { entries[index].stamp = places[entries[index].stamp] }
        var start = 0
        while start < entries.count {
            let cell = cell(at: start)
            if cell.count > 1 {
                entries[cell].sort { $0.stamp < $1.stamp }
                for index in cell { entries[index].isFurther = index > cell.lowerBound }
            }
            start = cell.upperBound
        }
    }

    /// Removes the writes that another of their cell had seen.
    private mutating func removeSeen() {
        var start = 0
        while start < entries.count {
            let cell = cell(at: start)
            let left = cell.filter { index in
                !cell.contains {
                    stamps[entries[index].stamp].happened(before: stamps[entries[$0].stamp])
                }
            }
            if left.count < cell.count {
                entries.replaceSubrange(cell, with: left.map { entries[$0] })
                for index in left.indices { entries[start + index].isFurther = index > 0 }
            }
            start += left.count
        }
        removeUnusedStamps()
    }

    /// Removes the stamps that no write names.
    private mutating func removeUnusedStamps() {
        var isUsed = [Bool](repeating: false, count: stamps.count)
        for index in entries.indices { isUsed[entries[index].stamp] = true }
        guard isUsed.contains(false) else { return }
        var places: [Int] = []
        var used: [Stamp] = []
        for place in stamps.indices {
            places.append(used.count)
            if isUsed[place] { used.append(stamps[place]) }
        }
        stamps = used
        for index in entries.indices { entries[index].stamp = places[entries[index].stamp] }
    }
}
