public import MacrologEvents

/// What changes of an entity, by which the type of the event is chosen.
struct Edit {
    /// The fields before; `nil` for a new entity.
    let old: ValueMap?
    let new: ValueMap
    let changed: [UTF8Text]

    /// Whether nothing but these fields changes.
    func isOnly(_ names: [UTF8Text]) -> Bool { changed.allSatisfy { names.contains($0) } }
}

/// An event with a type of its own, such as `meal.consumed`.
struct EventRule: Sendable {
    let type: UTF8Text
    let applies: @Sendable (Edit) -> Bool

    init(_ type: UTF8Text, _ applies: @escaping @Sendable (Edit) -> Bool) {
        self.type = type
        self.applies = applies
    }
}

/// The types of events. They decide nothing: people read them.
extension Kind {
    /// What every kind of entity goes through.
    package enum Verb: String, CaseIterable, Sendable {
        /// The entity is new.
        case added
        /// Some of its fields change.
        case edited
        /// It is hidden on every device.
        case deleted
        /// It is shown again.
        case restored
    }

    /// The type of an event: `meal.edited`, `recipe.item_edited`.
    package func type(_ verb: Verb) -> UTF8Text {
        guard verb != .added else { return added }
        let bytes = Array(added.string.utf8)
        let end = bytes.lastIndex { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "_") } ?? 0
        return UTF8Text(String(decoding: bytes[...end], as: UTF8.self) + verb.rawValue)
    }

    /// The type of the event that turns an entity's fields into others, or adds an entity.
    ///
    /// - Parameter changed: The names of the fields that differ.
    package func type(from old: ValueMap?, to new: ValueMap, changed: [UTF8Text]) -> UTF8Text {
        let edit = Edit(old: old, new: new, changed: changed)
        for rule in otherTypes where rule.applies(edit) { return rule.type }
        return type(old == nil ? .added : .edited)
    }

    /// The types of the events about entities of the kind.
    public var types: [UTF8Text] {
        var types: [UTF8Text] = []
        for next in Verb.allCases.map({ type($0) }) + otherTypes.map({ $0.type })
        where !types.contains(next) {
            types.append(next)
        }
        return types
    }

    /// Every type of event that this version records.
    package static let eventTypes = Set(all.flatMap { $0.types })
}
