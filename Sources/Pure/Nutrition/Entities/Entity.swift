public import MacrologEvents

/// One entity of a known kind, read from its cells.
///
/// An entity is a value: read it, change the copy, and call `operations(since:)`. Only the
/// differences become an event, so concurrent edits of other fields are kept, and fields that this
/// version does not know are unchanged.
public protocol Entity: Hashable, Sendable {
    /// What events call it, and its fields with their units and bounds.
    static var kind: Kind { get }
    /// Names the entity in events.
    var id: Identifier { get }
    /// Every field, those this version does not know included. Sets are arrays.
    var fields: ValueMap { get }
    /// Reads the stored fields; `nil` when one the entity cannot do without is missing or malformed.
    init?(id: Identifier, fields: ValueMap)
}

extension Entity {
    /// What turns the earlier state into this one; with no earlier state, everything this one holds.
    ///
    /// Fields are set together, and one that went away is set to null. A set yields one addition or
    /// removal per element.
    package func operations(since earlier: Self? = nil) -> [CellOperation] {
        operations(since: earlier?.fields ?? ValueMap(), writesAll: false)
    }

    /// Whether anything differs from an earlier state, so that saving this one would record something.
    public func isChanged(since earlier: Self) -> Bool { !operations(since: earlier).isEmpty }

    /// Everything this one holds, and the removal of what an earlier one held besides: a deleted
    /// entity comes back with this content and nothing of its own.
    package func operations(replacing earlier: Self) -> [CellOperation] {
        operations(since: earlier.fields, writesAll: true)
    }

    private func operations(since old: ValueMap, writesAll: Bool) -> [CellOperation] {
        var values = ValueMap()
        var members: [CellOperation] = []
        func write(_ field: UTF8Text, from before: Value, to after: Value) {
            guard Self.kind.field(field)?.isSet == true else { return values[field] = after }
            members += CellOperation.members(
                of: field, from: before, to: after, writesAll: writesAll)
        }
        for entry in fields.entries where !entry.value.isNull {
            let before = old[entry.name] ?? .null
            if writesAll || before != entry.value {
                write(entry.name, from: before, to: entry.value)
            }
        }
        for entry in old.entries where !entry.value.isNull && fields[entry.name]?.isNull != false {
            write(entry.name, from: entry.value, to: .null)
        }
        return (values.entries.isEmpty ? [] : [.set(values)]) + members
    }

    /// The findings: for every field alone, then for the fields together.
    ///
    /// - Parameter today: The local day, against which dates are judged.
    public func findings(today: Day) -> [Finding] {
        var findings: [Finding] = []
        for field in operations().flatMap({ $0.fields }) {
            findings += Kind.validate(kind: Self.kind.name, field: field.name, value: field.value)
        }
        return findings + Self.kind.crossCheck(fields, today: today)
    }
}

extension CellOperation {
    /// What turns one set into another: removals, then additions. A set has an element once, however
    /// often it is listed.
    fileprivate static func members(
        of field: UTF8Text, from old: Value, to new: Value, writesAll: Bool
    ) -> [CellOperation] {
        let (before, after) = (old.array ?? [], (new.array ?? []).distinct)
        let removed = before.filter { !after.contains($0) }
        let added = writesAll ? after : after.filter { !before.contains($0) }
        return removed.map { .remove(field: field, element: $0) }
            + added.map { .add(field: field, element: $0) }
    }
}

extension [Value] {
    /// Each value once, in the order of first appearance.
    var distinct: [Value] {
        var seen: Set<Value> = []
        var values: [Value] = []
        for value in self where seen.insert(value).inserted { values.append(value) }
        return values
    }
}
