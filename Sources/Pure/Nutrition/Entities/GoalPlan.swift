public import MacrologEvents

extension Kind {
    /// Goals from a day on.
    public static let goalPlan = Kind(
        "goal_plan", title: "goal", added: "goal.set", check: GoalPlan.check
    ) {
        GoalPlan.startDate
        GoalPlan.mode
        GoalPlan.macroShares
        GoalPlan.energyAdjustMillikilocalories
        GoalPlan.energyAdjustBasisPoints
        GoalPlan.direction
        GoalPlan.weekdayGoals
        GoalPlan.source
        GoalPlan.rationale
        GoalPlan.goals
        GoalPlan.burnedMillikilocalories
        GoalPlan.steps
    }
}

/// Targets from a day on. The plan in force on a day is the one that started last; see
/// ``GoalPlan/inForce(on:among:)``.
public struct GoalPlan: Entity {
    /// `goal_plan` in events: its fields with their units and bounds.
    public static let kind = Kind.goalPlan
    /// Names the entity in events.
    public let id: Identifier
    /// Every field, those this version does not know included.
    public internal(set) var fields: ValueMap

    static let startDate = Field.day("start_date").shown(key: "from").required(else: .earliest)
    static let mode = Field<GoalMode?>.choice("mode").assuming(.fixed)
    static let macroShares = Field.shares("macro_pct").shown(as: "shares", key: "shares")
    static let energyAdjustMillikilocalories = Field.number(
        "energy_adjust_mkcal", .millikilocalories, -3_000_000...3_000_000
    ).shown(as: "adjustment", key: "adjust_kcal")
    static let energyAdjustBasisPoints = Field.number(
        "energy_adjust_bp", .basisPoints, -5_000...5_000, soft: -2_500...2_500
    ).shown(as: "aim", key: "adjust_percent")
    static let direction = Field<GoalDirection?>.choice("direction")
    static let weekdayGoals = Field<WeekdayGoals?>(
        FieldSpec("weekday_overrides", .weekdays), read: { $0.flatMap { WeekdayGoals($0) } },
        write: { $0.map { $0.value } }
    ).shown(key: "weekday_goals")
    static let source = Field<GoalSource?>.choice("source")
    static let rationale = Field.text("rationale", 0...2_000, lines: true)

    static let energyMillikilocalories = Field.number(
        "energy_mkcal", .millikilocalories, 0...20_000_000, soft: 1_200_000...6_000_000)
    static let proteinMilligrams = Field.number("protein_mg", .milligrams, 0...2_000_000)
    static let carbsMilligrams = Field.number("carbs_mg", .milligrams, 0...2_000_000)
    static let fatMilligrams = Field.number("fat_mg", .milligrams, 0...2_000_000)
    static let fiberMilligrams = Field.number("fiber_mg", .milligrams, 0...500_000)
    static let sodiumMilligrams = Field.number("sodium_mg", .milligrams, 0...50_000)
        .shown(key: "sodium_mg", .stored)
    static let waterMicroliters = Field.number("water_ul", .microliters, 0...20_000_000)

    static let burnedMillikilocalories = Field.number(
        "burned_mkcal", .millikilocalories, 0...20_000_000)
    static let steps = Field.number("steps", .count, 0...200_000)

    /// The goals, of which a weekday may have others.
    package static let goals = [
        energyMillikilocalories.spec, proteinMilligrams.spec, carbsMilligrams.spec,
        fatMilligrams.spec, fiberMilligrams.spec, sodiumMilligrams.spec, waterMicroliters.spec,
    ]

    static func check(_ fields: ValueMap, _ today: Day) -> [Finding] {
        guard let sum = energyOfMacros(contradicting: fields) else { return [] }
        return [
            Finding(
                .soft, kind: "goal_plan", field: "energy_mkcal",
                problem: "differs by more than 5 % from 4 P + 4 C + 9 F of the plan",
                hint: "type \(FieldUnit.millikilocalories.words(sum)), or change a macro")
        ]
    }

    /// The energy of the macros, where it differs by more than 5 % from the stated energy (§3.3).
    static func energyOfMacros(contradicting fields: ValueMap) -> Int64? {
        guard let energy = fields[energyMillikilocalories], let protein = fields[proteinMilligrams],
            let carbs = fields[carbsMilligrams], let fat = fields[fatMilligrams]
        else { return nil }
        let sum = Atwater.energy(protein: protein, carbs: carbs, fat: fat)
        return abs(Int128(energy) - Int128(sum)) > Int128(energy) / 20 ? sum : nil
    }

    /// Reads the stored fields; `nil` when the start is missing.
    public init?(id: Identifier, fields: ValueMap) {
        guard Self.kind.isComplete(fields) else { return nil }
        self.id = id
        self.fields = fields
    }

    /// A plan that starts on a day.
    public init(id: Identifier, startDate: Day) {
        self.id = id
        fields = ValueMap()
        self.startDate = startDate
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
        get { fields[Self.startDate] }
        set { fields[Self.startDate] = newValue }
    }

    /// How the targets are determined; fixed by default.
    public var mode: GoalMode? {
        get { fields[Self.mode] }
        set { fields[Self.mode] = newValue }
    }

    /// Energy, in thousandths of a kilocalorie from 0 to 20,000,000.
    public var energyMillikilocalories: Int64? {
        get { fields[Self.energyMillikilocalories] }
        set { fields[Self.energyMillikilocalories] = newValue }
    }

    /// Protein, in milligrams from 0 to 2,000,000.
    public var proteinMilligrams: Int64? {
        get { fields[Self.proteinMilligrams] }
        set { fields[Self.proteinMilligrams] = newValue }
    }

    /// Carbohydrate, in milligrams from 0 to 2,000,000.
    public var carbsMilligrams: Int64? {
        get { fields[Self.carbsMilligrams] }
        set { fields[Self.carbsMilligrams] = newValue }
    }

    /// Fat, in milligrams from 0 to 2,000,000.
    public var fatMilligrams: Int64? {
        get { fields[Self.fatMilligrams] }
        set { fields[Self.fatMilligrams] = newValue }
    }

    /// Fibre, in milligrams from 0 to 500,000.
    public var fiberMilligrams: Int64? {
        get { fields[Self.fiberMilligrams] }
        set { fields[Self.fiberMilligrams] = newValue }
    }

    /// Sodium, in milligrams from 0 to 50,000.
    public var sodiumMilligrams: Int64? {
        get { fields[Self.sodiumMilligrams] }
        set { fields[Self.sodiumMilligrams] = newValue }
    }

    /// Water to drink, in microlitres from 0 to 20,000,000.
    public var waterMicroliters: Int64? {
        get { fields[Self.waterMicroliters] }
        set { fields[Self.waterMicroliters] = newValue }
    }

    /// Energy to burn by activity at least, in thousandths of a kilocalorie from 0 to 20,000,000. It decides
    /// nothing about the energy to eat, nor whether a day meets its goal.
    public var burnedMillikilocalories: Int64? {
        get { fields[Self.burnedMillikilocalories] }
        set { fields[Self.burnedMillikilocalories] = newValue }
    }

    /// Steps to take at least, 0 to 200,000.
    public var steps: Int64? {
        get { fields[Self.steps] }
        set { fields[Self.steps] = newValue }
    }

    /// The shares of energy in percent mode; the profile's, when not set.
    public var macroShares: MacroShares? {
        get { fields[Self.macroShares] }
        set { fields[Self.macroShares] = newValue }
    }

    /// The deficit (negative) or surplus, in thousandths of a kilocalorie, ±3,000,000.
    public var energyAdjustMillikilocalories: Int64? {
        get { fields[Self.energyAdjustMillikilocalories] }
        set { fields[Self.energyAdjustMillikilocalories] = newValue }
    }

    /// The deficit (negative) or surplus as a share of base and activity, in basis points, ±5,000;
    /// see `EnergyAim`. It is added to ``energyAdjustMillikilocalories``.
    public var energyAdjustBasisPoints: Int64? {
        get { fields[Self.energyAdjustBasisPoints] }
        set { fields[Self.energyAdjustBasisPoints] = newValue }
    }

    /// Which side of the energy target is the good one.
    public var direction: GoalDirection? {
        get { fields[Self.direction] }
        set { fields[Self.direction] = newValue }
    }

    /// Different goals for some weekdays.
    public var weekdayGoals: WeekdayGoals? {
        get { fields[Self.weekdayGoals] }
        set { fields[Self.weekdayGoals] = newValue }
    }

    /// Who set the plan.
    public var source: GoalSource? {
        get { fields[Self.source] }
        set { fields[Self.source] = newValue }
    }

    /// Why, in up to 2,000 bytes.
    public var rationale: String? {
        get { fields[Self.rationale] }
        set { fields[Self.rationale] = newValue }
    }
}
