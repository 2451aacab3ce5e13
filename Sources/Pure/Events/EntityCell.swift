/// The parts of an entity's state: its cells, and the writes of each.
extension EntityState {
    /// One write of one cell.
    public struct Write: Hashable, Sendable {
        /// The stamp of the event that wrote.
        public let stamp: Stamp
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
        package let writes: [Write]

        /// The winning write: the last by sealed time; unsealed writes come after all sealed ones.
        public var winner: Write {
            var winner = writes[0]
            for write in writes.dropFirst() where write.stamp.wins(over: winner.stamp) {
                winner = write
            }
            return winner
        }
    }
}
