public import MacrologEvents

/// Targets that a model proposed. Recorded once; only whether they were accepted changes.
public struct Recommendation: Entity {
    /// The kind.
    public static let kind = Kind.recommendation
    /// Names the entity in events.
    public let id: Identifier
    /// Every field, those this version does not know included.
    public internal(set) var fields: ValueMap

    /// Reads cells; `nil` when a target is missing.
    public init?(id: Identifier, fields: ValueMap) {
        guard fields.number("energy_mkcal") != nil, fields.number("protein_mg") != nil,
            fields.number("carbs_mg") != nil, fields.number("fat_mg") != nil
        else { return nil }
        self.id = id
        self.fields = fields
    }

    /// Proposed targets: energy in thousandths of a kilocalorie, masses in milligrams.
    public init(id: Identifier, energy: Int64, protein: Int64, carbs: Int64, fat: Int64) {
        self.id = id
        fields = [
            "energy_mkcal": .int(energy), "protein_mg": .int(protein), "carbs_mg": .int(carbs),
            "fat_mg": .int(fat),
        ]
    }

    /// Energy, in thousandths of a kilocalorie.
    public var energyMillikilocalories: Int64 {
        get { fields.number("energy_mkcal") ?? 0 }
        set { fields.put("energy_mkcal", newValue) }
    }

    /// Protein, in milligrams.
    public var proteinMilligrams: Int64 {
        get { fields.number("protein_mg") ?? 0 }
        set { fields.put("protein_mg", newValue) }
    }

    /// Carbohydrate, in milligrams.
    public var carbsMilligrams: Int64 {
        get { fields.number("carbs_mg") ?? 0 }
        set { fields.put("carbs_mg", newValue) }
    }

    /// Fat, in milligrams.
    public var fatMilligrams: Int64 {
        get { fields.number("fat_mg") ?? 0 }
        set { fields.put("fat_mg", newValue) }
    }

    /// Why, up to 4,000 bytes.
    public var reasoning: String? {
        get { fields.string("reasoning") }
        set { fields.put("reasoning", newValue) }
    }

    /// The adjustments: up to 20 lines of 1 to 500 bytes.
    public var adjustments: [String] {
        get { fields.strings("adjustments") }
        set { fields.put("adjustments", newValue) }
    }

    /// How sure the model is, in basis points from 0 to 10,000.
    public var confidenceBasisPoints: Int64? {
        get { fields.number("confidence_bp") }
        set { fields.put("confidence_bp", newValue) }
    }

    /// Carbohydrate before a workout, in milligrams.
    public var preWorkoutCarbsMilligrams: Int64? {
        get { fields.number("preworkout_carbs_mg") }
        set { fields.put("preworkout_carbs_mg", newValue) }
    }

    /// Protein after a workout, in milligrams.
    public var postWorkoutProteinMilligrams: Int64? {
        get { fields.number("postworkout_protein_mg") }
        set { fields.put("postworkout_protein_mg", newValue) }
    }

    /// What recovery needs, up to 500 bytes.
    public var recoveryFocus: String? {
        get { fields.string("recovery_focus") }
        set { fields.put("recovery_focus", newValue) }
    }

    /// Who proposed it, up to 60 bytes.
    public var provider: String? {
        get { fields.string("provider") }
        set { fields.put("provider", newValue) }
    }

    /// Whether the person took it.
    public var isAccepted: Bool {
        get { fields.flag("accepted") ?? false }
        set { fields.put("accepted", newValue) }
    }
}
