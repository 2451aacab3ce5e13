public import MacrologEvents
import MacrologReadModels

extension UndoResult {
    /// A field that an undo or a redo changed.
    public struct Field: Hashable, Sendable {
        /// The entity.
        public let entity: EntityKey
        /// The field's key.
        public let field: Text
        /// The value before the undo; `.null` for none.
        public let old: Value
        /// The value after the undo; `.null` for none.
        public let new: Value
    }

    /// The maximum number of changes whose old values are looked up.
    private static let changesMax = 20

    /// The result of a plan that has not been recorded yet.
    init(
        type: Text, events: Int, _ plan: UndoableAction.Plan, in store: inout Store
    ) throws {
        var fields: [Field] = []
        for change in plan.changes.prefix(Self.changesMax) {
            let state = try store.state(of: change.entity)
            for case .set(let values) in change.operations {
                fields += values.entries.map {
                    Field(
                        entity: change.entity, field: $0.name, old: state?[$0.name] ?? .null,
                        new: $0.value)
                }
            }
        }
        self.init(
            type: type, events: events, entities: plan.entities, fields: fields,
            skipped: plan.skipped)
    }
}
