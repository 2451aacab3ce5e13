public import MacrologEvents

/// The unit in which energy is shown. Field `energy_unit`.
public enum EnergyUnit: Choice {
    /// Kilocalories.
    case kilocalories
    /// Kilojoules.
    case kilojoules

    /// The word as stored.
    public var name: UTF8Text {
        switch self {
        case .kilocalories: "kcal"
        case .kilojoules: "kj"
        }
    }
}

/// The unit in which body mass is shown. Field `weight_unit`.
public enum WeightUnit: Choice {
    /// Kilograms.
    case kilograms
    /// Pounds.
    case pounds
    /// Stones and pounds.
    case stones

    /// The word as stored.
    public var name: UTF8Text {
        switch self {
        case .kilograms: "kg"
        case .pounds: "lb"
        case .stones: "st"
        }
    }
}

/// The unit in which height is shown. Field `height_unit`.
public enum HeightUnit: Choice {
    /// Centimetres.
    case centimeters
    /// Feet and inches.
    case feet

    /// The word as stored.
    public var name: UTF8Text {
        switch self {
        case .centimeters: "cm"
        case .feet: "ftin"
        }
    }
}

/// The unit in which volume is shown. Field `volume_unit`.
public enum VolumeUnit: Choice {
    /// Millilitres.
    case milliliters
    /// US fluid ounces.
    case usFluidOunces
    /// Imperial fluid ounces.
    case imperialFluidOunces

    /// The word as stored.
    public var name: UTF8Text {
        switch self {
        case .milliliters: "ml"
        case .usFluidOunces: "us_floz"
        case .imperialFluidOunces: "imp_floz"
        }
    }
}

/// How a typed number with one separator and three digits, such as 1,234, is read. Field `decimal`.
public enum DecimalMark: Choice {
    /// Not at all: it is refused with both readings.
    case auto
    /// The point is the decimal mark, the comma groups.
    case point
    /// The comma is the decimal mark, the point groups.
    case comma

    /// The word as stored.
    public var name: UTF8Text {
        switch self {
        case .auto: "auto"
        case .point: "point"
        case .comma: "comma"
        }
    }
}

/// Which of several weigh-ins of one day counts. Field `weigh_policy`.
public enum WeighPolicy: Choice {
    /// The first.
    case first
    /// Their mean.
    case mean
    /// The lightest.
    case min
    /// The last.
    case last

    /// The word as stored.
    public var name: UTF8Text {
        switch self {
        case .first: "first"
        case .mean: "mean"
        case .min: "min"
        case .last: "last"
        }
    }
}
