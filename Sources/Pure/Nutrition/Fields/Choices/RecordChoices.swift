public import MacrologEvents

/// What a reminder is about. Field `kind`.
public enum ReminderKind: Choice {
    /// A meal.
    case meal
    /// To step on the scale.
    case weight
    /// To drink.
    case water
    /// To begin a fast.
    case fast
    /// To look at the day's goal.
    case goal

    /// The word as stored.
    public var name: UTF8Text {
        switch self {
        case .meal: "meal"
        case .weight: "weight"
        case .water: "water"
        case .fast: "fast"
        case .goal: "goal"
        }
    }
}

/// The format of a photo. Field `mime`.
package enum PhotoType: Choice {
    /// JPEG.
    case jpeg
    /// PNG.
    case png
    /// HEIC.
    case heic
    /// WebP.
    case webp

    /// The word as stored.
    package var name: UTF8Text {
        switch self {
        case .jpeg: "image/jpeg"
        case .png: "image/png"
        case .heic: "image/heic"
        case .webp: "image/webp"
        }
    }
}

/// Whether an analysis is a question, and how an answer ended. Field `status`.
package enum AnalysisStatus: Choice {
    /// It waits for a provider.
    case wanted
    /// It found food.
    case ok
    /// It could not tell.
    case unclear
    /// It did not finish.
    case failed
    /// It saw no food.
    case noFood

    /// The word as stored.
    package var name: UTF8Text {
        switch self {
        case .wanted: "wanted"
        case .ok: "ok"
        case .unclear: "unclear"
        case .failed: "failed"
        case .noFood: "no_food"
        }
    }
}

/// The unit of a nutrient that a person defined. Field `unit`.
public enum CustomUnit: Choice {
    /// Grams.
    case grams
    /// Milligrams.
    case milligrams
    /// Micrograms.
    case micrograms
    /// International units.
    case internationalUnits

    /// The word as stored.
    public var name: UTF8Text {
        switch self {
        case .grams: "g"
        case .milligrams: "mg"
        case .micrograms: "ug"
        case .internationalUnits: "iu"
        }
    }
}
