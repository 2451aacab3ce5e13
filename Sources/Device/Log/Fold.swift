package import MacrologEvents
import MacrologWire
import MacrologSQLite

/// Folds a batch of changes into entities, one entity after the other: each is read once, changed
/// as often as the batch requires, and written once. The order of the changes makes no difference.
package struct Fold {
    /// What an event changes of an entity, or that an event which was folded before has been sealed.
    private struct Step {
        let entity: EntityKey
        /// The place of its event's stamp.
        let stamp: Int
        let operations: [CellOperation]
        let isSeal: Bool
        /// Whether the entity must not be deleted.
        let refusesDeleted: Bool
    }

    private var steps: [Step] = []
    private var stamps: [Stamp] = []
    /// Whether `steps` is in the order of the table, as it often is: ids are ordered by time.
    private var isSorted = true

    /// Nothing to fold yet; with room for some changes.
    package init(capacity: Int = 0) {
        steps.reserveCapacity(capacity)
        stamps.reserveCapacity(capacity)
    }

    /// Adds the changes of an event.
    ///
    /// - Parameter refusesDeleted: Whether to refuse them where one, without restoring it, changes an entity that
    ///   is deleted.
    package mutating func add(_ changes: [Change], stamp: Stamp, refusesDeleted: Bool = false) {
        add(changes, stamp, refusesDeleted: refusesDeleted)
    }

    mutating func seal(_ changes: [Change], _ stamp: Stamp) { add(changes, stamp, isSeal: true) }

    private mutating func add(
        _ changes: [Change], _ stamp: Stamp, isSeal: Bool = false, refusesDeleted: Bool = false
    ) {
        for change in changes {
            let restores = if case .restore? = change.operations.first { true } else { false }
            let step = Step(
                entity: change.entity, stamp: stamps.count, operations: change.operations,
                isSeal: isSeal, refusesDeleted: refusesDeleted && !restores)
            if isSorted, let last = steps.last, !Self.precedes(last, step) { isSorted = false }
            steps.append(step)
        }
        stamps.append(stamp)
    }

    private static func precedes(_ left: Step, _ right: Step) -> Bool {
        if left.entity.id != right.entity.id { return left.entity.id < right.entity.id }
        if left.entity.kind != right.entity.kind { return left.entity.kind < right.entity.kind }
        return left.stamp < right.stamp
    }

    /// Writes the entities and passes each to the updater.
    package mutating func flush(
        in db: inout LogConnection, keys: DeviceKeys,
        updating readModels: inout some ReadModelUpdater
    ) throws(LogError) {
        assert(db.isInTransaction)
        if !isSorted { steps.sort(by: Self.precedes) }
        var rows = FoldedRows()
        var first = 0
        // New entities often come in hundreds with adjacent ids: after one that is not stored,
        // looking up the next stored id shows that those between are not stored either. Entities of
        // several kinds may share an id.
        var nextStored: Identifier?
        while first < steps.count {
            let entity = steps[first].entity
            var end = first + 1
            while end < steps.count, steps[end].entity == entity { end += 1 }
            let mayBeStored = nextStored.map { entity.id < $0 } != true
            let old = mayBeStored ? try EntityTable.state(of: entity, in: &db) : nil
            if mayBeStored {
                nextStored =
                    old == nil && end < steps.count
                    ? try EntityTable.nextID(from: entity.id, in: &db) : nil
            }
            if old?.isDeleted == true, (first..<end).contains(where: { steps[$0].refusesDeleted }) {
                throw LogError(.deleted(entity))
            }
            let new = folded(first..<end, into: old)
            // A seal can only change which of several writes are left and which one wins.
            let isOnlySealed =
                old?.mayConflict == false && (first..<end).allSatisfy { steps[$0].isSeal }
            // The state of an entity names the event that created it.
            if !isOnlySealed, old != nil || end > first + 1 || new.isEmpty {
                try noteOverwritten(first..<end, old, new, keys: keys, &rows, in: &db)
            }
            let isChanged = if let old { new != old } else { true }
            if isChanged {
                rows.store(new, was: old, for: entity)
                if !isOnlySealed { try readModels.update(entity, from: old, to: new, in: &db) }
            }
            if rows.isFull { try rows.write(in: &db) }
            first = end
        }
        try rows.write(in: &db)
        steps.removeAll(keepingCapacity: true)
        stamps.removeAll(keepingCapacity: true)
        isSorted = true
    }

    private func folded(_ steps: Range<Int>, into old: EntityState?) -> EntityState {
        var new = EntityState()
        if let old { new = old }
        for index in steps {
            let stamp = stamps[self.steps[index].stamp]
            if self.steps[index].isSeal {
                if let seal = stamp.seal { new.seal(stamp.dot, seal) }
            } else {
                new.fold(self.steps[index].operations, stamp: stamp)
            }
        }
        return new
    }

    /// Stores the dots of the events that the state named before, or that have just been folded,
    /// and that it does not name now.
    private func noteOverwritten(
        _ steps: Range<Int>, _ old: EntityState?, _ new: EntityState, keys: DeviceKeys,
        _ rows: inout FoldedRows, in db: inout LogConnection
    ) throws(LogError) {
        let entity = self.steps[steps.lowerBound].entity
        let dots = steps.lazy.filter { !self.steps[$0].isSeal }.map {
            stamps[self.steps[$0].stamp].dot
        }
        let before = (old?.stamps ?? []).lazy.map { $0.dot }
        try OverwrittenEvents.add(
            before, keys: keys, unknownTo: new, of: entity, to: &rows, in: &db)
        try OverwrittenEvents.add(dots, keys: keys, unknownTo: new, of: entity, to: &rows, in: &db)
    }
}
