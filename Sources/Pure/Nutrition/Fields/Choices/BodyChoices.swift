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
    public var name: UTF8Text {
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

/// How ketones were measured. Field `method`.
public enum KetoneMethod: Choice {
    /// Beta-hydroxybutyrate in blood: the only value that says whether a person is in ketosis.
    case blood
    /// Acetoacetate in urine.
    case urine
    /// Acetone in breath.
    case breath

    /// The word as stored.
    public var name: UTF8Text {
        switch self {
        case .blood: "blood"
        case .urine: "urine"
        case .breath: "breath"
        }
    }
}

/// What the energy of an activity includes. Field `energy_kind`.
public enum EnergyKind: Choice {
    /// The energy beyond that of the rest of the day.
    case active
    /// All energy used meanwhile, rest included.
    case gross

    /// The word as stored.
    public var name: UTF8Text {
        switch self {
        case .active: "active"
        case .gross: "gross"
        }
    }
}
