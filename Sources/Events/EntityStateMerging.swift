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

    /// Whether every write is sealed, with a number of at most `n`.
    public func isSealed(upTo n: Int64) -> Bool {
        cells.allSatisfy { cell in
            cell.writes.allSatisfy { ($0.stamp.seal?.n ?? .max) <= n }
        }
    }
}
