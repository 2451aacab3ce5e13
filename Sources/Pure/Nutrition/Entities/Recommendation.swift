package import MacrologEvents

extension Kind {
    /// Targets that a model proposed.
    package static let recommendation = Kind(
        "ai_recommendation", title: "recommendation", added: "ai.recorded",
        otherTypes: Recommendation.eventRules, check: Recommendation.check
    ) {
        Recommendation.day
        Recommendation.energyMillikilocalories
        Recommendation.proteinMilligrams
        Recommendation.carbsMilligrams
        Recommendation.fatMilligrams
        Recommendation.reasoning
        Recommendation.adjustments
        Recommendation.confidenceBasisPoints
        Recommendation.preWorkoutCarbsMilligrams
        Recommendation.postWorkoutProteinMilligrams
        Recommendation.recoveryFocus
        Recommendation.provider
        Recommendation.isAccepted
    }
}

/// Targets that a model proposed. Recorded once; only whether they were accepted changes.
package struct Recommendation: Entity {
    /// `ai_recommendation` in events: its fields with their units and bounds.
    public static let kind = Kind.recommendation
    /// Names the entity in events.
    public let id: Identifier
    /// Every field, those this version does not know included.
    public internal(set) var fields: ValueMap

    static let day = Field.day("date").shown(key: "day")
    static let energyMillikilocalories = Field.number(
        "energy_mkcal", .millikilocalories, 0...20_000_000
    ).required(else: 0)
    static let proteinMilligrams = Field.number("protein_mg", .milligrams, 0...2_000_000)
        .required(else: 0)
    static let carbsMilligrams = Field.number("carbs_mg", .milligrams, 0...2_000_000)
        .required(else: 0)
    static let fatMilligrams = Field.number("fat_mg", .milligrams, 0...2_000_000)
        .required(else: 0)
    static let reasoning = Field.text("reasoning", 0...4_000, lines: true)
    static let adjustments = Field.texts("adjustments", .lines)
    static let confidenceBasisPoints = Field.number("confidence_bp", .basisPoints, 0...10_000)
    static let preWorkoutCarbsMilligrams = Field.number(
        "preworkout_carbs_mg", .milligrams, 0...2_000_000)
    static let postWorkoutProteinMilligrams = Field.number(
        "postworkout_protein_mg", .milligrams, 0...2_000_000)
    static let recoveryFocus = Field.text("recovery_focus", 0...500)
    static let provider = Field.text("provider", 0...60)
    static let isAccepted = Field.flag("accepted").otherwise(false)

    static let eventRules = [
        EventRule("ai.accepted") {
            $0.old != nil && $0.isOnly([isAccepted.spec.name]) && $0.new[isAccepted]
        }
    ]

    /// A model's answer whose energy does not match its macros is not used as advice (§3.3).
    static func check(_ fields: ValueMap, _ today: Day) -> [Finding] {
        guard GoalPlan.energyOfMacros(contradicting: fields) != nil else { return [] }
        return [
            Finding(
                .hard, kind: "ai_recommendation", field: "energy_mkcal",
                problem: "differs by more than 5 % from 4 P + 4 C + 9 F of the proposal",
                hint: "give targets that fit together; the formula is used instead")
        ]
    }

    /// Reads the stored fields; `nil` when a target is missing.
    public init?(id: Identifier, fields: ValueMap) {
        guard Self.kind.isComplete(fields) else { return nil }
        self.id = id
        self.fields = fields
    }

    /// Proposed targets: energy in thousandths of a kilocalorie, masses in milligrams.
    public init(id: Identifier, energy: Int64, protein: Int64, carbs: Int64, fat: Int64) {
        self.id = id
        fields = ValueMap()
        energyMillikilocalories = energy
        proteinMilligrams = protein
        carbsMilligrams = carbs
        fatMilligrams = fat
    }

    /// The day whose targets they are; `nil` for the day on which they were recorded.
    public var day: Day? {
        get { fields[Self.day] }
        set { fields[Self.day] = newValue }
    }

    /// Energy, in thousandths of a kilocalorie.
    public var energyMillikilocalories: Int64 {
        get { fields[Self.energyMillikilocalories] }
        set { fields[Self.energyMillikilocalories] = newValue }
    }

    /// Protein, in milligrams.
    public var proteinMilligrams: Int64 {
        get { fields[Self.proteinMilligrams] }
        set { fields[Self.proteinMilligrams] = newValue }
    }

    /// Carbohydrate, in milligrams.
    public var carbsMilligrams: Int64 {
        get { fields[Self.carbsMilligrams] }
        set { fields[Self.carbsMilligrams] = newValue }
    }

    /// Fat, in milligrams.
    public var fatMilligrams: Int64 {
        get { fields[Self.fatMilligrams] }
        set { fields[Self.fatMilligrams] = newValue }
    }

    /// Why, up to 4,000 bytes.
    public var reasoning: String? {
        get { fields[Self.reasoning] }
        set { fields[Self.reasoning] = newValue }
    }

    /// The adjustments: up to 20 lines of 1 to 500 bytes.
    public var adjustments: [String] {
        get { fields[Self.adjustments] }
        set { fields[Self.adjustments] = newValue }
    }

    /// How sure the model is, in basis points from 0 to 10,000.
    public var confidenceBasisPoints: Int64? {
        get { fields[Self.confidenceBasisPoints] }
        set { fields[Self.confidenceBasisPoints] = newValue }
    }

    /// Carbohydrate before a workout, in milligrams.
    public var preWorkoutCarbsMilligrams: Int64? {
        get { fields[Self.preWorkoutCarbsMilligrams] }
        set { fields[Self.preWorkoutCarbsMilligrams] = newValue }
    }

    /// Protein after a workout, in milligrams.
    public var postWorkoutProteinMilligrams: Int64? {
        get { fields[Self.postWorkoutProteinMilligrams] }
        set { fields[Self.postWorkoutProteinMilligrams] = newValue }
    }

    /// What recovery needs, up to 500 bytes.
    public var recoveryFocus: String? {
        get { fields[Self.recoveryFocus] }
        set { fields[Self.recoveryFocus] = newValue }
    }

    /// Who proposed it, up to 60 bytes.
    public var provider: String? {
        get { fields[Self.provider] }
        set { fields[Self.provider] = newValue }
    }

    /// Whether the person took it.
    public var isAccepted: Bool {
        get { fields[Self.isAccepted] }
        set { fields[Self.isAccepted] = newValue }
    }
}
