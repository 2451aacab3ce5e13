import MacrologEvents
import MacrologLog
import MacrologNutrition
import MacrologReadModels

/// A person's resolution of a conflict: which of the values to keep.
public struct Settlement: Hashable, Sendable {
    /// The conflict.
    public let disagreement: Disagreement
    /// The chosen value.
    public let side: Disagreement.Side

    /// Keeps the value that is shown.
    public static func keep(_ disagreement: Disagreement) -> Settlement {
        Settlement(disagreement: disagreement, side: disagreement.winner)
    }

    /// Replaces the shown value with one of the values that lost; for a deletion, deletes the
    /// entity.
    ///
    /// - Parameter index: Which of the losers, from 0.
    public static func use(loser index: Int, of disagreement: Disagreement) -> Settlement {
        Settlement(disagreement: disagreement, side: disagreement.losers[index])
    }
}

/// Resolving conflicts. (`protocol.md` §7.6)
extension Replica {
    /// Resolves conflicts by ordinary events that write the chosen values again: these have seen
    /// every value, so each conflict is resolved on every device, permanently. All in one
    /// transaction, and undone as one action.
    ///
    /// A deleted entity stays deleted. If devices resolve one conflict concurrently, they agree if
    /// both chose the same value, and otherwise conflict about the two choices.
    ///
    /// - Throws: ``ReplicaError`` with reason `settled` when a conflict is no longer what the
    ///   person was shown, or `invalid` when the chosen value breaks a hard bound.
    public func settle(_ settlements: [Settlement]) throws {
        guard !settlements.isEmpty else { return }
        let reading = clock.read()
        let group = settlements.count > 1 ? newID() : nil
        try withStore { store in
            var drafts: [Draft] = []
            for settlement in settlements {
                let asked = settlement.disagreement
                let state = try store.state(of: asked.entity) ?? EntityState()
                let now = try Disagreement.of(asked.entity, state.conflicts, in: &store)
                guard now.contains(asked) else { throw ReplicaError(.settled) }
                try settlement.check()
                var draft = try settlement.draft(wasDeleted: state.isDeleted, in: &store)
                draft.group = group
                drafts.append(draft)
            }
            try store.record(drafts, at: reading)
        }
    }
}

extension Settlement {
    private var isDeletion: Bool {
        disagreement.cell == .life && disagreement.losers.contains(side)
    }

    /// A value that no entry may have, such as one of a newer version, must not be chosen.
    fileprivate func check() throws {
        guard case .field(let name) = disagreement.cell,
            let kind = Kind(name: disagreement.entity.kind)
        else { return }
        let findings = Catalogue.hardFindings(kind: kind, fields: [name: side.value])
        guard findings.isEmpty else { throw ReplicaError(.invalid(findings)) }
    }

    fileprivate func draft(wasDeleted: Bool, in store: inout Store) throws -> Draft {
        var operations: [Operation] = []
        switch disagreement.cell {
        case .field(let name): operations.append(.set([name: side.value]))
        case .life: operations.append(isDeletion ? .delete : .restore)
        case .member, .newer: preconditionFailure("sets and newer verbs are never in conflict")
        }
        // A write after a deletion would restore the entity; beside a new deletion it does not.
        if wasDeleted { operations.append(.delete) }
        let changes = [Change(disagreement.entity, operations)]
        return Draft(type, try changes + parentChanges(wasDeleted: wasDeleted, in: &store))
    }

    /// A part that exists says that its whole exists, unless the whole is deleted already.
    private func parentChanges(wasDeleted: Bool, in store: inout Store) throws -> [Change] {
        let entity = disagreement.entity
        guard Kind(name: entity.kind) == .mealItem, !wasDeleted,
            let item = try store.entity(MealItem.self, entity.id)
        else { return [] }
        let parent = EntityKey(Kind.meal.name, item.mealID)
        guard let state = try store.state(of: parent), !state.isDeleted else { return [] }
        return [Change(parent, [.restore])]
    }

    private var type: Text {
        let verb: Words.Verb =
            disagreement.cell != .life ? .edited : isDeletion ? .deleted : .restored
        guard let kind = Kind(name: disagreement.entity.kind) else {
            return Text("\(disagreement.entity.kind).\(verb)")
        }
        return Words.type(kind, verb)
    }
}
