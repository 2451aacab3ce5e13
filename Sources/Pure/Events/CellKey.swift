/// The smallest part of an entity that two writers can disagree about.
public enum CellKey: Hashable, Sendable {
    /// Whether the entity exists.
    case life
    /// What a newer version did that this one does not understand.
    case newer
    /// The value of a field.
    case field(Text)
    /// Whether an element is in the set that a field is.
    case member(field: Text, element: Value)
}

extension Operation {
    /// The cells that the operation writes, and what it writes there. A deletion, and the absence
    /// of a member, write `true` and `false` as `protocol.md` §7 says.
    public var writes: [(cell: CellKey, value: Value)] {
        switch self {
        case .set(let fields): fields.entries.map { (.field($0.name), $0.value) }
        case .add(let field, let element): [(.member(field: field, element: element), true)]
        case .remove(let field, let element): [(.member(field: field, element: element), false)]
        case .delete: [(.life, false)]
        case .restore: [(.life, true)]
        case .unknown(let verb, _): [(.newer, .int(verb))]
        }
    }
}

extension CellKey: Comparable {
    /// Life, newer, fields in canonical order of their names, members by field and encoded element.
    public static func < (left: CellKey, right: CellKey) -> Bool {
        switch (left, right) {
        case (.field(let left), .field(let right)): ValueMap.precedes(left, right)
        case (.member(let leftField, let leftElement), .member(let rightField, let rightElement)):
            leftField == rightField
                ? precedes(leftElement, rightElement) : ValueMap.precedes(leftField, rightField)
        default: left.rank < right.rank
        }
    }

    private var rank: Int {
        switch self {
        case .life: 0
        case .newer: 1
        case .field: 2
        case .member: 3
        }
    }

    /// The bytewise order of the encodings, which for two texts needs no encoding.
    private static func precedes(_ left: Value, _ right: Value) -> Bool {
        if case .text(let left) = left, case .text(let right) = right {
            return ValueMap.precedes(left, right)
        }
        return encoded(left).lexicographicallyPrecedes(encoded(right))
    }

    private static func encoded(_ value: Value) -> [UInt8] {
        var writer = CBORWriter(capacity: 32)
        writer.value(value)
        return writer.bytes
    }
}
