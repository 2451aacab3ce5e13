/// What an undo or a redo has done.
public struct UndoResult: Hashable, Sendable {
    /// The type of the action's first event, such as `meal.edited`.
    public let type: UTF8Text
    /// How many events the action had.
    package let events: Int
    /// The entities whose cells were reset.
    public let entities: [EntityKey]
    /// The fields that were changed; of an action on very many entities, those of the first few.
    public let fields: [ChangedField]
    /// The cells that were left as they are, because another event has changed them since, or because one that had
    /// not seen the action wrote the same.
    public let skipped: [Skipped]
    /// Whether the action had resolved a conflict: that stays resolved, because the events of the undo have seen
    /// every value, too.
    public package(set) var leavesConflictResolved = false

    /// What an undo or a redo did.
    package init(
        type: UTF8Text, events: Int, entities: [EntityKey], fields: [ChangedField],
        skipped: [Skipped]
    ) {
        self.type = type
        self.events = events
        self.entities = entities
        self.fields = fields
        self.skipped = skipped
    }

    /// A field that an undo or a redo changed.
    public struct ChangedField: Hashable, Sendable {
        /// The entity that has it.
        public let entity: EntityKey
        /// The field's key.
        public let field: UTF8Text
        /// The value before the undo; `.null` for none.
        public let old: Value
        /// The value after the undo; `.null` for none.
        public let new: Value

        /// A field before and after.
        package init(entity: EntityKey, field: UTF8Text, old: Value, new: Value) {
            self.entity = entity
            self.field = field
            self.old = old
            self.new = new
        }
    }

    /// A cell that was left as it is.
    public struct Skipped: Hashable, Sendable {
        /// The entity that has it.
        public let entity: EntityKey
        /// The cell, which a later event has written.
        public let cell: CellKey

        /// A cell of an entity.
        package init(entity: EntityKey, cell: CellKey) {
            self.entity = entity
            self.cell = cell
        }
    }
}
