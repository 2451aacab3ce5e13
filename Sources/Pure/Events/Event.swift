/// What one device recorded at one moment: the changes, and what the device had seen. Immutable.
///
/// An event contains both the domain's event type (``type``) and generic operations (`changes`),
/// so that a server or an older client can merge what it does not understand.
public struct Event: Hashable, Sendable {
    /// Its name: the recording device, and the number of the event there (`Stamp`).
    public var dot: Dot
    /// How much of the server's log the device had folded when it recorded the event.
    package var base: Base
    /// The device's wall clock, in milliseconds since 1970 UTC. It decides nothing by itself.
    public var wall: Int64
    /// The domain's event type: `meal.added`, `weight.logged` …
    public var type: UTF8Text
    /// The version of the type's meaning, 1 or more.
    package var version: Int64
    /// The changes: at most one for each entity.
    public var changes: [Change]
    /// The group: events of one user action, shown and undone together.
    public var group: Identifier?
    /// Parts that a newer version added, in the order of their keys; kept unchanged.
    package var extras: [Extra]

    /// A part of the body beyond those above: one that this version does not know, or `reissuedFrom`.
    package struct Extra: Hashable, Sendable {
        /// The key in the body's map, 8 or more.
        package let key: Int64
        /// The value.
        package let value: Value

        /// Pairs key and value. The keys below 8 are reserved.
        package init(key: Int64, value: Value) {
            precondition(key >= 8, "the keys below 8 are taken")
            self.key = key
            self.value = value
        }
    }

    /// Memberwise initializer.
    package init(
        dot: Dot, base: Base, wall: Int64, type: UTF8Text, version: Int64 = 1, changes: [Change],
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

/// The kind and id of an entity: `meal 0190163d-…`.
public struct EntityKey: Hashable, Comparable, Sendable {
    /// The kind: `meal`, `food`, `weigh_in` …
    public let kind: UTF8Text
    /// The id within the kind.
    public let id: Identifier

    /// Pairs kind and id.
    public init(_ kind: UTF8Text, _ id: Identifier) {
        self.kind = kind
        self.id = id
    }

    /// Orders by kind, bytewise, then by id.
    public static func < (left: EntityKey, right: EntityKey) -> Bool {
        left.kind == right.kind ? left.id < right.id : left.kind < right.kind
    }
}

/// The operations of one event on one entity.
public struct Change: Hashable, Sendable {
    /// The changed entity.
    public let entity: EntityKey
    /// The operations, one or more; no cell is written twice.
    public let operations: [CellOperation]

    /// Pairs entity and operations.
    package init(_ entity: EntityKey, _ operations: [CellOperation]) {
        self.entity = entity
        self.operations = operations
    }
}

/// A generic operation: all that a client of any version must understand to merge.
public enum CellOperation: Hashable, Sendable {
    /// Gives fields new values. The last writer of each field wins.
    case set(ValueMap)
    /// Adds an element to the set stored in a field.
    case add(field: UTF8Text, element: Value)
    /// Removes an element from a set: undoes every addition that the recording device had seen.
    case remove(field: UTF8Text, element: Value)
    /// Hides the entity, unless there is a change that the recording device had not seen.
    case delete
    /// Declares that the entity exists: undoes a deletion, and wins over a concurrent one.
    case restore
    /// An operation of a newer version: kept and relayed, and the entity is marked.
    case unknown(verb: Int64, arguments: [Value])

    /// The fields that it changes, each with its new value, or the element that is added or removed.
    package var fields: [ValueMap.Entry] {
        switch self {
        case .set(let fields): fields.entries
        case .add(let field, let element), .remove(let field, let element):
            [ValueMap.Entry(field, element)]
        case .delete, .restore, .unknown: []
        }
    }
}
