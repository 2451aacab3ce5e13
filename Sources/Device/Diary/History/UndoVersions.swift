import MacrologEvents
import MacrologWire
import MacrologLog
import MacrologNutritionModels
import MacrologReadModels

/// An entity as it is, as it would be if nothing had ever been undone, and as it would be without
/// one action as well.
struct Versions {
    let current: EntityState
    /// Without what was undone on any device, and without the undo events (``RecentUndoing``).
    let effective: EntityState
    let without: EntityState
    let dots: Set<Dot>
    /// Whether the action created the entity: every other event on it had seen the action.
    let isAddition: Bool
    /// The stamps of the action's events.
    private let own: [Stamp]
    /// What the action's events give without any others.
    private let alone: EntityState

    /// - Parameter dots: The events of the action.
    init(of entity: EntityKey, without dots: Set<Dot>, in store: inout Store) throws(LogError) {
        self.dots = dots
        var (current, effective, without) = (EntityState(), EntityState(), EntityState())
        var alone = EntityState()
        var (own, others): ([Stamp], [Stamp]) = ([], [])
        let history = try store.history(of: entity)
        for entry in history {
            for change in entry.event.changes where change.entity == entity {
                current.fold(change, stamp: entry.stamp)
            }
        }
        let recent = try RecentUndoing(history, isDeleted: current.isDeleted, in: &store)
        for entry in history {
            let changes = entry.event.changes.filter { $0.entity == entity }
            if try recent.leavesOut(entry, in: &store) { continue }
            for change in changes { effective.fold(change, stamp: entry.stamp) }
            if dots.contains(entry.event.dot) {
                own.append(entry.stamp)
                for change in changes { alone.fold(change, stamp: entry.stamp) }
            } else {
                others.append(entry.stamp)
                for change in changes { without.fold(change, stamp: entry.stamp) }
            }
        }
        isAddition =
            effective.cells.contains { $0.key != .life }
            && others.allSatisfy { other in own.contains { $0.happened(before: other) } }
        (self.current, self.effective, self.without) = (current, effective, without)
        (self.own, self.alone) = (own, alone)
    }

    /// Whether the action wrote what is there, and so did another event, neither of which had seen the other.
    func isShared(_ cell: CellKey) -> Bool {
        guard let other = without.cell(cell)?.winner,
            other.value == effective.cell(cell)?.winner.value,
            other.value == alone.cell(cell)?.winner.value
        else { return false }
        return own.allSatisfy {
            !other.stamp.happened(before: $0) && !$0.happened(before: other.stamp)
        }
    }

    /// The operations that reset cells, one for each.
    func inverse(of cells: [CellKey], left: (CellKey) -> Void) -> [CellOperation] {
        if isAddition { return inverseOfAddition(left) }
        let deletes = without.isDeleted && !effective.isDeleted && !current.isDeleted
        let resets = cells.compactMap { cell -> CellOperation? in
            switch cell {
            case .field(let name):
                let wrote = effective.cell(cell).map { dots.contains($0.winner.stamp.dot) } ?? false
                let target = without[name] ?? .null
                // An event that wrote the same without having seen the action, such as an import of the same file
                // on another device, is no later change, whichever of the two counts.
                guard wrote || isShared(cell), current[name] == effective[name] else {
                    left(cell)
                    return nil
                }
                return target == current[name] ? nil : .set([name: target])
            case .member(let field, let element):
                let (is_, was) = (current.has(cell), without.has(cell))
                guard is_ == effective.has(cell) else {
                    left(cell)
                    return nil
                }
                guard is_ != was else { return nil }
                return was
                    ? .add(field: field, element: element)
                    : .remove(field: field, element: element)
            case .life:
                guard current.isDeleted == effective.isDeleted else {
                    left(cell)
                    return nil
                }
                if current.isDeleted, !without.isDeleted { return .restore }
                // It brought the entity back, and what was changed since keeps it.
                if !without.isDeleted, alone.cell(cell)?.winner.value == true,
                    without.cell(cell)?.winner.value == false
                {
                    left(cell)
                }
                return nil
            case .newer: return nil
            }
        }
        return deletes ? resets + [.delete] : resets
    }

    private func inverseOfAddition(_ left: (CellKey) -> Void) -> [CellOperation] {
        guard !current.isDeleted else { return [] }
        // A deletion would also remove what other events have added since.
        let foreign = effective.cells.filter { cell in
            cell.key != .life && !dots.contains(cell.winner.stamp.dot)
        }
        guard foreign.isEmpty else {
            for cell in foreign { left(cell.key) }
            return []
        }
        return [.delete]
    }
}

/// Which events of an entity have no effect, because they are undone or are undo events.
///
/// The addition of an entity that is there has an effect even if it is undone, and so has its undo: that deletes the
/// entity, and leaves its fields. Any other undo sets everything back, and leaves no trace.
///
///     a0 adds a soup of 400 kcal · a1 undoes a0, by a deletion · a2 restores the soup · a3 sets 300 kcal
///     undo of a3 sets 400 kcal, which a0 wrote · undo of a2 deletes the soup, as a1 did
///
/// Up to where a log was compacted it holds only the result of its events: there every event
/// counts, and so does an undo of one of them.
struct RecentUndoing {
    private let log: EventLog
    /// The actions whose events are all known.
    private var actions: Set<EntityKey> = []
    /// The action that added the entity, if it is undone and the entity is there.
    private var addition: EntityKey?

    init(
        _ history: [LogEntry], isDeleted: Bool, in store: inout Store
    ) throws(LogError) {
        log = store.log
        if !isDeleted, let marker = Self.addition(in: history),
            try UndoableAction.isUndone(marker, in: &store)
        {
            addition = marker
        }
        guard log.compactedThrough > 0 else { return }
        for entry in history where !Self.isUndoing(entry) && !log.mayBeCompacted(entry) {
            actions.insert(UndoableAction.marker(of: entry.event))
        }
    }

    private static func isUndoing(_ entry: LogEntry) -> Bool {
        [UndoableAction.type, Undoing.type].contains(entry.event.type)
    }

    /// The action that every other event of an entity had seen; `nil` if there is none.
    private static func addition(in history: [LogEntry]) -> EntityKey? {
        guard let first = history.first, !isUndoing(first) else { return nil }
        let marker = UndoableAction.marker(of: first.event)
        func isOwn(_ entry: LogEntry) -> Bool {
            !isUndoing(entry) && UndoableAction.marker(of: entry.event) == marker
        }
        let own = history.filter(isOwn).map { $0.stamp }
        let isFirst = history.allSatisfy { entry in
            isOwn(entry) || own.contains { $0.happened(before: entry.stamp) }
        }
        return isFirst ? marker : nil
    }

    func leavesOut(_ entry: LogEntry, in store: inout Store) throws(LogError) -> Bool {
        if log.mayBeCompacted(entry) { return false }
        guard Self.isUndoing(entry) else {
            let marker = UndoableAction.marker(of: entry.event)
            if marker == addition { return false }
            return try UndoableAction.isUndone(marker, in: &store)
        }
        let isWhole = log.compactedThrough == 0
        if isWhole, addition == nil { return true }
        guard let marker = try Undoing(entry.event, in: &store)?.marker else { return isWhole }
        return marker != addition && (isWhole || actions.contains(marker))
    }
}

extension EventLog {
    /// Whether an event lies where payloads may have been dropped.
    func mayBeCompacted(_ entry: LogEntry) -> Bool {
        entry.seal.map { $0.n <= compactedThrough } ?? false
    }
}

extension EntityState {
    /// Whether a set has an element: an addition wins over a concurrent removal.
    func has(_ cell: CellKey) -> Bool {
        self.cell(cell)?.writes.contains { $0.value == .bool(true) } ?? false
    }
}

extension Change {
    /// Both changes as one, if the limits allow it: a second `set` is merged into the first.
    func merged(with other: Change) -> Change? {
        guard self.operations.count < Limits.operationsMax else { return nil }
        var operations = operations
        for operation in other.operations {
            if case .set(let new) = operation,
                let index = operations.firstIndex(where: { $0.isSet }),
                case .set(var fields) = operations[index]
            {
                guard fields.entries.count + new.entries.count <= Limits.mapEntriesMax else {
                    return nil
                }
                for entry in new.entries { fields[entry.name] = entry.value }
                operations[index] = .set(fields)
            } else {
                operations.append(operation)
            }
        }
        return Change(entity, operations)
    }

    /// An upper estimate, in bytes.
    var roughSize: Int {
        operations.reduce(64) { sum, operation in
            operation.writes.reduce(sum) { $0 + 80 + $1.value.roughSize }
        }
    }
}

extension CellOperation {
    fileprivate var isSet: Bool { if case .set = self { true } else { false } }
}

extension Value {
    fileprivate var roughSize: Int {
        switch self {
        case .null, .bool, .int: 10
        case .text(let text): text.byteCount + 5
        case .bytes(let bytes): bytes.count + 5
        case .array(let values): values.reduce(5) { $0 + $1.roughSize }
        case .map(let map): map.entries.reduce(5) { $0 + $1.name.byteCount + $1.value.roughSize }
        }
    }
}
