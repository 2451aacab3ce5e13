public import MacrologEvents

/// One entity of a known kind, read from its cells.
///
/// An entity is a value: read it, change the copy, and call ``changes(since:)``. Only the
/// differences become an event, so concurrent edits of other fields are kept, and fields that this
/// version does not know are unchanged.
public protocol Entity: Hashable, Sendable {
    /// The kind.
    static var kind: Kind { get }
    /// Names the entity in events.
    var id: Identifier { get }
    /// Every field, those this version does not know included. Sets are arrays.
    var fields: ValueMap { get }
    /// Reads cells; `nil` when one the entity cannot do without is missing or malformed.
    init?(id: Identifier, fields: ValueMap)
}

extension Entity {
    /// What turns the earlier state into this one, in the canonical order of field names; with no
    /// earlier state, everything this one holds.
    ///
    /// A field that went away is set to null. A set yields one addition or removal per element.
    public func changes(since earlier: Self? = nil) -> [FieldChange] {
        let old = earlier?.fields ?? ValueMap()
        var changes: [FieldChange] = []
        for entry in fields.entries where !entry.value.isNull {
            let before = old[entry.name] ?? .null
            guard before != entry.value else { continue }
            if Self.kind.field(entry.name)?.isSet == true {
                changes += FieldChange.between(before, entry.value, field: entry.name)
            } else {
                changes.append(.set(entry.name, entry.value))
            }
        }
        for entry in old.entries where !entry.value.isNull && fields[entry.name]?.isNull != false {
            if Self.kind.field(entry.name)?.isSet == true {
                changes += FieldChange.between(entry.value, .null, field: entry.name)
            } else {
                changes.append(.set(entry.name, .null))
            }
        }
        return changes
    }

    /// The findings: for every field alone, then for the fields together.
    ///
    /// - Parameter today: The local day, against which dates are judged.
    public func findings(today: Day) -> [Finding] {
        var findings: [Finding] = []
        for change in changes() {
            findings += Kind.validate(
                kind: Self.kind.name, field: change.field, value: change.value)
        }
        return findings
            + Self.kind.crossCheck(fields, today: today)
    }
}

/// One change to one field of an entity, as an event carries it.
public enum FieldChange: Hashable, Sendable {
    /// The field now holds this value; null unsets it.
    case set(Text, Value)
    /// The set gains this element.
    case add(Text, Value)
    /// The set loses this element.
    case remove(Text, Value)

    /// The field.
    public var field: Text {
        switch self {
        case .set(let field, _), .add(let field, _), .remove(let field, _): field
        }
    }

    /// The value, or the element.
    public var value: Value {
        switch self {
        case .set(_, let value), .add(_, let value), .remove(_, let value): value
        }
    }

    static func between(_ old: Value, _ new: Value, field: Text) -> [FieldChange] {
        let before = old.array ?? []
        let after = new.array ?? []
        let removed = before.filter { !after.contains($0) }.map { FieldChange.remove(field, $0) }
        return removed + after.filter { !before.contains($0) }.map { FieldChange.add(field, $0) }
    }
}
