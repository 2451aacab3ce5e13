import MacrologEvents

/// S5, for one entity: a replica shows the state that the ``Oracle`` computes.
extension Oracle {
    /// How a replica's state of an entity differs from the fold of all events; `nil` if it doesn't.
    func difference(_ state: EntityState, of entity: EntityKey) -> String? {
        let expected = cells[entity] ?? [:]
        guard state.cells.count == expected.count else {
            return "\(state.cells.count) cells in place of \(expected.count)"
        }
        for cell in state.cells {
            let open = frontier(expected[Cell(cell.key)] ?? [])
            guard Set(open.map { dot($0) }) == Set(cell.writes.map { $0.stamp.dot }) else {
                return "other writes stand in \(cell.key)"
            }
            guard let winner = winner(open), winner.value == cell.winner.value,
                dot(winner) == cell.winner.stamp.dot
            else { return "another write wins in \(cell.key)" }
            guard case .member(let field, let element) = cell.key else { continue }
            let isMember = open.contains { $0.value == .bool(true) }
            guard state.members(field).contains(element) == isMember else {
                return "an element of \(field) is there or isn't"
            }
        }
        guard state.isDeleted == isHidden(entity) else {
            return state.isDeleted ? "it is hidden" : "it is not hidden"
        }
        let conflicts = state.conflicts.map { conflict in
            ExpectedConflict(
                cell: Cell(conflict.cell), winner: conflict.winner.stamp.dot,
                losers: Set(conflict.losers.map { $0.stamp.dot }))
        }
        guard Set(conflicts) == expectedConflicts(entity) else {
            return "\(conflicts.count) conflicts in place of \(expectedConflicts(entity).count)"
        }
        return nil
    }
}

extension Oracle.Cell {
    /// The same cell as the oracle names it.
    fileprivate init(_ key: CellKey) {
        self =
            switch key {
            case .life: .life
            case .newer: .newer
            case .field(let name): .field(name)
            case .member(let field, let element): .member(field, element)
            }
    }
}
