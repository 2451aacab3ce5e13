public import Events

/// The kinds of entity this version knows. Others are stored, merged and relayed unread.
public enum Kind: Choice {
    /// A person: one per space.
    case profile
    /// How a person wants things shown: one per space.
    case preferences
    /// Targets from a day on.
    case goalPlan
    /// A food and what it holds.
    case food
    /// Something eaten, or planned, on a day.
    case meal
    /// A part of a meal.
    case mealItem
    /// A body mass.
    case weighIn
    /// What a person says about a day.
    case dayLog

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
