package import MacrologEvents
import MacrologLog
package import MacrologNutrition
import MacrologNutritionModels
import MacrologReadModels

/// Distinguishes what imports have written from what people have changed.
extension Diary {
    /// What imports last wrote about an entity, field by field, without undone imports.
    ///
    /// An event is an import's when it belongs to a group and names the origin of the entity.
    ///
    /// - Parameter origin: The field with the origin, which every import writes again.
    package func imported(_ entity: EntityKey, by origin: UTF8Text) throws(DiaryError)
        -> ValueMap
    {
        try withStore { store throws(LogError) in
            var said = ValueMap()
            for event in try store.history(of: entity).map({ $0.event }) where event.group != nil {
                guard try !UndoableAction.isUndone(event, in: &store) else { continue }
                for change in event.changes where change.entity == entity {
                    for case .set(let fields) in change.operations where fields[origin] != nil {
                        for field in fields.entries { said[field.name] = field.value }
                    }
                }
            }
            return said
        }
    }
}

/// Whether an entity that a file names by its id exists.
package enum Presence: Hashable, Sendable {
    /// Nothing is known of it.
    case absent
    /// It exists.
    case here
    /// A person has deleted it.
    case deleted
    /// It was added by an action that was undone, and no deletion of it stands.
    case undone
}

extension Diary {
    /// Whether an entity exists, and if not, why.
    package func presence<E: Entity>(of type: E.Type, _ id: Identifier) throws(DiaryError)
        -> Presence
    {
        try presence(of: EntityKey(E.kind.name, id))
    }

    /// Whether an entity exists, and if not, why.
    package func presence(of key: EntityKey) throws(DiaryError) -> Presence {
        try withStore { store throws(LogError) in
            guard let state = try store.state(of: key) else { return .absent }
            guard state.isDeleted else { return .here }
            let history = try store.history(of: key).map { $0.event }
            guard let dot = state.cell(.life)?.winner.stamp.dot,
                history.first(where: { $0.dot == dot })?.type == UndoableAction.type
            else { return .deleted }
            // The undone action may have restored what a person had deleted.
            for event in history.reversed() where !UndoableAction.isUndoOrRedo(event) {
                let life = event.changes.filter { $0.entity == key }.flatMap { $0.operations }
                    .last { $0 == .delete || $0 == .restore }
                guard let life, try !UndoableAction.isUndone(event, in: &store) else { continue }
                return life == .delete ? .deleted : .undone
            }
            return .undone
        }
    }

    /// Whether a field of an entity was ever written, though it may have been cleared since. What an undo cleared
    /// was not.
    package func wasWritten(_ field: UTF8Text, of key: EntityKey) throws(DiaryError) -> Bool {
        try withStore { store throws(LogError) in
            guard let winner = try store.state(of: key)?.cell(.field(field))?.winner else {
                return false
            }
            guard winner.value == .null else { return true }
            let history = try store.history(of: key)
            return history.first { $0.event.dot == winner.stamp.dot }?.event.type
                != UndoableAction.type
        }
    }

    /// An import of a file that this device started and that was interrupted before its end.
    package func interruptedImport(of type: UTF8Text, _ hash: [UInt8]) throws(DiaryError)
        -> InterruptedImport?
    {
        try withStore { store throws(LogError) in
            let device = store.log.device
            let open = try store.entities(ImportBatch.self).filter {
                $0.type == type && $0.fileHash == hash && $0.newRows == nil
            }
            for batch in open.reversed() {
                let key = EntityKey(Kind.importBatch.name, batch.id)
                guard let begun = try store.history(of: key).first,
                    begun.event.dot.device == device
                else { continue }
                var found = InterruptedImport(
                    batch: batch, isCompacted: store.log.mayBeCompacted(begun))
                if !found.isCompacted { try found.count(in: &store) }
                return found
            }
            return nil
        }
    }
}

/// An import that was interrupted before its end, and what it had recorded by then.
package struct InterruptedImport: Sendable {
    /// The note that it began; its id is the group of its events.
    package let batch: ImportBatch
    /// Whether it lies where payloads may have been dropped: it cannot be undone.
    package let isCompacted: Bool
    /// What it added, or restored.
    package private(set) var added: Set<EntityKey> = []
    /// What it changed.
    package private(set) var changed: Set<EntityKey> = []

    fileprivate init(batch: ImportBatch, isCompacted: Bool) {
        (self.batch, self.isCompacted) = (batch, isCompacted)
    }

    fileprivate mutating func count(in store: inout Store) throws(LogError) {
        let log = store.log
        for event in try log.group(batch.id, in: &store.db).map({ $0.event }) {
            let entities = event.changes.map { $0.entity }
            if Self.isAddition(event) {
                added.formUnion(entities)
            } else {
                changed.formUnion(entities)
            }
        }
    }

    /// Whether an event adds the entity of its first change, or restores it with new content.
    private static func isAddition(_ event: Event) -> Bool {
        guard let first = event.changes.first else { return false }
        return first.operations.contains(.restore)
            || event.type == Kind.named(first.entity.kind)?.type(.added)
    }
}
