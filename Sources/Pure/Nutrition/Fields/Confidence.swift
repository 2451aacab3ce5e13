/// How far to trust a number that was estimated or judged.
public enum Confidence: Comparable, Hashable, Sendable {
    /// It rests on little.
    case low
    /// It rests on enough to be useful.
    case medium
    /// It rests on all that it depends on.
    case high

    /// `low`, `medium` or `high`.
    public var name: String {
        switch self {
        case .low: "low"
        case .medium: "medium"
        case .high: "high"
        }
    }
}
