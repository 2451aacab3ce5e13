package import MacrologEvents
package import MacrologLog
import MacrologNutrition
package import MacrologReadModels

extension Diary {
    /// Undoes this device's latest action that is not undone, by new events that set every cell to
    /// the value it would have without the action. Nothing recorded is removed.
    @discardableResult
    package mutating func undo() throws(DiaryError) -> UndoResult {
        let reading = clock.read()
        return try withStore { store throws(LogError) in
            guard let action = try UndoableAction.latest(in: &store) else {
                throw LogError(.nothingToUndo)
            }
            return try action.undo(in: &store, at: reading)
        }
    }
}

/// One action: the events of a group, or a single event; in the order of recording.
package struct UndoableAction {
    /// The type of undo events.
    static let type: Text = "undo"
    /// The kind of the entities that say which actions are undone.
    static let kind: Text = "action"
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

    static func isUndone(_ event: Event, in store: inout Store) throws(LogError) -> Bool {
        try store.state(of: marker(of: event))?["undone"] == .bool(true)
    }

    /// The latest action that is neither an undo nor undone.
    package static func latest(in store: inout Store) throws(LogError) -> UndoableAction? {
        let log = store.log
        var seq = log.lastSeq
        var events: [Event] = []
        var others = 0
        while seq > 0 {
            let dot = Dot(device: log.device, seq: seq)
            guard let entry = try log.entry(dot, in: &store.db) else { break }
            let event = entry.event
            if log.isCompacted(entry) {
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
            guard event.type != type, event.type != Undoing.type,
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
    func undo(in store: inout Store, at reading: ClockSample) throws(LogError) -> UndoResult {
        let (drafts, undone) = try takingBack(in: &store, wall: reading.wall)
        try store.record(drafts, at: reading)
        return undone
    }

    /// The events that undo it, not yet recorded.
    package func takingBack(
        in store: inout Store, wall: Int64
    ) throws(LogError) -> (drafts: [Draft], undone: UndoResult) {
        try requireKept(in: &store)
        let plan = try plan(in: &store)
        guard !plan.changes.isEmpty || plan.skipped.isEmpty else {
            throw LogError(.supersededByLaterEdits)
        }
        let mark = Change(Self.marker(of: events[0]), [.set(["undone": true])])
        let undone = try UndoResult(type: events[0].type, events: events.count, plan, in: &store)
        return (Self.drafts(Self.type, mark, plan.changes, wall: wall), undone)
    }

    /// What an action changed is known only if nothing up to it was compacted.
    private func requireKept(in store: inout Store) throws(LogError) {
        let log = store.log
        guard log.compactedThrough > 0 else { return }
        for event in events {
            guard let entry = try log.entry(event.dot, in: &store.db), !log.isCompacted(entry)
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
    }

    func plan(in store: inout Store) throws(LogError) -> Plan {
        var plan = Plan()
        var entities: [EntityKey] = []
        var cellsByEntity: [EntityKey: Set<CellKey>] = [:]
        for change in events.flatMap({ $0.changes }) {
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
            guard !operations.isEmpty else { continue }
            plan.entities.append(entity)
            for operation in operations { plan.changes.append(Change(entity, [operation])) }
        }
        return plan
    }

    /// The events that make the changes and mark the action, within the limits of an event.
    static func drafts(
        _ type: Text, _ mark: Change, _ changes: [Change], wall: Int64
    ) -> [Draft] {
        var pages: [[Change]] = []
        var page = [mark]
        var size = 0
        for change in changes {
            size += change.roughSize
            let last = page[page.count - 1]
            let isRoomy = size <= Limits.eventBytesMax / 2
            if isRoomy, last.entity == change.entity, let merged = last.merged(with: change) {
                page[page.count - 1] = merged
            } else if isRoomy, last.entity != change.entity, page.count < Limits.changesMax {
                page.append(change)
            } else {
                pages.append(page)
                page = [change]
                size = change.roughSize
            }
        }
        pages.append(page)
        var random = SystemRandomNumberGenerator()
        let group =
            pages.count > 1
            ? Identifier.v7(milliseconds: wall, random: &random) : nil
        return pages.map { Draft(type, $0, group: group) }
    }
}
