public import MacrologEvents

/// Every kind this version knows, with its fields and their bounds: the table that says what may be
/// recorded here, and what is quarantined when a peer sends it.
///
/// The fields themselves stand in `Lists`: what belongs to a person, to food, to a meal, to the body,
/// and to records.
public enum Catalogue {
    /// The fields of a kind, nutrients included, except those a person defined.
    public static func fields(of kind: Kind) -> [FieldSpec] {
        switch kind {
        case .profile: profile
        case .preferences: preferences
        case .goalPlan: goalPlan
        case .reminder: reminder
        case .recommendation: recommendation
        case .food: food
        case .foodPortion: foodPortion
        case .recipe: recipe
        case .recipeItem: recipeItem
        case .customNutrient: customNutrient
        case .meal: meal
        case .mealItem: mealItem
        case .mealTemplate: mealTemplate
        case .planEntry: planEntry
        case .photo: photo
        case .analysis: analysis
        case .weighIn: weighIn
        case .bodyFat: bodyFat
        case .bodyMeasure: bodyMeasure
        case .ketone: ketone
        case .activity: activity
        case .energyDay: energyDay
        case .water: water
        case .fast: fast
        case .dayLog: dayLog
        case .importBatch: importBatch
        case .device: device
        }
    }

    /// The field of a kind; `nil` for one this version does not know.
    public static func field(_ name: Text, of kind: Kind) -> FieldSpec? {
        if let spec = table(of: kind).find(name) { return spec }
        guard holdsNutrients(kind), let nutrient = Nutrient(key: name) else { return nil }
        return spec(of: nutrient)
    }

    static func table(of kind: Kind) -> FieldTable { tables[Int(kind.rawValue)] }

    private static let tables = Kind.allCases.map { FieldTable(fields(of: $0)) }

    /// Whether entities of the kind hold nutrients, one register each.
    public static func holdsNutrients(_ kind: Kind) -> Bool {
        kind == .food || kind == .meal || kind == .mealItem || kind == .recipeItem
    }
}

/// How the lists of fields are written.
extension Catalogue {
    static let nutrients: [FieldSpec] = Nutrient.known.map { spec(of: $0) }

    static func spec(of nutrient: Nutrient) -> FieldSpec {
        let soft: ClosedRange<Int64>? = nutrient == .energy ? 0...5_000_000 : nil
        return number(nutrient.key, nutrient.unit, nutrient.bounds, soft: soft)
    }

    static func number(
        _ name: Text, _ unit: FieldUnit, _ hard: ClosedRange<Int64>,
        soft: ClosedRange<Int64>? = nil, isRequired: Bool = false
    ) -> FieldSpec {
        FieldSpec(name, .number(unit, hard: hard, soft: soft), isRequired: isRequired)
    }

    static func text(
        _ name: Text, _ bytes: ClosedRange<Int>, lines: Bool = false, isRequired: Bool = false
    ) -> FieldSpec {
        FieldSpec(name, .text(bytes: bytes, lines: lines), isRequired: isRequired)
    }

    static func choice<C: Choice>(
        _ name: Text, _ type: C.Type, isRequired: Bool = false
    ) -> FieldSpec {
        FieldSpec(name, .choice(C.names), isRequired: isRequired)
    }

    static let localDate = FieldSpec("local_date", .localDate, isRequired: true)
    static let note = text("note", 0...4_000, lines: true)
    static let externalIDs = FieldSpec(
        "external_ids", .text(bytes: 1...120, lines: false), elementsMax: 20)
}
