public import MacrologEvents

/// The kinds of entity this version knows. Others are stored, merged and relayed unread.
///
/// The raw number is a place in tables of this program, never stored; those met most come first.
public enum Kind: UInt8, Choice {
    /// A person: one per space.
    case profile
    /// How a person wants things shown: one per space.
    case preferences
    /// Targets from a day on.
    case goalPlan
    /// A food and its nutrients.
    case food
    /// Something eaten, or planned, on a day.
    case meal
    /// A part of a meal.
    case mealItem
    /// A body mass.
    case weighIn
    /// A person's statement about a day.
    case dayLog
    /// A household measure of a food: a slice, a cup.
    case foodPortion
    /// A dish and how much it yields.
    case recipe
    /// An ingredient of a recipe.
    case recipeItem
    /// A meal to be logged again.
    case mealTemplate
    /// A planned meal.
    case planEntry
    /// A photo's description; its bytes travel apart from the log.
    case photo
    /// The analysis of a photo.
    case analysis
    /// A share of body fat.
    case bodyFat
    /// A length of the body, such as the waist.
    case bodyMeasure
    /// A level of ketones.
    case ketone
    /// A workout, or other movement.
    case activity
    /// A day's energy and steps, as a tracker counts them.
    case energyDay
    /// Something drunk.
    case water
    /// A time without food.
    case fast
    /// Something to be reminded of.
    case reminder
    /// Targets that a model proposed.
    case recommendation
    /// A nutrient that a person defined.
    case customNutrient
    /// A file that was imported.
    case importBatch
    /// A device, by the name a person gave it.
    case device

    /// The word in events.
    public var name: Text {
        switch self {
        case .profile: "profile"
        case .preferences: "preferences"
        case .goalPlan: "goal_plan"
        case .food: "food"
        case .meal: "meal"
        case .mealItem: "meal_item"
        case .weighIn: "weigh_in"
        case .dayLog: "day_log"
        case .foodPortion: "food_portion"
        case .recipe: "recipe"
        case .recipeItem: "recipe_item"
        case .mealTemplate: "meal_template"
        case .planEntry: "plan_entry"
        case .photo: "photo"
        case .analysis: "analysis"
        case .bodyFat: "body_fat"
        case .bodyMeasure: "body_measure"
        case .ketone: "ketone"
        case .activity: "activity"
        case .energyDay: "energy_day"
        case .water: "water"
        case .fast: "fast"
        case .reminder: "reminder"
        case .recommendation: "ai_recommendation"
        case .customNutrient: "custom_nutrient"
        case .importBatch: "import_batch"
        case .device: "device"
        }
    }

    /// The kind of a word in events; `nil` for one this version does not know.
    ///
    /// Every change that is folded asks for its kind, so the words are collected once.
    public init?(name: Text) {
        for (kind, word) in Self.words where word == name {
            self = kind
            return
        }
        return nil
    }

    private static let words = allCases.map { ($0, $0.name) }
}
