public import MacrologEvents

/// A kind of entity, declared once: its fields and their bounds, its names, the types of its events, the
/// day it belongs to, and the ids that devices share.
///
/// Each declaration stands with its entity: `Kind.meal` in `Meal.swift`. Entities of other kinds are stored,
/// merged and relayed unread.
public final class Kind: Sendable {
    /// The word in events.
    public let name: UTF8Text
    /// The name for people: `weigh-in`.
    public let title: String
    /// The fields, nutrients included, except those a person defined.
    package let fields: [FieldSpec]
    /// Whether entities of the kind hold nutrients, one field each.
    public let holdsNutrients: Bool
    /// The field that says to which day an entity belongs; `nil` where none does.
    package let dayField: FieldSpec?
    /// How devices that never synced derive one id for one thing.
    package let sharedIDs: [SharedID]
    /// Whether one that was never recorded, or that an undo has deleted, reads as its defaults: it can
    /// always be saved.
    package let hasDefaults: Bool
    private let whole: Whole?
    /// The type of the event that adds one: `meal.added`.
    let added: UTF8Text
    /// Types of other events, of which the first that applies is used.
    let otherTypes: [EventRule]
    /// What is wrong with the fields together.
    let check: (@Sendable (ValueMap, Day) -> [Finding])?
    let table: FieldTable
    private let required: [FieldSpec]

    /// The whole that a part names: a change of the part says that the whole exists, so that a concurrent
    /// deletion of the whole does not silently delete the part too.
    struct Whole: Sendable {
        /// The kind of the whole, as in events.
        let kind: UTF8Text
        /// The field with its id.
        let field: UTF8Text

        init(_ kind: UTF8Text, _ field: Field<Identifier>) {
            self.kind = kind
            self.field = field.spec.name
        }
    }

    init(
        _ name: UTF8Text, title: String? = nil, added: UTF8Text, otherTypes: [EventRule] = [],
        day: FieldSpec? = nil, partOf whole: Whole? = nil, sharedIDs: [SharedID] = [],
        hasDefaults: Bool = false,
        check: (@Sendable (ValueMap, Day) -> [Finding])? = nil, @FieldList fields: () -> [FieldSpec]
    ) {
        let fields = fields()
        self.name = name
        self.title = title ?? name.spaced.string
        self.fields = fields
        holdsNutrients = fields.contains { $0.name == Nutrient.energy.key }
        dayField = day
        self.sharedIDs = sharedIDs
        self.hasDefaults = hasDefaults
        self.whole = whole
        self.added = added
        self.otherTypes = otherTypes
        self.check = check
        table = FieldTable(fields)
        required = fields.filter { $0.isRequired }
    }

    /// The field of a name; `nil` for one this version does not know.
    public func field(_ name: UTF8Text) -> FieldSpec? {
        if let spec = table.find(name) { return spec }
        guard holdsNutrients, let nutrient = Nutrient(key: name) else { return nil }
        return FieldSpec(nutrient)
    }

    /// The kind of which entities of this one are parts.
    public var partOf: UTF8Text? { whole?.kind }

    /// The entity of which one with these fields is a part; `nil` where it is none.
    package func whole(of fields: ValueMap) -> EntityKey? {
        guard let whole, let id = fields[whole.field]?.bytes.flatMap({ Identifier(bytes: $0) })
        else { return nil }
        return EntityKey(whole.kind, id)
    }

    /// Whether the fields that an entity cannot do without are there and well formed.
    func isComplete(_ fields: ValueMap) -> Bool {
        for index in required.indices {
            guard let value = fields[required[index].name],
                required[index].shape.isReadable(value)
            else { return false }
        }
        return true
    }
}

extension Kind: Hashable {
    /// There is one object for each kind.
    public static func == (left: Kind, right: Kind) -> Bool { left === right }

    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension Kind {
    /// The kinds this version knows.
    package static let all: [Kind] = [
        profile, preferences, goalPlan, food, meal, mealItem, weighIn, dayLog, foodPortion, recipe,
        recipeItem, mealTemplate, planEntry, photo, analysis, bodyFat, bodyMeasure, ketone,
        activity,
        energyDay, checkIn, water, fast, reminder, recommendation, customNutrient, importBatch,
        device,
    ]

    /// The kind of a word in events; `nil` for one this version does not know.
    ///
    /// Every change that is folded asks for its kind, so the words are collected once.
    public static func named(_ name: UTF8Text) -> Kind? {
        for (index, word) in words.enumerated() where word == name { return all[index] }
        return nil
    }

    private static let words = all.map { $0.name }
}

/// Fields of any type, listed in the order of display.
@resultBuilder
enum FieldList {
    static func buildExpression<Content>(_ field: Field<Content>) -> [FieldSpec] { [field.spec] }

    /// Several kinds share a list of fields.
    static func buildExpression(_ shared: [FieldSpec]) -> [FieldSpec] { shared }

    static func buildBlock(_ parts: [FieldSpec]...) -> [FieldSpec] { parts.flatMap { $0 } }
}
