public import MacrologEvents
package import MacrologLog
import MacrologNutrition
import MacrologNutritionModels
package import MacrologReadModels

extension Diary {
    /// Redoes what this device undid last, by new events that give every cell the value it had
    /// before the undo. Cells that any other event has changed since stay as they are and are
    /// reported.
    ///
    /// - Parameter count: How many undos are passed over, if everything that they wrote has been changed
    ///   since, to redo the latest one before them.
    /// - Throws: ``HistoryError`` with code `nothingToRedo`, also after anything else was recorded since that undo,
    ///   which ``undo(_:)`` of its event still redoes; or with code `supersededByLaterEdits` when
    ///   everything that the undo wrote has been changed since.
    @discardableResult
    public mutating func redo(passing count: Int = 0) throws(DiaryError) -> UndoResult {
        let reading = clock.read()
        return try undoing { store, own throws(LogError) in
            let (drafts, redone) = try Undoing.redoLatest(passing: count, in: &store, group: own)
            try store.record(drafts, at: reading)
            return redone
        }
    }

    /// Redoes what this device undid last, unless events of this group did that before.
    package mutating func redo(onceAs group: Identifier) throws(DiaryError) -> UndoResult {
        let reading = clock.read()
        return try undoing { store, _ throws(LogError) in
            if let done = try Undoing.done(as: group, in: &store) { return done }
            let (drafts, redone) = try Undoing.redoLatest(passing: 0, in: &store, group: group)
            try store.record(drafts.map { $0.grouped(group) }, at: reading)
            return redone
        }
    }
}

/// One undo, or one redo: its events, and the marker of the action.
package struct Undoing {
    /// The type of redo events.
    static let type: UTF8Text = "redo"

    let events: [Event]
    let marker: EntityKey

    /// The entities that it wrote.
    var entities: [EntityKey] {
        events.flatMap { $0.changes }.map { $0.entity }.filter { $0.kind != UndoableAction.kind }
    }

    /// `nil` for an event without a marker, which no undo and no redo is.
    init?(_ event: Event, in store: inout Store) throws(LogError) {
        let log = store.log
        if let group = event.group {
            events = try log.group(group, in: &store.db).map { $0.event }
        } else {
            events = [event]
        }
        let marked = events.flatMap { $0.changes }.first { $0.entity.kind == UndoableAction.kind }
        guard let marked else { return nil }
        marker = marked.entity
    }

    /// What an undo or a redo has done whose events have this group, without the values of before and
    /// after; `nil` where there was none.
    static func done(
        as group: Identifier, in store: inout Store
    ) throws(LogError) -> UndoResult? {
        let log = store.log
        guard let entry = try log.group(group, in: &store.db).first,
            let undoing = try Undoing(entry.event, in: &store)
        else { return nil }
        let action = try UndoableAction.named(
            undoing.marker, touching: undoing.entities, in: &store)
        // It also restores the wholes of the parts that it writes.
        let touched = Set(action?.ownChanges.map { $0.entity } ?? undoing.entities)
        return UndoResult(
            type: action?.events[0].type ?? UndoableAction.type, events: action?.events.count ?? 0,
            entities: undoing.entities.filter(touched.contains), fields: [], skipped: [])
    }

    /// Whether the action has not been redone, or undone again, since.
    func stands(in store: inout Store) throws(LogError) -> Bool {
        guard let mark = try store.state(of: marker)?.cell(.field("undone"))?.winner else {
            return false
        }
        return mark.value == true && events.contains { $0.dot == mark.stamp.dot }
    }

    /// The events that redo this device's latest undo that still stands, not yet recorded. Other events
    /// after it end what can be redone. An undo of which later edits have left nothing is passed over as
    /// ``UndoableAction`` does.
    package static func redoLatest(
        passing most: Int, in store: inout Store, group: Identifier
    ) throws(LogError) -> (drafts: [Draft], redone: UndoResult) {
        var skipped: [UndoResult.Skipped] = []
        var passed = 0
        let log = store.log
        var seq = log.lastSeq
        while seq > 0 {
            let dot = Dot(device: log.device, seq: seq)
            guard let entry = try log.entry(dot, in: &store.db), !log.mayBeCompacted(entry) else {
                break
            }
            seq -= 1
            if log.isDuplicate(dot) || entry.event.type == Self.type { continue }
            // What was recorded after an undo may build on it: only an undo of that undo goes back beyond it.
            guard entry.event.type == UndoableAction.type else { break }
            guard let undoing = try Undoing(entry.event, in: &store),
                try undoing.stands(in: &store)
            else { continue }
            let plan = try undoing.plan(in: &store)
            skipped += plan.skipped
            if !plan.isSuperseded {
                return try undoing.redoDrafts(plan, skipped, in: &store, group: group)
            }
            guard passed < most else { throw LogError(.supersededByLaterEdits) }
            passed += 1
        }
        throw LogError(.nothingToRedo)
    }

    /// Gives every cell the value it had before the undo, unless another event has changed it
    /// since.
    func redo(
        in store: inout Store, at reading: ClockSample, as group: Identifier
    ) throws(LogError) -> UndoResult {
        let plan = try plan(in: &store)
        guard !plan.isSuperseded else { throw LogError(.supersededByLaterEdits) }
        let (drafts, redone) = try redoDrafts(plan, plan.skipped, in: &store, group: group)
        try store.record(drafts, at: reading)
        return redone
    }

    private func redoDrafts(
        _ plan: UndoableAction.Plan, _ skipped: [UndoResult.Skipped], in store: inout Store,
        group: Identifier
    ) throws(LogError) -> (drafts: [Draft], redone: UndoResult) {
        let action = try UndoableAction.named(marker, touching: entities, in: &store)
        let mark = Change(marker, [.set(["undone": false])])
        let redone = try UndoResult(
            type: action?.events[0].type ?? UndoableAction.type,
            events: action?.events.count ?? 0, plan, skipped: skipped, in: &store)
        let drafts = try UndoableAction.drafts(Self.type, mark, plan, group: group, in: &store)
        return (drafts, redone)
    }

    private func plan(in store: inout Store) throws(LogError) -> UndoableAction.Plan {
        var plan = UndoableAction.Plan()
        let dots = Set(events.map { $0.dot })
        var standing: [EntityKey: Bool] = [:]
        let log = store.log
        guard events.allSatisfy({ $0.base.n >= log.compactedThrough }) else {
            throw LogError(.compacted)
        }
        for event in events {
            for change in event.changes where change.entity.kind != UndoableAction.kind {
                let cells = change.operations.flatMap { $0.writes.map { $0.cell } }
                let versions = try VersionsBefore(
                    change.entity, event, dots, &standing, in: &store)
                let operations = cells.compactMap { cell in
                    versions.redoing(cell) {
                        plan.skipped.append(UndoResult.Skipped(entity: change.entity, cell: cell))
                    }
                }
                guard !operations.isEmpty else { continue }
                if !plan.entities.contains(change.entity) { plan.entities.append(change.entity) }
                plan.changes += operations.map { Change(change.entity, [$0]) }
            }
        }
        return plan
    }
}

/// An entity as it is, and as the undoing device saw it just before the undo.
private struct VersionsBefore {
    let current: EntityState
    /// Without what was undone and redone since, which leaves no trace.
    let effective: EntityState
    let before: EntityState
    /// The events of the undo.
    let dots: Set<Dot>
    /// Whether nothing else has happened to the entity since.
    let isUntouched: Bool

    /// - Parameter standing: Caches whether other undos stand.
    init(
        _ entity: EntityKey, _ undoing: Event, _ dots: Set<Dot>,
        _ standing: inout [EntityKey: Bool], in store: inout Store
    ) throws(LogError) {
        self.dots = dots
        var (current, effective, before) = (EntityState(), EntityState(), EntityState())
        var isUntouched = true
        // Only what the undo had seen matters, and that needs no seal.
        let stamp = Stamp(dot: undoing.dot, base: undoing.base, seal: nil)
        for entry in try store.history(of: entity) {
            let changes = entry.event.changes.filter { $0.entity == entity }
            let wasSeen = entry.stamp.happened(before: stamp)
            let isOwn = dots.contains(entry.event.dot)
            for change in changes { current.fold(change, stamp: entry.stamp) }
            if wasSeen, !isOwn {
                for change in changes { before.fold(change, stamp: entry.stamp) }
            }
            let log = store.log
            var counts = isOwn || log.mayBeCompacted(entry)
            if !counts { counts = try Self.counts(entry.event, &standing, in: &store) }
            guard counts else { continue }
            if !wasSeen, !isOwn { isUntouched = false }
            for change in changes { effective.fold(change, stamp: entry.stamp) }
        }
        (self.current, self.effective, self.before) = (current, effective, before)
        self.isUntouched = isUntouched
    }

    /// Whether an event counts: a redo does not, nor does an undo that was redone.
    private static func counts(
        _ event: Event, _ standing: inout [EntityKey: Bool], in store: inout Store
    ) throws(LogError) -> Bool {
        if event.type == Undoing.type { return false }
        guard event.type == UndoableAction.type else { return true }
        let key = UndoableAction.marker(of: event)
        if let known = standing[key] { return known }
        let stands = try Undoing(event, in: &store)?.stands(in: &store) ?? false
        standing[key] = stands
        return stands
    }

    /// The operation that gives a cell its earlier value; `nil` if it has that value, or must be
    /// left.
    func redoing(_ cell: CellKey, left: () -> Void) -> CellOperation? {
        // As the whole of a part, which an undo only said to exist.
        if cell == .life, before.isDeleted == current.isDeleted { return nil }
        let writes = effective.cell(cell).map { Array($0.writes) } ?? []
        let isOurs = writes.allSatisfy { dots.contains($0.stamp.dot) }
        // An entity that other events have changed since is not deleted again.
        let isBeingUsed = cell == .life && before.isDeleted && !isUntouched
        guard isOurs, !isBeingUsed else {
            left()
            return nil
        }
        switch cell {
        case .field(let name):
            let target = before[name] ?? .null
            return target == current[name] ? nil : .set([name: target])
        case .member(let field, let element):
            let had = before.has(cell)
            guard had != current.has(cell) else { return nil }
            return had
                ? .add(field: field, element: element) : .remove(field: field, element: element)
        case .life:
            return before.isDeleted ? .delete : .restore
        case .newer: return nil
        }
    }
}
