/// The form of an entity in a request, derived from the declaration of its kind: the same keys and units in
/// which it is shown.
import MacrologEvents
import MacrologFaces
import MacrologNutrition

extension Schema {
    /// The members of a new entity.
    ///
    /// - Parameter without: Fields that a request does not set, such as the meal of an item.
    static func entity(_ kind: Kind, without: [UTF8Text] = [], more: [Member] = []) -> Schema {
        let fields = kind.fields.filter {
            !without.contains($0.name) && Nutrient(key: $0.name) == nil
        }
        var members = fields.flatMap { Schema.members(of: $0) }
        if kind.holdsNutrients { members.append(Member("nutrients", nutrients)) }
        return .object(members + more, title: kind.title)
    }

    private static func members(of spec: FieldSpec) -> [Member] {
        if spec.shape == .localDate { return localDate }
        let schema = Schema(spec)
        return [
            Member(
                FieldJSON.key(of: spec),
                spec.isSet ? .list(schema, countMax: spec.elementsMax ?? 0) : schema.orNull(spec),
                isRequired: spec.isRequired)
        ]
    }

    /// A field that an entity can do without may be null.
    private func orNull(_ spec: FieldSpec) -> Schema { spec.isRequired ? self : .nullable(self) }

    /// When something was: none of the members means now.
    private static let localDate = [
        Member("day", .nullable(.day), "The day that it counts for."),
        Member("occurred_at", .nullable(.instant), "When it was."),
        Member("zone", .nullable(.zone), "The IANA name of the time zone."),
        Member("utc_offset_min", .nullable(.number(-840...840, scale: 0)), "Minutes ahead of UTC."),
    ]

    /// Amounts of nutrients; null for one that is unknown.
    static let nutrients = Schema.object(
        Nutrient.known.map { nutrient in
            Member(
                nutrient.jsonKey,
                .nullable(
                    .number(nutrient.bounds, scale: nutrient.unit == .nanograms ? 6 : 3)))
        } + [
            Member(
                "own_nutrients",
                .list(
                    .object([
                        Member(
                            "nutrient", .text(3...42, pattern: "^x:[a-z0-9_]{1,40}$"),
                            isRequired: true),
                        Member(
                            "number", .nullable(.number(0...1_000_000_000_000, scale: 3)),
                            isRequired: true),
                    ]), countMax: 64))
        ], title: "nutrients")

    private static let amount = Schema.object(
        [
            Member("number", .number(0...1_000_000_000, scale: 3), isRequired: true),
            Member("unit", .plain(1...24), "g, ml, slice …", isRequired: true),
            Member("mass_g", .nullable(.number(0...50_000_000, scale: 3))),
        ], title: "amount")

    /// The form of one value of a field.
    private init(_ spec: FieldSpec) {
        switch spec.shape {
        case .flag: self = .flag
        case .number(let unit, let hard, _): self = .number(spec, unit, hard)
        case .text(let bytes, let lines): self = .plain(bytes, lines: lines)
        case .choice(let words): self = .choice(words.map(\.string))
        case .slot, .word: self = .word
        case .gtin: self = .text(8...14, pattern: "^[0-9]{8,14}$")
        case .zone: self = .zone
        case .day: self = .day
        case .instant: self = .instant
        case .reference: self = .id
        case .hash: self = .text(64...64, pattern: "^[0-9a-f]{64}$")
        case .localDate: self = .anyObject
        case .amount: self = Self.amount
        case .shares: self = Self.shares
        case .slots: self = Self.slots
        case .weekdays: self = Self.weekdayGoals
        case .totals: self = Self.nutrients
        case .nutrient: self = .text(1...40)
        case .items: self = Self.items
        case .lines: self = .list(.plain(1...500), countMax: 20)
        }
    }

    private static func number(
        _ spec: FieldSpec, _ unit: FieldUnit, _ hard: ClosedRange<Int64>
    ) -> Schema {
        switch spec.presentation {
        case .clock?: .clock
        case .weekday?: .choice(Day.weekdayNames)
        case .weekdays?: .list(.choice(Day.weekdayNames), countMax: 7)
        case .stored?: .number(hard, scale: 0)
        case .height?, nil:
            unit == .seconds
                ? .number(hard.lowerBound / 6...hard.upperBound / 6, scale: 1)
                : .number(hard, scale: unit.json.scale)
        }
    }

    private static let percent = Schema.number(0...10_050, scale: 2)

    private static let shares = Schema.object(
        ["protein_percent", "carbs_percent", "fat_percent"].map {
            Member($0, percent, isRequired: true)
        }, title: "shares")

    private static let slots = Schema.list(
        .object([
            Member("slot", .word, isRequired: true),
            Member("name", .plain(1...40), isRequired: true),
            Member("from_time", .clock, isRequired: true),
            Member("to_time", .clock, isRequired: true),
        ]), countMax: MealSlot.countMax)

    private static let weekdayGoals = Schema.list(
        .object(
            [Member("weekday", .choice(Day.weekdayNames), isRequired: true)]
                + GoalPlan.goals.flatMap { members(of: $0) }), countMax: 7)

    private static let items = Schema.list(
        .object([
            Member("name", .plain(1...200), isRequired: true),
            Member("food_id", .nullable(id)), Member("recipe_id", .nullable(id)),
            Member("amount", .nullable(amount)), Member("nutrients", nutrients),
        ]), countMax: TemplateItem.countMax)
}
