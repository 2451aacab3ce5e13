/// Columns of a file about steps and exercise, whose energy is what was burned, and not what was eaten.
///
///     ActivityDate, TotalSteps, TotalDistance, VeryActiveMinutes, SedentaryMinutes, Calories
enum ActivityColumns {
    /// The titles among these that are about activity.
    static func titles(in header: [String]) -> [String] {
        header.map(Cell.trimmed).filter { title in
            ColumnTitle(title).words.split(separator: " ").contains { words.contains(String($0)) }
        }
    }

    /// Whether a file with these titles is about activity: one column of steps may also stand in a diary.
    static func areAll(of header: [String]) -> Bool { titles(in: header).count > 1 }

    /// The first of some titles, for people: `TotalSteps, TotalDistance and 3 more`.
    static func text(_ titles: [String]) -> String {
        let rest = titles.count - shownMax
        let shown = titles.prefix(shownMax).joined(separator: ", ")
        return rest > 0 ? "\(shown) and \(rest) more" : shown
    }

    private static let shownMax = 3

    private static let words: Set<String> = [
        "steps", "step", "distance", "floors", "active", "activity", "activities", "sedentary",
        "burned", "burnt", "schritte", "distanz", "aktivität", "verbrannt", "stappen", "pasos",
        "passi",
    ]
}
