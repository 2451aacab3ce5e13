package import MacrologEvents
import MacrologWire
import MacrologSQLite

/// Folds a batch of changes into entities, one entity after the other: each is read once, changed
/// as often as the batch requires, and written once. The order of the changes makes no difference.
package struct Fold {
    private enum Action {
        case change(Change, Stamp)
        case seal(Dot, Seal)
    }

    private struct Step {
        let entity: EntityKey
        let index: Int
        let action: Action
    }

    private var steps: [Step] = []

    /// Nothing to fold.
    package init() {}

    var isEmpty: Bool { steps.isEmpty }

    /// Adds the changes of an event.
    package mutating func add(_ changes: [Change], stamp: Stamp) {
        for change in changes {
            steps.append(
                Step(
                    entity: change.entity, index: steps.count,
                    action: .change(change, stamp)))
        }
    }

    mutating func seal(_ dot: Dot, _ seal: Seal, of changes: [Change]) {
        for change in changes {
            steps.append(
                Step(entity: change.entity, index: steps.count, action: .seal(dot, seal)))
        }
    }

    /// Writes the entities and passes each to the updater.
    package mutating func flush(
        in db: inout LogConnection, keys: DeviceKeys,
        updating readModels: inout some ReadModelUpdater
    ) throws(LogError) {
        assert(db.isInTransaction)
        // Entities that are adjacent in the table are folded one after the other.
        if steps.count > 1 {
            steps.sort {
                if $0.entity.id != $1.entity.id { return $0.entity.id < $1.entity.id }
                if $0.entity.kind != $1.entity.kind { return $0.entity.kind < $1.entity.kind }
                return $0.index < $1.index
            }
        }
        var first = 0
        // New entities often come in hundreds with adjacent ids: after one that is not stored,
        // looking up the next stored id shows that those between are not stored either. Entities of
        // several kinds may share an id.
        var nextStored: Identifier?
        while first < steps.count {
            let entity = steps[first].entity
            var end = first + 1
            while end < steps.count, steps[end].entity == entity { end += 1 }
            var old: EntityState?
            if nextStored.map({ entity.id < $0 }) != true {
                old = try EntityTable.state(of: entity, in: &db)
                nextStored =
                    old == nil && end < steps.count
                    ? try EntityTable.nextID(from: entity.id, in: &db) : nil
            }
            let new = fold(steps[first..<end], into: old)
            // The state of an entity names the event that created it.
            if old != nil || end > first + 1 || new.isEmpty {
                try noteOverwritten(steps[first..<end], old, new, keys: keys, in: &db)
            }
            if new != old {
                try EntityTable.store(new, was: old, for: entity, in: &db)
                try readModels.update(entity, from: old, to: new, in: &db)
            }
            first = end
        }
        steps.removeAll(keepingCapacity: true)
    }

    private func fold(_ steps: ArraySlice<Step>, into old: EntityState?) -> EntityState {
        var new = old ?? EntityState()
        for step in steps {
            switch step.action {
            case .change(let change, let stamp): new.fold(change, stamp: stamp)
            case .seal(let dot, let seal): new.seal(dot, seal)
            }
        }
        return new
    }

    /// Stores the dots of the events that the state named before, or that have just been folded,
    /// and that it does not name now.
    private func noteOverwritten(
        _ steps: ArraySlice<Step>, _ old: EntityState?, _ new: EntityState, keys: DeviceKeys,
        in db: inout LogConnection
    ) throws(LogError) {
        var dots = old?.stamps.map { $0.dot } ?? []
        for step in steps {
            if case .change(_, let stamp) = step.action { dots.append(stamp.dot) }
        }
        try OverwrittenEvents.add(
            dots, keys: keys, unknownTo: new, of: steps[steps.startIndex].entity, in: &db)
    }
}
