public import MacrologEvents
import MacrologLog
import MacrologNutrition
import MacrologNutritionModels
import MacrologReadModels

/// A person's resolution of a conflict: which of the values to keep.
public struct ConflictResolution: Hashable, Sendable {
    /// The conflict, as the person was shown it.
    public let conflict: Conflict
    /// The chosen value.
    public let side: Conflict.Side

    /// Keeps the value that is shown.
    public static func keep(_ conflict: Conflict) -> ConflictResolution {
        ConflictResolution(conflict: conflict, side: conflict.winner)
    }

    /// Replaces the shown value with one of the values that lost; for a deletion, deletes the
    /// entity.
    ///
    /// - Parameter index: Which of the losers, from 0.
    /// - Throws: ``HistoryError`` with code `noSuchValue` where there are not that many.
    public static func use(
        loser index: Int, of conflict: Conflict
    ) throws(HistoryError) -> ConflictResolution {
        guard conflict.losers.indices.contains(index) else { throw HistoryError(.noSuchValue) }
        return ConflictResolution(conflict: conflict, side: conflict.losers[index])
    }
}

/// Resolving conflicts. (`protocol.md` §7.6)
extension Diary {
    /// Resolves conflicts by ordinary events that write the chosen values again: these have seen
    /// every value, so each conflict is resolved on every device, permanently. All in one
    /// transaction, and undone as one action.
    ///
    /// A deleted entity stays deleted. If devices resolve one conflict concurrently, they agree if
    /// both chose the same value, and otherwise conflict about the two choices.
    ///
    /// - Throws: ``HistoryError`` with code `conflictChanged` when a conflict is no longer what the
    ///   person was shown, or `invalid` when the chosen value breaks a hard bound.
    public mutating func resolve(_ resolutions: [ConflictResolution]) throws(DiaryError) {
        guard !resolutions.isEmpty else { return }
        for resolution in resolutions { try resolution.check() }
        let reading = clock.read()
        let group = try group(of: resolutions.count)
        try withStore { store throws(LogError) in
            var drafts: [Draft] = []
            for resolution in resolutions {
                let asked = resolution.conflict
                let state = try store.state(of: asked.entity) ?? EntityState()
                let now = try Conflict.of(asked.entity, state.conflicts, in: &store)
                guard now.contains(asked) else { throw LogError(.conflictChanged) }
                var draft = try resolution.draft(
                    wasDeleted: state.isDeleted, with: resolutions, in: &store)
                draft.group = group
                drafts.append(draft)
            }
            try store.record(drafts, at: reading)
        }
    }
}

extension ConflictResolution {
    private var isDeletion: Bool {
        conflict.cell == .life && conflict.losers.contains(side)
    }

    /// A value that no entry may have, such as one of a newer version, must not be chosen.
    fileprivate func check() throws(DiaryError) {
        guard case .field(let name) = conflict.cell,
            let kind = Kind.named(conflict.entity.kind)
        else { return }
        let findings = kind.hardFindings([name: side.value])
        guard findings.isEmpty else { throw .refused(.invalid(findings)) }
    }

    fileprivate func draft(
        wasDeleted: Bool, with others: [ConflictResolution], in store: inout Store
    ) throws(LogError) -> Draft {
        var operations: [CellOperation] = []
        switch conflict.cell {
        case .field(let name):
            var fields: ValueMap = [name: side.value]
            for entry in try companionsOfMove(in: &store).entries {
                let isAsked = others.contains {
                    $0.conflict.entity == conflict.entity
                        && $0.conflict.cell == .field(entry.name)
                }
                if !isAsked { fields[entry.name] = entry.value }
            }
            operations.append(.set(fields))
        case .life: operations.append(isDeletion ? .delete : .restore)
        case .member, .newer: preconditionFailure("sets and newer verbs are never in conflict")
        }
        // A write after a deletion would restore the entity; beside a new deletion it does not.
        if wasDeleted { operations.append(.delete) }
        let changes = [Change(conflict.entity, operations)]
        return Draft(type, try changes + parentChanges(wasDeleted: wasDeleted, in: &store))
    }

    /// The slot of a meal and when it was eaten, as they were where the day and time were written that lost, if the
    /// move that won gave it others.
    ///
    ///     a1 moves a breakfast to 12:30, so that it is lunch · b1, which has not seen a1, moves it to yesterday
    ///     a1 wins; with the day and time of b1 it is breakfast again, and was eaten yesterday
    private func companionsOfMove(in store: inout Store) throws(LogError) -> ValueMap {
        let (entity, lost) = (conflict.entity, side.logged.event)
        let won = conflict.winner.logged.event
        guard entity.kind == Kind.meal.name, conflict.cell == .field("local_date"),
            side != conflict.winner, let now = try store.state(of: entity)
        else { return ValueMap() }
        var names: [UTF8Text] = []
        for name: UTF8Text in ["meal_type", "consumed_at"]
        where now.cell(.field(name))?.winner.stamp.dot == won.dot {
            names.append(name)
        }
        guard !names.isEmpty else { return ValueMap() }
        let stamp = Stamp(dot: lost.dot, base: lost.base, seal: nil)
        var then = EntityState()
        for entry in try store.history(of: entity) {
            if store.log.mayBeCompacted(entry) { return ValueMap() }
            guard entry.event.dot == lost.dot || entry.stamp.happened(before: stamp) else {
                continue
            }
            for change in entry.event.changes where change.entity == entity {
                then.fold(change, stamp: entry.stamp)
            }
        }
        var values = ValueMap()
        for name in names {
            // Where one of the two has marked the meal as eaten, the time is that of the mark.
            if name == "consumed_at", then["consumed"] != now["consumed"] { continue }
            let value = then[name] ?? .null
            if value != now[name] { values[name] = value }
        }
        return values
    }

    /// A part that exists says that its whole exists, unless the whole is deleted already.
    private func parentChanges(wasDeleted: Bool, in store: inout Store) throws(LogError) -> [Change]
    {
        let entity = conflict.entity
        guard !wasDeleted, let kind = Kind.named(entity.kind),
            let part = try store.state(of: entity), let whole = kind.whole(of: part.fields),
            let state = try store.state(of: whole), !state.isDeleted
        else { return [] }
        return [Change(whole, [.restore])]
    }

    private var type: UTF8Text {
        let verb: Kind.Verb =
            conflict.cell != .life ? .edited : isDeletion ? .deleted : .restored
        guard let kind = Kind.named(conflict.entity.kind) else {
            return UTF8Text("\(conflict.entity.kind).\(verb)")
        }
        return kind.type(verb)
    }
}
