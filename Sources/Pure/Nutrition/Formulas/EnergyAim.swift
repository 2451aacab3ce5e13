/// What a person wants of their weight, as the share of energy to add or leave out.
///
/// Shares as calorie counters commonly use them; a person may state any other.
public enum EnergyAim: CaseIterable, Hashable, Sendable {
    /// To stay: 0 %.
    case maintain
    /// To lose fat and gain muscle: −10 %.
    case recomposition
    /// To lose: −15 %.
    case cut
    /// To lose faster: −20 %.
    case highCut
    /// To gain slowly: +10 %.
    case leanBulk
    /// To gain: +20 %.
    case bulk

    /// The word on a command line.
    public var name: String {
        switch self {
        case .maintain: "maintain"
        case .recomposition: "recomposition"
        case .cut: "cut"
        case .highCut: "high-cut"
        case .leanBulk: "lean-bulk"
        case .bulk: "bulk"
        }
    }

    /// The share, in basis points, as ``GoalPlan/energyAdjustBasisPoints`` holds it.
    public var basisPoints: Int64 {
        switch self {
        case .maintain: 0
        case .recomposition: -1_000
        case .cut: -1_500
        case .highCut: -2_000
        case .leanBulk: 1_000
        case .bulk: 2_000
        }
    }
}

/// Protein and fat for a kind of training, with the reasons that go with them. A person's own numbers
/// go before these.
///
/// Source: the three example profiles of AirFit's nutrition design.
public enum MacroProfile: CaseIterable, Hashable, Sendable {
    /// 1.3 g of protein per pound, 25 % fat.
    case strength
    /// 1.1 g of protein per pound, 30 % fat.
    case weightLoss
    /// 0.8 g of protein per pound, 25 % fat.
    case endurance

    /// The word on a command line.
    public var name: String {
        switch self {
        case .strength: "strength"
        case .weightLoss: "loss"
        case .endurance: "endurance"
        }
    }

    /// Protein per pound of body mass, in milligrams.
    public var proteinMilligramsPerPound: Int64 {
        switch self {
        case .strength: 1_300
        case .weightLoss: 1_100
        case .endurance: 800
        }
    }

    /// Fat's share of energy, in basis points.
    public var fatBasisPoints: Int64 { self == .weightLoss ? 3_000 : 2_500 }

    /// The name of the approach, to be shown.
    public var approach: String {
        switch self {
        case .strength: "Fuel for growth"
        case .weightLoss: "Sustainable deficit"
        case .endurance: "Endurance fuel"
        }
    }

    /// Why these numbers fit this training, in a sentence.
    public var rationale: String {
        switch self {
        case .strength:
            "More protein supports muscle growth and recovery; moderate fat leaves room for carbohydrate."
        case .weightLoss:
            "More protein keeps muscle while weight goes down; balanced fat keeps meals filling."
        case .endurance:
            "Moderate protein covers recovery; less fat leaves more carbohydrate for long efforts."
        }
    }

    /// How strictly targets are applied.
    public var flexibilityNotes: String {
        switch self {
        case .strength: "Reach protein daily; carbohydrate and fat may balance over the week."
        case .weightLoss: "Weekly averages matter; one high day changes little."
        case .endurance: "Place carbohydrate around training."
        }
    }

    /// Writes the two numbers into a profile.
    public func apply(to profile: inout Profile) {
        profile.proteinMilligramsPerPound = proteinMilligramsPerPound
        profile.fatBasisPoints = fatBasisPoints
    }
}
