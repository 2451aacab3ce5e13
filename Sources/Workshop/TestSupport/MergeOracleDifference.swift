package import MacrologEvents

/// The comparison of one entity's state with the fold of all events.
extension MergeOracle {
    /// How a replica's state of an entity differs from the fold of all events; `nil` if it doesn't.
    package func difference(_ state: EntityState, of entity: EntityKey) -> String? {
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
            switch cell.key {
            case .field(let name) where state[name] != winner.value:
                return "\(name) is \(String(describing: state[name]))"
            case .member(let field, let element):
                let isMember = open.contains { $0.value == .bool(true) }
                guard state.members(field).count(where: { $0 == element }) == (isMember ? 1 : 0)
                else { return "an element of \(field) is there or isn't" }
            default: break
            }
        }
        guard state.isEditedByNewerVersion == (expected[.newer] != nil) else {
            return "it is edited by a newer version, or isn't"
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

extension MergeOracle.Cell {
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
