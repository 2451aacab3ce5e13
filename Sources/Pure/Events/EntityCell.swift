/// The parts of an entity's state: its cells, and the writes of each.
extension EntityState {
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

    /// The writes of a cell, one or more. Nearly every cell has one, which needs no array of its own: folding
    /// makes and forgets six cells for each meal.
    package struct Writes: Hashable, Sendable, RandomAccessCollection {
        /// The first in the order of stamps.
        package internal(set) var earliest: Write
        /// Those after it.
        package internal(set) var others: [Write]

        /// One write.
        package init(_ only: Write) {
            earliest = only
            others = []
        }

        /// A write and others, in any order.
        init(_ write: Write, and others: [Write]) {
            (earliest, self.others) = (write, [])
            if others.isEmpty { return }
            let all = ([write] + others).sorted { EntityState.precedes($0.stamp, $1.stamp) }
            (earliest, self.others) = (all[0], Array(all.dropFirst()))
        }

        /// Adds the stamps, except one that has just been added.
        func addStamps(to stamps: inout [Stamp]) {
            if stamps.last != earliest.stamp { stamps.append(earliest.stamp) }
            for index in others.indices where stamps.last != others[index].stamp {
                stamps.append(others[index].stamp)
            }
        }

        /// Sets the seal of an event.
        ///
        /// - Returns: Whether it is one of those that wrote.
        mutating func seal(_ dot: Dot, _ seal: Seal) -> Bool {
            if earliest.stamp.dot == dot {
                earliest.stamp.seal = seal
                return true
            }
            for index in others.indices where others[index].stamp.dot == dot {
                others[index].stamp.seal = seal
                return true
            }
            return false
        }

        /// Adds a write whose stamp comes after all others.
        package mutating func append(_ write: Write) { others.append(write) }

        package var startIndex: Int { 0 }
        package var endIndex: Int { 1 + others.count }
        package internal(set) subscript(position: Int) -> Write {
            // Lent, because a copy retains and releases the value.
            _read { if position == 0 { yield earliest } else { yield others[position - 1] } }
            _modify { if position == 0 { yield &earliest } else { yield &others[position - 1] } }
        }
    }

    /// One cell and its concurrent writes, in the order of their stamps.
    public struct Cell: Hashable, Sendable {
        /// The cell.
        public let key: CellKey
        /// One or more writes; several only if they are concurrent.
        package internal(set) var writes: Writes

        /// A cell and its writes, one or more, in the order of their stamps.
        package init(key: CellKey, writes: Writes) {
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
            writes = Writes(write, and: writes.filter { !$0.stamp.happened(before: write.stamp) })
        }

        /// Removes writes that a new seal shows to have been seen, and sorts the others.
        mutating func removeSeen() {
            guard writes.count > 1 else { return }
            let last = writes.filter { write in
                !writes.contains { write.stamp.happened(before: $0.stamp) }
            }
            writes = Writes(last[0], and: Array(last.dropFirst()))
        }
    }
}
