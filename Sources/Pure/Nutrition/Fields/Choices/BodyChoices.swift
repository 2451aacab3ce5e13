public import MacrologEvents

/// Where the body is measured. Field `kind`.
public enum MeasureKind: Choice {
    /// Around the waist.
    case waist
    /// Around the hips.
    case hips
    /// Around the neck.
    case neck
    /// Around the chest.
    case chest
    /// Around the upper arm.
    case arm
    /// Around the thigh.
    case thigh

    /// The word as stored.
    public var name: Text {
        switch self {
        case .waist: "waist"
        case .hips: "hips"
        case .neck: "neck"
        case .chest: "chest"
        case .arm: "arm"
        case .thigh: "thigh"
        }
    }
}

/// What ketones were measured in. Field `method`.
public enum KetoneMethod: Choice {
    /// Beta-hydroxybutyrate in blood: the only one that says whether somebody is in ketosis.
    case blood
    /// Acetoacetate in urine.
    case urine
    /// Acetone in breath.
    case breath

    /// The word as stored.
    public var name: Text {
        switch self {
        case .blood: "blood"
        case .urine: "urine"
        case .breath: "breath"
        }
    }
}

/// What the energy of an activity counts. Field `energy_kind`.
public enum EnergyKind: Choice {
    /// What it added to the rest of the day.
    case active
    /// What the body used meanwhile, rest included.
    case gross

    /// The word as stored.
    public var name: Text {
        switch self {
        case .active: "active"
        case .gross: "gross"
        }
    }
}
