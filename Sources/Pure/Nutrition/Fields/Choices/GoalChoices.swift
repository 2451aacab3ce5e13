public import MacrologEvents

/// How a plan's targets come about. Field `mode`.
public enum GoalMode: Choice {
    /// The numbers of the plan.
    case fixed
    /// The plan's energy, divided by shares.
    case percent
    /// Resting energy × 1.2 and the day's activity.
    case dynamic
    /// As dynamic, with an expenditure estimated from weight and intake where there is one.
    case adaptive

    /// The word as stored.
    public var name: UTF8Text {
        switch self {
        case .fixed: "fixed"
        case .percent: "percent"
        case .dynamic: "dynamic"
        case .adaptive: "adaptive"
        }
    }
}

/// Which side of a target is the good one. Field `direction`.
public enum GoalDirection: Choice {
    /// At most the target.
    case max
    /// At least the target.
    case min
    /// Near the target.
    case range

    /// The word as stored.
    public var name: UTF8Text {
        switch self {
        case .max: "max"
        case .min: "min"
        case .range: "range"
        }
    }
}

/// Who set a plan. Field `source`.
public enum GoalSource: Choice {
    /// The person.
    case user
    /// A recommendation.
    case ai
    /// An import.
    case importer

    /// The word as stored.
    public var name: UTF8Text {
        switch self {
        case .user: "user"
        case .ai: "ai"
        case .importer: "import"
        }
    }
}

/// A person's own verdict on a day. Field `goal_override`.
public enum GoalOverride: Choice {
    /// Achieved, whatever the sums say.
    case achieved
    /// Missed, whatever the sums say.
    case missed
    /// No verdict: the sums decide.
    case none

    /// The word as stored.
    public var name: UTF8Text {
        switch self {
        case .achieved: "achieved"
        case .missed: "missed"
        case .none: "none"
        }
    }
}

/// What a person says about a day's record. Field `status`.
public enum DayStatus: Choice {
    /// Nothing said.
    case open
    /// Everything eaten is recorded, even if that is nothing.
    case complete
    /// Not recorded on purpose: it neither counts nor breaks a streak.
    case skipped

    /// The word as stored.
    public var name: UTF8Text {
        switch self {
        case .open: "open"
        case .complete: "complete"
        case .skipped: "skipped"
        }
    }
}
