public import MacrologEvents

/// What a newer version of the software wrote about an entity, and this version stores and syncs
/// but cannot show. Editing the entity here leaves it as it is, because only changed fields are
/// written.
public struct NewerParts: Hashable, Sendable {
    /// The fields that this version does not know, in canonical order of their names.
    public let fields: [UTF8Text]
    /// Whether the entity has an operation that this version does not know.
    public let hasUnknownVerb: Bool

    /// What a newer version wrote.
    package init(fields: [UTF8Text], hasUnknownVerb: Bool) {
        self.fields = fields
        self.hasUnknownVerb = hasUnknownVerb
    }
}
