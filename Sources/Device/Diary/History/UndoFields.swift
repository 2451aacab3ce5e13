import MacrologEvents
import MacrologLog
import MacrologNutritionModels
import MacrologReadModels

extension UndoResult {
    /// The maximum number of changes whose old values are looked up.
    private static let changesMax = 20

    /// The result of a plan that has not been recorded yet.
    init(
        type: UTF8Text, events: Int, _ plan: UndoableAction.Plan, skipped: [Skipped],
        in store: inout Store
    ) throws(LogError) {
        var fields: [ChangedField] = []
        for change in plan.changes.prefix(Self.changesMax)
        where !change.operations.contains(.delete) {
            let state = try store.state(of: change.entity)
            for case .set(let values) in change.operations {
                fields += values.entries.map {
                    ChangedField(
                        entity: change.entity, field: $0.name, old: state?[$0.name] ?? .null,
                        new: $0.value)
                }
            }
        }
        self.init(
            type: type, events: events, entities: plan.entities, fields: fields,
            skipped: skipped)
        leavesConflictResolved = plan.resolvesConflict
    }
}
