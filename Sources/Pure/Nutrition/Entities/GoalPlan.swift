public import MacrologEvents

/// Targets from a day on. The plan in force on a day is the one that started last; see
/// ``GoalPlan/inForce(on:among:)``.
public struct GoalPlan: Entity {
    /// The kind.
    public static let kind = Kind.goalPlan
    /// Names the entity in events.
    public let id: Identifier
    /// Every field, those this version does not know included.
    public internal(set) var fields: ValueMap

    /// Reads cells; `nil` when the start is missing.
    public init?(id: Identifier, fields: ValueMap) {
        guard fields.day("start_date") != nil else { return nil }
        self.id = id
        self.fields = fields
    }

    /// A plan that starts on a day.
    public init(id: Identifier, startDate: Day) {
        self.id = id
        fields = ["start_date": .int(startDate.number)]
    }

    /// Takes over everything that another plan says of targets, but not when it began and why.
    public mutating func take(over other: GoalPlan) {
        for entry in other.fields.entries
        where !["start_date", "source", "rationale"].contains(entry.name) {
            fields[entry.name] = entry.value
        }
    }

    /// The first day the plan is in force.
    public var startDate: Day {
        get { fields.day("start_date") ?? .earliest }
        set { fields.put("start_date", newValue) }
    }

    /// How the targets are determined; fixed by default.
    public var mode: GoalMode? {
        get { fields.choice("mode") }
        set { fields.put("mode", choice: newValue) }
    }

    /// Energy, in thousandths of a kilocalorie from 0 to 20,000,000.
    public var energyMillikilocalories: Int64? {
        get { fields.number("energy_mkcal") }
        set { fields.put("energy_mkcal", newValue) }
    }

    /// Protein, in milligrams from 0 to 2,000,000.
    public var proteinMilligrams: Int64? {
        get { fields.number("protein_mg") }
        set { fields.put("protein_mg", newValue) }
    }

    /// Carbohydrate, in milligrams from 0 to 2,000,000.
    public var carbsMilligrams: Int64? {
        get { fields.number("carbs_mg") }
        set { fields.put("carbs_mg", newValue) }
    }

    /// Fat, in milligrams from 0 to 2,000,000.
    public var fatMilligrams: Int64? {
        get { fields.number("fat_mg") }
        set { fields.put("fat_mg", newValue) }
    }

    /// Fibre, in milligrams from 0 to 500,000.
    public var fiberMilligrams: Int64? {
        get { fields.number("fiber_mg") }
        set { fields.put("fiber_mg", newValue) }
    }

    /// Sodium, in milligrams from 0 to 50,000.
    public var sodiumMilligrams: Int64? {
        get { fields.number("sodium_mg") }
        set { fields.put("sodium_mg", newValue) }
    }

    /// Water to drink, in microlitres from 0 to 20,000,000.
    public var waterMicroliters: Int64? {
        get { fields.number("water_ul") }
        set { fields.put("water_ul", newValue) }
    }

    /// The shares of energy in percent mode; the profile's, when not set.
    public var macroShares: MacroShares? {
        get { fields["macro_pct"].flatMap { MacroShares($0) } }
        set { fields["macro_pct"] = newValue?.value }
    }

    /// The deficit (negative) or surplus, in thousandths of a kilocalorie, ±3,000,000.
    public var energyAdjustMillikilocalories: Int64? {
        get { fields.number("energy_adjust_mkcal") }
        set { fields.put("energy_adjust_mkcal", newValue) }
    }

    /// The deficit (negative) or surplus as a share of base and activity, in basis points, ±5,000;
    /// see ``EnergyAim``. It is added to ``energyAdjustMillikilocalories``.
    public var energyAdjustBasisPoints: Int64? {
        get { fields.number("energy_adjust_bp") }
        set { fields.put("energy_adjust_bp", newValue) }
    }

    /// Which side of the energy target is the good one.
    public var direction: GoalDirection? {
        get { fields.choice("direction") }
        set { fields.put("direction", choice: newValue) }
    }

    /// Different goals for some weekdays.
    public var weekdayGoals: WeekdayGoals? {
        get { fields["weekday_overrides"].flatMap { WeekdayGoals($0) } }
        set { fields["weekday_overrides"] = newValue?.value }
    }

    /// Who set the plan.
    public var source: GoalSource? {
        get { fields.choice("source") }
        set { fields.put("source", choice: newValue) }
    }

    /// Why, in up to 2,000 bytes.
    public var rationale: String? {
        get { fields.string("rationale") }
        set { fields.put("rationale", newValue) }
    }
}
