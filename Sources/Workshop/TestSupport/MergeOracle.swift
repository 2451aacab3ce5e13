package import MacrologEvents

/// The fold of all events in the slow and obvious way: every query reads the whole history, and
/// happened-before is decided by explicit vector clocks.
///
/// It shares no code with the rules that it checks (`Pure/Events/EntityState.swift`): no stamp, no base,
/// no incremental fold. It follows `protocol.md` §7 sentence by sentence.
package struct MergeOracle {
    /// An event that is not void, and what its device had seen.
    package struct SeenEvent {
        let device: Identifier
        /// The index of the device in ``clock``.
        let index: Int
        let seq: Int64
        /// How many events of each device its device had seen, by index, its own included.
        let clock: [Int64]
        /// The sealed time; `nil` while no server has sealed it.
        let t: Int64?
        let changes: [Change]

        package init(
            device: Identifier, index: Int, seq: Int64, clock: [Int64], t: Int64?, changes: [Change]
        ) {
            self.device = device
            self.index = index
            self.seq = seq
            self.clock = clock
            self.t = t
            self.changes = changes
        }
    }

    /// A cell.
    enum Cell: Hashable {
        case life, newer
        case field(UTF8Text)
        case member(UTF8Text, Value)
    }

    /// A value for a cell, from the event at an index of the history.
    struct Write {
        let event: Int
        let value: Value
    }

    /// A conflict: the winning write, and the writes that lost.
    struct ExpectedConflict: Hashable {
        let cell: Cell
        let winner: Dot
        let losers: Set<Dot>
    }

    private let events: [SeenEvent]
    /// Every write of every cell, superseded or not.
    let cells: [EntityKey: [Cell: [Write]]]

    /// Reads a history, in any order.
    package init(_ events: [SeenEvent]) {
        self.events = events
        var cells: [EntityKey: [Cell: [Write]]] = [:]
        for (index, event) in events.enumerated() {
            for change in event.changes {
                func note(_ cell: Cell, _ value: Value) {
                    cells[change.entity, default: [:]][cell, default: []]
                        .append(Write(event: index, value: value))
                }
                for operation in change.operations {
                    switch operation {
                    case .set(let fields):
                        for entry in fields.entries { note(.field(entry.name), entry.value) }
                    case .add(let field, let element): note(.member(field, element), .bool(true))
                    case .remove(let field, let element):
                        note(.member(field, element), .bool(false))
                    case .delete: note(.life, .bool(false))
                    case .restore: note(.life, .bool(true))
                    case .unknown(let verb, _): note(.newer, .int(verb))
                    }
                }
            }
        }
        self.cells = cells
    }

    /// How many entities there are.
    package var entityCount: Int { cells.count }

    /// The dot of a write's event.
    func dot(_ write: Write) -> Dot {
        Dot(device: events[write.event].device, seq: events[write.event].seq)
    }

    /// Whether the device of one event had seen the other.
    private func hadSeen(_ later: Write, _ earlier: Write) -> Bool {
        let (later, old) = (later.event, events[earlier.event])
        return later != earlier.event && old.index < events[later].clock.count
            && events[later].clock[old.index] >= old.seq
    }

    /// The writes that no other write of the cell had seen.
    func frontier(_ writes: [Write]) -> [Write] {
        writes.filter { write in !writes.contains { hadSeen($0, write) } }
    }

    /// Whether one write wins over the other: unsealed over sealed; of sealed ones the later, then the
    /// greater device ID, then the greater number; of unsealed ones the greater number, then the greater device ID.
    private func wins(_ left: Write, _ right: Write) -> Bool {
        let (left, right) = (events[left.event], events[right.event])
        if left.t == nil, right.t == nil, left.seq != right.seq { return left.seq > right.seq }
        let (mine, theirs) = (left.t ?? .max, right.t ?? .max)
        if mine != theirs { return mine > theirs }
        return left.device == right.device ? left.seq > right.seq : right.device < left.device
    }

    /// The write that is shown; `nil` if there is none.
    func winner(_ writes: [Write]) -> Write? { writes.max { wins($1, $0) } }

    private func isFalse(_ write: Write) -> Bool { write.value == .bool(false) }

    /// Whether an entity is hidden: every event about it was seen by a deletion.
    func isHidden(_ entity: EntityKey) -> Bool {
        guard let cells = cells[entity], let life = cells[.life] else { return false }
        let deletions = frontier(life)
        guard deletions.allSatisfy({ isFalse($0) }) else { return false }
        return cells.allSatisfy { cell, writes in
            cell == .life
                || writes.allSatisfy { write in
                    deletions.contains { $0.event == write.event || hadSeen($0, write) }
                }
        }
    }

    /// The unresolved conflicts of an entity.
    func expectedConflicts(_ entity: EntityKey) -> Set<ExpectedConflict> {
        var found: Set<ExpectedConflict> = []
        func note(_ cell: Cell, _ winner: Write, _ losers: [Write]) {
            let losers = Set(losers.map { dot($0) })
            found.insert(ExpectedConflict(cell: cell, winner: dot(winner), losers: losers))
        }
        func hasUnsealed(_ writes: [Write]) -> Bool {
            writes.contains { events[$0.event].t == nil }
        }
        for (cell, writes) in cells[entity] ?? [:] {
            guard case .field = cell else { continue }
            let open = frontier(writes)
            guard let winner = winner(open), !hasUnsealed(open),
                open.contains(where: { $0.value != winner.value })
            else { continue }
            note(cell, winner, open.filter { $0.value != winner.value })
        }
        let all = (cells[entity] ?? [:]).flatMap { cell, writes in writes.map { (cell, $0) } }
        let open = all.filter { _, write in !all.contains { hadSeen($0.1, write) } }
        let deletions = open.filter { $0.0 == .life && isFalse($0.1) }.map(\.1)
        let others = open.map(\.1).filter { write in
            !deletions.contains { $0.event == write.event }
        }
        if !isHidden(entity), !deletions.isEmpty, let winner = winner(others),
            !hasUnsealed(deletions + others)
        {
            note(.life, winner, deletions)
        }
        return found
    }
}
