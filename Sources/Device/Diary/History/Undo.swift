public import MacrologEvents
import MacrologWire
package import MacrologLog
import MacrologNutrition
import MacrologNutritionModels
package import MacrologReadModels

extension Diary {
    /// Undoes this device's latest action that is not undone, by new events that set every cell to
    /// the value it would have without the action. Nothing recorded is removed.
    ///
    /// Cells that another event has changed since stay as they are and are reported. An addition is
    /// undone by a deletion, a deletion by a restore. The undone action is marked on an entity of
    /// the kind `action`, whose id is the action's group or, for a single event, computed from its
    /// dot.
    ///
    /// - Parameter count: How many actions are passed over that cannot be undone because of later
    ///   changes, to undo the latest one before them. Their cells are reported, too.
    /// - Throws: ``HistoryError`` with code `nothingToUndo`, `compacted`, or `supersededByLaterEdits`
    ///   when later changes have replaced everything that the action wrote, or have added to what it
    ///   added.
    @discardableResult
    public mutating func undo(passing count: Int = 0) throws(DiaryError) -> UndoResult {
        let reading = clock.read()
        return try undoing { store, own throws(LogError) in
            let (drafts, undone) = try UndoableAction.undoLatest(
                passing: count, in: &store, group: own)
            try store.record(drafts, at: reading)
            return undone
        }
    }

    /// Undoes this device's latest action, unless events of this group did that before.
    package mutating func undo(onceAs group: Identifier) throws(DiaryError) -> UndoResult {
        let reading = clock.read()
        return try undoing { store, _ throws(LogError) in
            if let done = try Undoing.done(as: group, in: &store) { return done }
            let (drafts, undone) = try UndoableAction.undoLatest(
                passing: 0, in: &store, group: group)
            try store.record(drafts.map { $0.grouped(group) }, at: reading)
            return undone
        }
    }

    /// Undoes the action that an event is part of: any earlier action, even another device's.
    /// Undoing an undo redoes the action.
    ///
    /// - Throws: ``HistoryError`` with code `noSuchEvent`, `alreadyUndone`, `alreadyRedone`, `compacted`,
    ///   or `supersededByLaterEdits` when later changes have replaced everything that the action wrote,
    ///   or have added to what it added.
    @discardableResult
    public mutating func undo(_ event: Dot) throws(DiaryError) -> UndoResult {
        let reading = clock.read()
        return try undoing { store, own throws(LogError) in
            let log = store.log
            guard let entry = try log.entry(event, in: &store.db) else {
                throw LogError(.noSuchEvent)
            }
            return try UndoableAction.undo(entry, in: &store, at: reading, as: own)
        }
    }

    /// Undoes the action whose events share a group; see ``undo(_:)``.
    @discardableResult
    public mutating func undo(group: Identifier) throws(DiaryError) -> UndoResult {
        let reading = clock.read()
        return try undoing { store, own throws(LogError) in
            let log = store.log
            guard let entry = try log.group(group, in: &store.db).first else {
                throw LogError(.noSuchEvent)
            }
            return try UndoableAction.undo(entry, in: &store, at: reading, as: own)
        }
    }
}

/// One action: the events of a group, or a single event; in the order of recording.
package struct UndoableAction {
    /// The type of undo events.
    static let type: UTF8Text = "undo"
    /// The kind of the entities that say which actions are undone.
    static let kind: UTF8Text = "action"
    /// How many events of other actions may lie between those of a group.
    static let othersMax = 1_000

    let events: [Event]

    /// The entity that says whether an action has been undone.
    static func marker(of event: Event) -> EntityKey {
        if let group = event.group { return EntityKey(kind, group) }
        let dot = event.original.dot
        let name = "action/\(dot.device)/\(dot.seq)"
        return EntityKey(kind, Identifier.v5(namespace: Identities.namespace, name: name))
    }

    static func isUndoOrRedo(_ event: Event) -> Bool {
        event.type == type || event.type == Undoing.type
    }

    static func isUndone(_ event: Event, in store: inout Store) throws(LogError) -> Bool {
        try isUndone(marker(of: event), in: &store)
    }

    /// Whether the action of a marker is undone.
    static func isUndone(_ marker: EntityKey, in store: inout Store) throws(LogError) -> Bool {
        try store.state(of: marker)?["undone"] == .bool(true)
    }

    /// The events that undo this device's latest action, not yet recorded; of the group if they
    /// are several.
    ///
    /// An action that cannot be undone because of later changes stands in the way of every earlier
    /// one, unless it is passed over. Its cells are then reported as skipped.
    ///
    ///     a0 logs a weight · a1 adds a soup · b1 notes "with bread" with the soup
    ///     undo at a: refused, because it would delete b1's note
    ///     undo at a, passing 1: a0 is undone
    package static func undoLatest(
        passing most: Int, in store: inout Store, group: Identifier
    ) throws(LogError) -> (drafts: [Draft], undone: UndoResult) {
        var passed: Set<EntityKey> = []
        var skipped: [UndoResult.Skipped] = []
        while let action = try latest(passing: passed, in: &store) {
            let plan = try action.plan(in: &store)
            skipped += plan.skipped
            if !plan.isSuperseded {
                return try action.undoDrafts(plan, skipped, in: &store, group: group)
            }
            guard passed.count < most else { throw LogError(.supersededByLaterEdits) }
            passed.insert(marker(of: action.events[0]))
        }
        throw LogError(.nothingToUndo)
    }

    /// The latest action that is neither an undo, nor undone, nor passed over.
    static func latest(
        passing passed: Set<EntityKey>, in store: inout Store
    ) throws(LogError) -> UndoableAction? {
        let log = store.log
        var seq = log.lastSeq
        var events: [Event] = []
        var others = 0
        while seq > 0 {
            let dot = Dot(device: log.device, seq: seq)
            guard let entry = try log.entry(dot, in: &store.db) else { break }
            let event = entry.event
            if log.mayBeCompacted(entry) {
                guard events.isEmpty else { break }
                throw LogError(.compacted)
            }
            seq -= 1
            if log.isDuplicate(dot) { continue }
            if let last = events.last {
                // A long import is several transactions, and other events may be recorded between
                // them.
                if event.group == last.group { events.append(event) } else { others += 1 }
                if others > othersMax { break }
                continue
            }
            guard !isUndoOrRedo(event), !passed.contains(marker(of: event)),
                try !isUndone(event, in: &store)
            else { continue }
            if let group = event.group, try isImport(group, in: &store) {
                return try UndoableAction(events: ownEvents(of: group, in: &store))
            }
            events.append(event)
            if event.group == nil { break }
        }
        return events.isEmpty ? nil : UndoableAction(events: events.reversed())
    }

    /// Whether a group is an import that marks its beginning: it consists of many transactions, and
    /// may have been interrupted and completed much later.
    private static func isImport(_ group: Identifier, in store: inout Store) throws(LogError)
        -> Bool
    {
        try store.state(of: EntityKey(Kind.importBatch.name, group)) != nil
    }

    /// This device's events of a group, in the order of recording.
    private static func ownEvents(
        of group: Identifier, in store: inout Store
    ) throws(LogError) -> [Event] {
        let log = store.log
        let events = try log.group(group, in: &store.db).map { $0.event }
        return events.filter { $0.dot.device == log.device }.sorted { $0.dot.seq < $1.dot.seq }
    }

    /// Resets every cell that no later event has changed. An action that changed nothing, such as
    /// keeping a shown value, is only marked.
    func undo(
        in store: inout Store, at reading: ClockSample, as group: Identifier
    ) throws(LogError) -> UndoResult {
        let plan = try plan(in: &store)
        guard !plan.isSuperseded else { throw LogError(.supersededByLaterEdits) }
        let (drafts, undone) = try undoDrafts(plan, plan.skipped, in: &store, group: group)
        try store.record(drafts, at: reading)
        return undone
    }

    private func undoDrafts(
        _ plan: Plan, _ skipped: [UndoResult.Skipped], in store: inout Store, group: Identifier
    ) throws(LogError) -> (drafts: [Draft], undone: UndoResult) {
        let mark = Change(Self.marker(of: events[0]), [.set(["undone": true])])
        let known = Set(skipped)
        let undone = try UndoResult(
            type: events[0].type, events: events.count, plan,
            skipped: skipped + plan.shared.filter { !known.contains($0) }, in: &store)
        return (try Self.drafts(Self.type, mark, plan, group: group, in: &store), undone)
    }

    /// Undoing needs the payloads of all events of the action: none may be compacted.
    private func requireKept(in store: inout Store) throws(LogError) {
        let log = store.log
        guard log.compactedThrough > 0 else { return }
        for event in events {
            guard let entry = try log.entry(event.dot, in: &store.db), !log.mayBeCompacted(entry)
            else { throw LogError(.compacted) }
        }
    }

    /// The operations that reset every entity that the action touched.
    struct Plan {
        /// One operation each; those of one entity are adjacent.
        var changes: [Change] = []
        /// The entities changed.
        var entities: [EntityKey] = []
        var skipped: [UndoResult.Skipped] = []
        /// Cells that have their values without the action, too, because of events that had not seen it.
        var shared: [UndoResult.Skipped] = []
        /// Whether there would be a conflict about a cell without the action.
        var resolvesConflict = false

        /// Whether later changes leave nothing to reverse.
        var isSuperseded: Bool { changes.isEmpty && !skipped.isEmpty }
    }

    /// What the action changed, without the wholes that its parts restored: those may have been deleted elsewhere
    /// meanwhile, and exist because of that.
    ///
    ///     a5 deletes a meal · b1, which has not seen a5, adds an item, and so restores the meal
    ///     undo of b1 deletes the item; the meal stays
    var ownChanges: [Change] {
        events.flatMap { event in
            let wholes = event.changes.compactMap { Kind.named($0.entity.kind)?.partOf }
            // The first change is what the event is about, as where a whole itself is restored.
            return event.changes.prefix(1)
                + event.changes.dropFirst().filter {
                    $0.operations != [.restore] || !wholes.contains($0.entity.kind)
                }
        }
    }

    func plan(in store: inout Store) throws(LogError) -> Plan {
        try requireKept(in: &store)
        var plan = Plan()
        var entities: [EntityKey] = []
        var cellsByEntity: [EntityKey: Set<CellKey>] = [:]
        for change in ownChanges {
            if cellsByEntity[change.entity] == nil { entities.append(change.entity) }
            for operation in change.operations {
                for write in operation.writes {
                    cellsByEntity[change.entity, default: []].insert(write.cell)
                }
            }
        }
        let dots = Set(events.map { $0.dot })
        for entity in entities {
            let versions = try Versions(of: entity, without: dots, in: &store)
            let cells = (cellsByEntity[entity] ?? []).sorted()
            let operations = versions.inverse(of: cells) {
                plan.skipped.append(UndoResult.Skipped(entity: entity, cell: $0))
            }
            plan.shared += cells.filter(versions.isShared).map {
                UndoResult.Skipped(entity: entity, cell: $0)
            }
            if versions.without.conflicts.contains(where: { cells.contains($0.cell) }) {
                plan.resolvesConflict = true
            }
            guard !operations.isEmpty else { continue }
            plan.entities.append(entity)
            let changes = operations.map { Change(entity, [$0]) }
            if operations.contains(.delete) {
                // In one event: a field that is set in a later one would bring the entity back.
                let last = Change(entity, [.delete])
                plan.changes.append(changes.dropLast().reduce(last) { $0.merged(with: $1) ?? $0 })
            } else {
                plan.changes += changes
            }
        }
        return plan
    }

    /// The events that make the changes and mark the action, within the limits of an event; of the
    /// group if they are several. Like every change of a part, each event says that the wholes of its
    /// parts exist.
    ///
    ///     a5 deletes an item · b1, which has not seen a5, deletes its meal · a6 undoes a5
    ///     a6 restores the item and its meal: otherwise b1 would hide what a6 brought back
    static func drafts(
        _ type: UTF8Text, _ mark: Change, _ plan: Plan, group: Identifier, in store: inout Store
    ) throws(LogError) -> [Draft] {
        let wholes = try plan.wholes(in: &store)
        var pages: [[Change]] = []
        var page = [mark]
        var touched: Set<EntityKey> = []
        var size = 0
        func closePage() {
            let missing = touched.subtracting(page.map { $0.entity })
            pages.append(page + missing.sorted().map { Change($0, [.restore]) })
        }
        for change in plan.changes {
            size += change.roughSize
            let last = page[page.count - 1]
            let isRoomy = size <= Limits.eventBytesMax / 2
            let whole = wholes[change.entity].map { [$0] } ?? []
            if isRoomy, last.entity == change.entity, let merged = last.merged(with: change) {
                page[page.count - 1] = merged
            } else if isRoomy, last.entity != change.entity,
                page.count + touched.union(whole).count < Limits.changesMax
            {
                page.append(change)
                touched.formUnion(whole)
            } else {
                closePage()
                page = [change]
                touched = Set(whole)
                size = change.roughSize
            }
        }
        closePage()
        return pages.map { Draft(type, $0, group: pages.count > 1 ? group : nil) }
    }
}

extension UndoableAction.Plan {
    /// The wholes of the parts that it changes, unless they are deleted, or this deletes them.
    fileprivate func wholes(in store: inout Store) throws(LogError) -> [EntityKey: EntityKey] {
        var wholes: [EntityKey: EntityKey] = [:]
        let deleted = Set(changes.filter { $0.operations.contains(.delete) }.map { $0.entity })
        for entity in entities {
            guard let kind = Kind.named(entity.kind), let part = try store.state(of: entity),
                let whole = kind.whole(of: part.fields), !deleted.contains(whole),
                let state = try store.state(of: whole), !state.isDeleted
            else { continue }
            wholes[entity] = whole
        }
        return wholes
    }
}

extension UndoableAction {
    fileprivate static func undo(
        _ entry: LogEntry, in store: inout Store, at reading: ClockSample, as group: Identifier
    ) throws(LogError) -> UndoResult {
        guard !store.log.mayBeCompacted(entry) else { throw LogError(.compacted) }
        let event = entry.event
        if event.type == type {
            guard let undoing = try Undoing(event, in: &store) else {
                throw LogError(.noSuchEvent)
            }
            guard try undoing.stands(in: &store) else { throw LogError(.alreadyRedone) }
            return try undoing.redo(in: &store, at: reading, as: group)
        }
        var marker = marker(of: event)
        var entities = event.changes.map { $0.entity }
        if event.type == Undoing.type {
            guard let redoing = try Undoing(event, in: &store) else {
                throw LogError(.noSuchEvent)
            }
            (marker, entities) = (redoing.marker, redoing.entities)
        }
        guard let action = try named(marker, touching: entities, in: &store) else {
            throw LogError(.noSuchEvent)
        }
        guard try !isUndone(action.events[0], in: &store) else {
            throw LogError(.alreadyUndone)
        }
        return try action.undo(in: &store, at: reading, as: group)
    }

    /// The action that a marker names and whose events touched some of the entities. For a reissued
    /// event, the duplicate that counts.
    static func named(
        _ marker: EntityKey, touching entities: [EntityKey], in store: inout Store
    ) throws(LogError) -> UndoableAction? {
        let log = store.log
        let group = try log.group(marker.id, in: &store.db)
        if !group.isEmpty { return UndoableAction(events: group.map({ $0.event })) }
        for entity in entities where entity.kind != kind {
            let history = try store.history(of: entity)
            if let entry = history.first(where: { Self.marker(of: $0.event) == marker }) {
                return UndoableAction(events: [entry.event])
            }
        }
        return nil
    }
}
