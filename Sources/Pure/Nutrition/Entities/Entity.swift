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
    /// Reads the registers that this version knows, except nutrients that a person defined; `nil`
    /// when one the entity cannot do without is missing or malformed.
    public init?(id: Identifier, fields: (Text) -> Value?) {
        var map = ValueMap()
        for spec in Catalogue.fields(of: Self.kind) {
            if let value = fields(spec.name) { map[spec.name] = value }
        }
        self.init(id: id, fields: map)
    }

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
            if Catalogue.field(entry.name, of: Self.kind)?.isSet == true {
                changes += FieldChange.between(before, entry.value, field: entry.name)
            } else {
                changes.append(.set(entry.name, entry.value))
            }
        }
        for entry in old.entries where !entry.value.isNull && fields[entry.name]?.isNull != false {
            if Catalogue.field(entry.name, of: Self.kind)?.isSet == true {
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
            findings += Catalogue.validate(
                kind: Self.kind.name, field: change.field, value: change.value)
        }
        return findings
            + Catalogue.crossCheck(kind: Self.kind.name, fields: { fields[$0] }, today: today)
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

/// How typed properties read and write registers.
extension ValueMap {
    func number(_ name: Text) -> Int64? { self[name]?.int }
    func string(_ name: Text) -> String? { self[name]?.text?.string }
    func flag(_ name: Text) -> Bool? { self[name]?.bool }
    func day(_ name: Text) -> Day? { number(name).flatMap { Day(number: $0) } }
    func identifier(_ name: Text) -> Identifier? {
        self[name]?.bytes.flatMap { Identifier(bytes: $0) }
    }
    func choice<C: Choice>(_ name: Text) -> C? { self[name]?.text.flatMap { C(name: $0) } }
    func strings(_ name: Text) -> [String] {
        (self[name]?.array ?? []).compactMap { $0.text?.string }
    }

    mutating func put(_ name: Text, _ number: Int64?) { self[name] = number.map { .int($0) } }
    mutating func put(_ name: Text, _ text: String?) { self[name] = text.map { .text(Text($0)) } }
    mutating func put(_ name: Text, _ flag: Bool?) { self[name] = flag.map { .bool($0) } }
    mutating func put(_ name: Text, _ day: Day?) { self[name] = day.map { .int($0.number) } }
    mutating func put(_ name: Text, _ id: Identifier?) {
        self[name] = id.map { .bytes($0.bytes) }
    }
    mutating func put(_ name: Text, choice: (some Choice)?) {
        self[name] = choice.map { .text($0.name) }
    }
    mutating func put(_ name: Text, _ elements: [String]) {
        self[name] = elements.isEmpty ? nil : .array(elements.map { .text(Text($0)) })
    }
}
