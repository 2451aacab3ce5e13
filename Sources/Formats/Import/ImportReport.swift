public import MacrologEvents
public import MacrologNutrition

/// What becomes, or became, of one row.
public struct ImportRow: Hashable, Sendable {
    /// What becomes of it.
    public enum Outcome: Hashable, Sendable {
        /// Not there yet, or deleted and brought back: its import was undone, or the options ask for it.
        case new(wasDeleted: Bool)
        /// There, and equal.
        case same
        /// There with other values; these fields change, all others stay.
        case changed([ImportEdit])
        /// Deleted by a person since, and left so.
        case deleted
        /// Not imported, and why.
        case rejected([RowFinding])
    }

    /// What the row says.
    public enum Content: Hashable, Sendable {
        /// Something eaten.
        case meal(Meal)
        /// A body mass.
        case weighIn(WeighIn)
        /// Something drunk.
        case water(Water)
        /// A food.
        case food(Food)
        /// A household measure of a food.
        case portion(FoodPortion)
        /// A recipe.
        case recipe(Recipe)
        /// A part of a recipe.
        case ingredient(RecipeItem)

        /// The entity that the row becomes.
        var entity: EntityKey {
            switch self {
            case .meal(let meal): EntityKey(Kind.meal.name, meal.id)
            case .weighIn(let weighIn): EntityKey(Kind.weighIn.name, weighIn.id)
            case .water(let water): EntityKey(Kind.water.name, water.id)
            case .food(let food): EntityKey(Kind.food.name, food.id)
            case .portion(let portion): EntityKey(Kind.foodPortion.name, portion.id)
            case .recipe(let recipe): EntityKey(Kind.recipe.name, recipe.id)
            case .ingredient(let item): EntityKey(Kind.recipeItem.name, item.id)
            }
        }
    }

    /// The line on which the row begins, from 1.
    public let line: Int
    /// What becomes of it.
    public let outcome: Outcome
    /// The entry as it is after the import; `nil` when the row is rejected.
    public let content: Content?
    /// What is unusual about it; it is imported all the same.
    public let warnings: [String]

    /// Whether it becomes a new meal of which no nutrient is known.
    var isOfUnknownContent: Bool {
        guard case .new = outcome, case .meal(let meal)? = content else { return false }
        return meal.nutrients.entries.isEmpty
    }
}

/// One field that a row changes.
public struct ImportEdit: Hashable, Sendable {
    /// The kind of the entry.
    let kind: UTF8Text
    /// The field, as in events: `energy`, `weight_g`.
    public let field: UTF8Text
    /// What is there now; null for nothing.
    public let old: Value
    /// What the row says.
    public let new: Value

    /// Every field in which a row differs from the stored entity.
    static func all<E: Entity>(from old: E, to new: E) -> [ImportEdit] {
        var edits: [ImportEdit] = []
        for field in new.operations(since: old).flatMap(\.fields) {
            // Of a set each element is an operation of its own.
            if edits.contains(where: { $0.field == field.name }) { continue }
            edits.append(
                ImportEdit(
                    kind: E.kind.name, field: field.name, old: old.fields[field.name] ?? .null,
                    new: new.fields[field.name] ?? .null))
        }
        return edits
    }
}

/// How many rows became what.
public struct ImportSummary: Hashable, Sendable {
    /// What the rows become.
    public let kind: Kind
    /// Rows that are not there yet.
    public internal(set) var new = 0
    /// Rows that are there and equal.
    public internal(set) var same = 0
    /// Rows that are there with other values.
    public internal(set) var changed = 0
    /// Rows whose entry was deleted here, and stays so.
    public internal(set) var deleted = 0
    /// Rows that cannot be imported.
    public internal(set) var rejected = 0
    /// Rows that the filter leaves out.
    public internal(set) var excluded = 0
    /// What the person should know about the file as a whole.
    public internal(set) var notices: [String] = []
    /// The action that everything was recorded under, so that it can be undone as one; `nil` when
    /// nothing was recorded.
    public internal(set) var group: Identifier?

    /// All data rows of the file.
    public var total: Int { new + same + changed + deleted + rejected + excluded }

    mutating func count(_ outcome: ImportRow.Outcome) {
        switch outcome {
        case .new: new += 1
        case .same: same += 1
        case .changed: changed += 1
        case .deleted: deleted += 1
        case .rejected: rejected += 1
        }
    }
}

extension ImportEdit: CustomStringConvertible {
    /// `energy 456 kcal → 460 kcal`, for people.
    public var description: String {
        guard let old = Self.words(old, field, in: kind), let new = Self.words(new, field, in: kind)
        else { return "other \(title)" }
        return "\(title) \(old) → \(new)"
    }

    /// `protein stays 1 g, as you changed it; the file says 0.9 g`.
    var kept: String {
        guard let old = Self.words(old, field, in: kind), let new = Self.words(new, field, in: kind)
        else { return "\(title) stays as you changed it" }
        return "\(title) stays \(old), as you changed it; the file says \(new)"
    }

    private var title: String {
        field == "grams_mg" ? "mass" : Kind.title(of: field, in: kind)
    }

    /// The exact value; `nil` for one that has no words, such as a list of photos.
    fileprivate static func words(
        _ value: Value, _ field: UTF8Text, in kind: UTF8Text
    ) -> String? {
        let content = Kind.named(kind)?.field(field)?.content(of: value)
        switch content {
        case .localDate(let date)?:
            return date.day.description + (ClockTime.text(date).map { " " + $0 } ?? "")
        case .day(let day)?: return day.description
        case .instant(let instant)?: return OwnMoment(instant: instant, offset: nil).text
        case .amount(let amount)?:
            let mass = amount.unit == "g" ? nil : amount.milligrams
            return Decimal.text(amount.milli, places: 3) + " \(amount.unit)"
                + (mass.map { " (\(Decimal.text($0, places: 3)) g)" } ?? "")
        default: break
        }
        switch value {
        case .null: return "nothing"
        case .bool(let truth): return truth ? "yes" : "no"
        case .text(let text): return "\"\(text.string)\""
        case .int(let number):
            guard let unit = unit(content, field) else { return "\(number)" }
            return Decimal.text(number, places: unit.places) + unit.name
        case .array(let values):
            let texts = values.compactMap { $0.text?.string }
            guard texts.count == values.count else { return nil }
            return "\"\(texts.joined(separator: ", "))\""
        case .bytes, .map: return nil
        }
    }

    private static func unit(
        _ content: FieldContent?, _ field: UTF8Text
    ) -> (places: Int, name: String)? {
        let unit: FieldUnit? =
            switch content {
            case .number(_, let stored)?: stored
            case .height?: .millimeters
            default: Nutrient(key: field)?.unit
            }
        return switch unit {
        case .millikilocalories?: (3, " kcal")
        case .grams?: (3, " kg")
        case .milligrams?: (3, " g")
        case .nanograms?: (6, " mg")
        case .microliters?: (3, " ml")
        case .millimeters?: (1, " cm")
        case .basisPoints?: (2, " %")
        case .meters?: (3, " km")
        case .micromoles?: (3, " mmol/l")
        case .minutes?: (0, " min")
        case .thousandths?: (3, "")
        default: nil
        }
    }
}

extension ImportRow.Content {
    /// What is stored of a meal, a weigh-in or a drink, exactly: `2026-11-01 08:00, Oats, breakfast: energy 380 kcal,
    /// protein 13.5 g`. `nil` for other kinds.
    public var stored: String? {
        switch self {
        case .meal(let meal):
            let isEaten: [String?] = [meal.isConsumed ? nil : "not eaten"]
            return Self.text(
                meal.localDate, [meal.dishName, meal.slot?.string] + isEaten,
                meal.nutrients.entries.map(\.nutrient.key) + ["consumed_share_bp", "note"], meal)
        case .weighIn(let weighIn):
            return Self.text(weighIn.localDate, [], ["weight_g", "body_fat_bp", "note"], weighIn)
        case .water(let water):
            return Self.text(water.localDate, [water.container], ["volume_ul", "note"], water)
        case .food, .portion, .recipe, .ingredient: return nil
        }
    }

    private static func text<E: Entity>(
        _ date: LocalDate, _ words: [String?], _ names: [UTF8Text], _ entity: E
    ) -> String {
        let day = date.day.description + (ClockTime.text(date).map { " " + $0 } ?? "")
        let kind = E.kind.name
        let values = names.compactMap { name in
            entity.fields[name].flatMap { ImportEdit.words($0, name, in: kind) }
                .map { "\(Kind.title(of: name, in: kind)) \($0)" }
        }
        let head = ([day] + words.compactMap(\.self)).joined(separator: ", ")
        return values.isEmpty ? head : head + ": " + values.joined(separator: ", ")
    }
}
