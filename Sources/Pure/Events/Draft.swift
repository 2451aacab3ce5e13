/// An event that has not been recorded yet: what somebody wants to say, before a device gives it
/// a name and a place in time.
public struct Draft: Hashable, Sendable {
    /// The domain's word: `meal.added`, `weight.logged` …
    public var type: Text
    /// The version of the type's meaning.
    public var version: Int64
    /// What changes.
    public var changes: [Change]
    /// The action that it is a part of, where one action records several events.
    public var group: Identifier?

    /// Collects the parts.
    public init(_ type: Text, version: Int64 = 1, _ changes: [Change], group: Identifier? = nil) {
        self.type = type
        self.version = version
        self.changes = changes
        self.group = group
    }
}
