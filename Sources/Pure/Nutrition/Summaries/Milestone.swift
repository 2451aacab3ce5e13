import MacrologEvents

/// Lengths of a streak, and a goal, that are worth a word when they are reached.
package enum Milestone {
    /// The lengths in days; above the last one, every further year.
    private static let days = [3, 7, 14, 30, 60, 100, 180, 365]

    /// The greatest length that a streak has reached since it was shorter; `nil` if it reached none.
    ///
    /// - Parameters:
    ///   - earlier: Its days when this was last asked.
    ///   - current: Its days now.
    package static func streak(after earlier: Int, upTo current: Int) -> Int? {
        guard current > earlier else { return nil }
        let years = current / 365 * 365
        return (days + [years]).filter { earlier < $0 && $0 <= current }.max()
    }

    /// Whether the trend of the weight has come to the weight that is aimed at, from either side.
    ///
    /// - Parameters:
    ///   - earlier: The trend when this was last asked, in grams.
    ///   - current: The trend now, in grams.
    ///   - target: The weight that is aimed at, in grams.
    package static func weight(
        after earlier: Int64, upTo current: Int64, target: Int64
    ) -> Bool {
        earlier > target ? current <= target : earlier < target && current >= target
    }
}
