/// One thing that one device recorded: what changed, and what the device knew then. Immutable.
///
/// The domain's word for it (``type``) and the generic operations (``changes``) travel together, so
/// that a hub and an older client merge what they do not understand.
public struct Event: Hashable, Sendable {
    /// The event's name.
    public var dot: Dot
    /// What the device had folded when it recorded this.
    public var base: Base
    /// What the device's clock said, in milliseconds since 1970 UTC. Decides nothing by itself.
    public var wall: Int64
    /// The domain's word: `meal.added`, `weight.logged` …
    public var type: Text
    /// The version of the type's meaning, 1 or more.
    public var version: Int64
    /// What changed: at most one change for each entity.
    public var changes: [Change]
    /// The events of one action of the user share a group: shown and undone together.
    public var group: Identifier?
    /// Parts that a newer version added, in the order of their keys; kept as they came.
    public var extras: [Extra]

    /// A part of the body that this version does not know.
    public struct Extra: Hashable, Sendable {
        /// The key in the body's map, 8 or more.
        public let key: Int64
        /// The value.
        public let value: Value

        /// Pairs key and value. The keys below 8 are taken.
        public init(key: Int64, value: Value) {
            precondition(key >= 8, "the keys below 8 are taken")
            self.key = key
            self.value = value
        }
    }

    /// Collects the parts.
    public init(
        dot: Dot, base: Base, wall: Int64, type: Text, version: Int64 = 1, changes: [Change],
        group: Identifier? = nil, extras: [Extra] = []
    ) {
        self.dot = dot
        self.base = base
        self.wall = wall
        self.type = type
        self.version = version
        self.changes = changes
        self.group = group
        self.extras = extras
    }
}

/// What an entity is and which one: `meal 0190163d-…`.
public struct EntityKey: Hashable, Comparable, Sendable {
    /// The kind: `meal`, `food`, `weigh_in` …
    public let kind: Text
    /// Which one of its kind.
    public let id: Identifier

    /// Pairs kind and id.
    public init(_ kind: Text, _ id: Identifier) {
        self.kind = kind
        self.id = id
    }

    /// Kinds bytewise, then ids.
    public static func < (left: EntityKey, right: EntityKey) -> Bool {
        left.kind == right.kind ? left.id < right.id : left.kind < right.kind
    }
}

/// The operations of one event on one entity.
public struct Change: Hashable, Sendable {
    /// The entity changed.
    public let entity: EntityKey
    /// What is done to it, one or more; no cell is written twice.
    public let operations: [Operation]

    /// Pairs entity and operations.
    public init(_ entity: EntityKey, _ operations: [Operation]) {
        self.entity = entity
        self.operations = operations
    }
}

/// A generic verb: what every version of every client, and nothing more, must understand to merge.
public enum Operation: Hashable, Sendable {
    /// Gives fields new values. The last writer of each field wins.
    case set(ValueMap)
    /// Puts an element into the set that a field is.
    case add(field: Text, element: Value)
    /// Takes an element out of a set: every addition that this device had seen.
    case remove(field: Text, element: Value)
    /// Hides the entity, provided this device had seen every change made to it.
    case delete
    /// Says that the entity exists: undoes a deletion, and survives a concurrent one.
    case restore
    /// A verb of a newer version: kept and relayed, and the entity says so.
    case unknown(verb: Int64, arguments: [Value])
}
