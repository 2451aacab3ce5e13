public import MacrologEvents

/// The reference amount of a food's nutrients. Field `basis`.
public enum FoodBasis: Choice {
    /// 100 g.
    case per100Grams
    /// 100 ml.
    case per100Milliliters
    /// One serving.
    case perServing

    /// The word as stored.
    public var name: UTF8Text {
        switch self {
        case .per100Grams: "per_100g"
        case .per100Milliliters: "per_100ml"
        case .perServing: "per_serving"
        }
    }
}

/// What a food's carbohydrate includes. Field `carb_basis`.
public enum CarbBasis: Choice {
    /// Fibre included ("by difference", as in the USA).
    case total
    /// Fibre excluded (as in the EU and Switzerland).
    case available

    /// The word as stored.
    public var name: UTF8Text {
        switch self {
        case .total: "total"
        case .available: "available"
        }
    }
}

/// Where a food's numbers come from. Field `source`.
public enum FoodSource: Choice {
    /// The person.
    case user
    /// USDA FoodData.
    case usda
    /// The Swiss Food Composition Database.
    case swiss
    /// Open Food Facts.
    case openFoodFacts
    /// An import.
    case importer
    /// A recommendation.
    case ai

    /// The word as stored.
    public var name: UTF8Text {
        switch self {
        case .user: "user"
        case .usda: "usda"
        case .swiss: "swiss"
        case .openFoodFacts: "off"
        case .importer: "import"
        case .ai: "ai"
        }
    }
}

/// The meal slots that everybody has; a person's own slots are other words. Field `meal_type`.
public enum CommonSlot: Choice {
    /// Breakfast.
    case breakfast
    /// Lunch.
    case lunch
    /// Dinner.
    case dinner
    /// A snack.
    case snack

    /// The word as stored.
    public var name: UTF8Text {
        switch self {
        case .breakfast: "breakfast"
        case .lunch: "lunch"
        case .dinner: "dinner"
        case .snack: "snack"
        }
    }
}

/// How a meal was entered. Field `source`.
public enum MealSource: Choice {
    /// Typed.
    case manual
    /// From a photo.
    case photo
    /// From a recipe.
    case recipe
    /// From a template.
    case template
    /// From an import.
    case importer
    /// From the meal plan.
    case plan

    /// The word as stored.
    public var name: UTF8Text {
        switch self {
        case .manual: "manual"
        case .photo: "photo"
        case .recipe: "recipe"
        case .template: "template"
        case .importer: "import"
        case .plan: "plan"
        }
    }
}

/// How a weigh-in was entered. Field `source`.
public enum WeighSource: Choice {
    /// Typed.
    case manual
    /// From a scale.
    case scale
    /// From an import.
    case importer

    /// The word as stored.
    public var name: UTF8Text {
        switch self {
        case .manual: "manual"
        case .scale: "scale"
        case .importer: "import"
        }
    }
}
