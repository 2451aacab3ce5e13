package import MacrologEvents
package import MacrologSQLite

/// Folds a batch of changes into entities, one entity after the other: each is read once, changed
/// as often as the batch says, and written once. In which order they come makes no difference.
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

    /// Notes what an event changes.
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

    /// Writes the entities and tells the projector of each.
    package mutating func flush(
        in db: inout Connection, keys: DeviceKeys, projecting projector: inout some Projector
    ) throws {
        // Neighbours in the table are folded as neighbours.
        if steps.count > 1 {
            steps.sort {
                if $0.entity.id != $1.entity.id { return $0.entity.id < $1.entity.id }
                if $0.entity.kind != $1.entity.kind { return $0.entity.kind < $1.entity.kind }
                return $0.index < $1.index
            }
        }
        var first = 0
        // New entities come by the hundred with neighbouring ids: after one that is not stored, a
        // look at the next id that is tells that those between aren't either. Entities of several
        // kinds may have one id.
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
            // What made an entity stands in it.
            if old != nil || end > first + 1 || new.cells.isEmpty {
                try noteOverwritten(steps[first..<end], old, new, keys: keys, in: &db)
            }
            if new != old {
                try EntityTable.store(new, was: old, for: entity, in: &db)
                try projector.project(entity, from: old, to: new, in: &db)
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

    /// Keeps the names of the events that the state knew before, or that have just been folded, and
    /// that it does not know now.
    private func noteOverwritten(
        _ steps: ArraySlice<Step>, _ old: EntityState?, _ new: EntityState, keys: DeviceKeys,
        in db: inout Connection
    ) throws {
        var dots = old?.stamps.map(\.dot) ?? []
        for step in steps {
            if case .change(_, let stamp) = step.action { dots.append(stamp.dot) }
        }
        try Touches.add(
            dots, keys: keys, unknownTo: new, of: steps[steps.startIndex].entity, in: &db)
    }
}
