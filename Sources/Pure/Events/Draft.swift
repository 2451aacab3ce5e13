/// An event that has not been recorded yet, without a dot, base and wall time.
public struct Draft: Hashable, Sendable {
    /// The domain's event type: `meal.added`, `weight.logged` …
    public var type: Text
    /// The version of the type's meaning.
    public var version: Int64
    /// The changes.
    public var changes: [Change]
    /// The action that it is part of, if one action records several events.
    public var group: Identifier?

    /// Memberwise initializer.
    public init(_ type: Text, version: Int64 = 1, _ changes: [Change], group: Identifier? = nil) {
        self.type = type
        self.version = version
        self.changes = changes
        self.group = group
    }
}
