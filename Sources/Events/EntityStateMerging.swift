/// Bringing together what was folded in two places.
extension EntityState {
    /// Takes in what another state of the same entity knows. What comes out is what all events of
    /// both would fold to: each state holds, of every cell, the writes that no other had seen, and of
    /// those the same are kept.
    public mutating func merge(_ other: EntityState) {
        if cells.isEmpty {
            cells = other.cells
            return
        }
        for cell in other.cells {
            for write in cell.writes { fold(write, into: cell.key) }
        }
    }

    /// The state without the writes that no hub has sealed.
    public func withoutUnsealed() -> EntityState {
        EntityState(
            cells: cells.compactMap { cell in
                var cell = cell
                cell.writes.removeAll { $0.stamp.seal == nil }
                return cell.writes.isEmpty ? nil : cell
            })
    }

    /// Whether every write is sealed with a number of at most `n`, and no two events have one.
    public func isSealed(upTo n: Int64) -> Bool {
        var last: Int64 = 0
        for stamp in stamps {
            guard let seal = stamp.seal, last < seal.n, seal.n <= n else { return false }
            last = seal.n
        }
        return true
    }
}
