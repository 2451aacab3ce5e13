public import MacrologEvents

/// What the resting-energy equations distinguish. Field `sex`.
public enum Sex: Choice {
    /// Male.
    case male
    /// Female.
    case female
    /// Not said: equations fall back to female and say so.
    case unspecified

    /// The word as stored.
    public var name: UTF8Text {
        switch self {
        case .male: "male"
        case .female: "female"
        case .unspecified: "unspecified"
        }
    }
}

/// The activity level, with the common multipliers of resting energy. Field `activity_level`.
public enum ActivityLevel: Choice {
    /// × 1.2.
    case sedentary
    /// × 1.375.
    case light
    /// × 1.55.
    case moderate
    /// × 1.725.
    case active
    /// × 1.9.
    case athlete

    /// The word as stored.
    public var name: UTF8Text {
        switch self {
        case .sedentary: "sedentary"
        case .light: "light"
        case .moderate: "moderate"
        case .active: "active"
        case .athlete: "athlete"
        }
    }
}

/// The diet that a person follows. Field `diet_type`.
public enum DietType: Choice {
    /// Very low carbohydrate.
    case keto
    /// No grains, legumes, dairy or refined sugar.
    case paleo
    /// Nothing from animals.
    case vegan
    /// No meat or fish.
    case vegetarian
    /// Mediterranean.
    case mediterranean
    /// Low carbohydrate.
    case lowCarb
    /// Balanced.
    case balanced
    /// Shares of one's own: `custom_macro_pct`.
    case custom

    /// The word as stored.
    public var name: UTF8Text {
        switch self {
        case .keto: "keto"
        case .paleo: "paleo"
        case .vegan: "vegan"
        case .vegetarian: "vegetarian"
        case .mediterranean: "mediterranean"
        case .lowCarb: "low_carb"
        case .balanced: "balanced"
        case .custom: "custom"
        }
    }
}

/// How strictly the targets of protein, carbohydrate and fat are meant. Field `macro_flexibility`.
public enum MacroFlexibility: Choice {
    /// Half the tolerance.
    case strict
    /// The tolerance as it is; the default.
    case balanced
    /// Twice the tolerance.
    case flexible

    /// The word as stored.
    public var name: UTF8Text {
        switch self {
        case .strict: "strict"
        case .balanced: "balanced"
        case .flexible: "flexible"
        }
    }
}

/// Which equation estimates resting energy. Field `bmr_formula`.
public enum RestingFormula: Choice {
    /// Katch-McArdle with body fat, else Mifflin-St Jeor with height, else Harris-Benedict.
    case auto
    /// Mifflin-St Jeor, simplified: 10 W + 6.25 H − 5 A, + 5 for men, − 161 for women (kg, cm, years).
    case mifflin
    /// Katch-McArdle: 370 + 21.6 × lean mass in kg.
    case katch
    /// Harris-Benedict as Roza and Shizgal revised it (American Journal of Clinical Nutrition 40, 1984).
    case harrisBenedict
    /// Cunningham: 500 + 22 × lean mass in kg.
    case cunningham

    /// The word as stored.
    public var name: UTF8Text {
        switch self {
        case .auto: "auto"
        case .mifflin: "mifflin"
        case .katch: "katch"
        case .harrisBenedict: "hb"
        case .cunningham: "cunningham"
        }
    }
}
