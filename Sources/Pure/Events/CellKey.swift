/// A cell: the smallest part of an entity about which two writers can disagree.
public enum CellKey: Hashable, Sendable {
    /// Whether the entity exists; JSON and the command line call it `existence`.
    case life
    /// Operations of a newer version that this one does not understand.
    case newer
    /// The value of a field.
    case field(UTF8Text)
    /// Whether an element is in the set stored in a field.
    case member(field: UTF8Text, element: Value)
}

extension CellOperation {
    /// The cells that the operation writes, and the values. Deletion and membership are written as
    /// `true` and `false`, as defined by `protocol.md` §7.
    package var writes: [(cell: CellKey, value: Value)] {
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
                ? leftElement.precedes(rightElement) : ValueMap.precedes(leftField, rightField)
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
}
