/// An event that has not been recorded yet, without a dot, base and wall time: only what changes, and what
/// is wrong with it.
public struct Draft: Hashable, Sendable {
    /// The domain's event type: `meal.added`, `weight.logged` …
    package var type: UTF8Text
    /// The version of the type's meaning.
    package var version: Int64
    /// The changes.
    package var changes: [Change]
    /// The action that it is part of, if one action records several events.
    package var group: Identifier?
    /// What is unusual or wrong, field by field. A draft with a hard finding is refused before it reaches
    /// the log, which does not know the domain.
    package var findings: [Finding]
    /// Whether it is refused where an entity that it changes without restoring it is deleted: what is recorded
    /// of a deleted entity is not shown.
    package var refusesDeleted = false

    /// Memberwise initializer.
    package init(
        _ type: UTF8Text, version: Int64 = 1, _ changes: [Change], group: Identifier? = nil,
        findings: [Finding] = []
    ) {
        self.type = type
        self.version = version
        self.changes = changes
        self.group = group
        self.findings = findings
    }

    /// The same draft as a part of an action.
    package func grouped(_ group: Identifier?) -> Draft {
        var draft = self
        draft.group = group
        return draft
    }
}
