import MacrologEvents
import MacrologLog
import MacrologNutrition
import MacrologReadModels

/// A person's answer to a disagreement of devices: which of the values is to be.
public struct Settlement: Hashable, Sendable {
    /// What was asked.
    public let disagreement: Disagreement
    /// The answer.
    public let side: Disagreement.Side

    /// What is shown, stays.
    public static func keep(_ disagreement: Disagreement) -> Settlement {
        Settlement(disagreement: disagreement, side: disagreement.winner)
    }

    /// One of the values that lost takes the place of what is shown; of a deletion: the entity goes.
    ///
    /// - Parameter index: Which of the losers, from 0.
    public static func use(loser index: Int, of disagreement: Disagreement) -> Settlement {
        Settlement(disagreement: disagreement, side: disagreement.losers[index])
    }
}

/// Settling what devices disagree about. (`protocol.md` §7.6)
extension Replica {
    /// Settles disagreements by ordinary events that write the chosen values again: these have seen
    /// every value, so that each disagreement is settled on every device, once for all. All in one
    /// transaction, and taken back as one.
    ///
    /// An entity that is deleted stays deleted. Where devices settle one disagreement at the same
    /// time, they agree if both chose alike, and otherwise disagree about the two choices.
    ///
    /// - Throws: ``ReplicaError`` with reason `settled` when a disagreement is not any more what the
    ///   person was shown, or `invalid` when the value chosen breaks a hard bound.
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

    /// Nobody chooses a value that no entry may have, such as one of a newer version's.
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
        // A write after a deletion would bring the entity back; beside a new one it does not.
        if wasDeleted { operations.append(.delete) }
        let changes = [Change(disagreement.entity, operations)]
        return Draft(type, try changes + parentChanges(wasDeleted: wasDeleted, in: &store))
    }

    /// A part that lives says that its whole does, unless that is deleted already.
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
