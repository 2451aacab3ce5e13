import MacrologEvents

/// The merge rules once more, the slow and obvious way: every question is asked of the whole
/// history, and whether one event had seen another is asked of its textbook version vector.
struct MergeOracle {
    let rows: [ServerHistory.Row]

    private func operations(_ row: ServerHistory.Row) -> [MacrologEvents.Operation] {
        row.record.change.operations
    }

    private func isLater(_ left: ServerHistory.Row, than right: ServerHistory.Row) -> Bool {
        (left.seal.t, left.stamp.dot.device.description, left.stamp.dot.seq)
            > (right.seal.t, right.stamp.dot.device.description, right.stamp.dot.seq)
    }

    private func latest(_ rows: [ServerHistory.Row]) -> ServerHistory.Row? {
        rows.max { isLater($1, than: $0) }
    }

    private func value(_ field: Text, _ row: ServerHistory.Row) -> Value? {
        for case .set(let fields) in operations(row) {
            if let value = fields[field] { return value }
        }
        return nil
    }

    /// The last writer of all, by time, device and number.
    func field(_ field: Text) -> Value? {
        latest(rows.filter { value(field, $0) != nil }).flatMap { value(field, $0) }
    }

    /// Added, and the addition not seen by any removal.
    func isMember(_ element: Value, of field: Text) -> Bool {
        let additions = rows.filter {
            operations($0).contains(.add(field: field, element: element))
        }
        let removals = rows.filter {
            operations($0).contains(.remove(field: field, element: element))
        }
        return additions.contains { addition in
            !removals.contains { addition.seen(by: $0) }
        }
    }

    private var deletions: [ServerHistory.Row] {
        rows.filter { operations($0).contains(.delete) }
    }

    /// Deleted, and every change seen by a deletion.
    var isDeleted: Bool {
        !deletions.isEmpty
            && rows.allSatisfy { row in
                operations(row).contains(.delete) || deletions.contains { row.seen(by: $0) }
            }
    }

    var isEditedByNewerVersion: Bool {
        rows.contains { row in
            operations(row).contains { if case .unknown = $0 { true } else { false } }
        }
    }

    struct Conflict: Hashable {
        let cell: CellKey
        let winner: Dot
        let losers: Set<Dot>
    }

    /// Writes of a field that no other write of it had seen, and that differ; a deletion that
    /// no one saw beside a change that it had not seen.
    func conflicts(_ fields: [Text]) -> Set<Conflict> {
        var found: Set<Conflict> = []
        for field in fields {
            let writes = rows.filter { value(field, $0) != nil }
            let open = writes.filter { write in !writes.contains { write.seen(by: $0) } }
            guard Set(open.map { value(field, $0) }).count > 1, let winner = latest(open) else {
                continue
            }
            found.insert(conflict(.field(field), winner, open))
        }
        let open = rows.filter { row in !rows.contains { row.seen(by: $0) } }
        let deleting = open.filter { operations($0).contains(.delete) }
        let keeping = open.filter { !operations($0).contains(.delete) }
        if !isDeleted, !deleting.isEmpty, let winner = latest(keeping) {
            found.insert(conflict(.life, winner, deleting))
        }
        return found
    }

    private func conflict(
        _ cell: CellKey, _ winner: ServerHistory.Row, _ writes: [ServerHistory.Row]
    ) -> Conflict {
        let losers = Set(writes.map(\.stamp.dot)).subtracting([winner.stamp.dot])
        return Conflict(cell: cell, winner: winner.stamp.dot, losers: losers)
    }
}
