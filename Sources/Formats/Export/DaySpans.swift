public import MacrologNutrition

extension ClosedRange<Day> {
    /// Lends the days in spans of at most some days, in order, so that one of them at a time is in memory.
    public func forEachSpan(
        ofDays count: Int, _ body: (ClosedRange<Day>) throws -> Void
    ) rethrows {
        var first = lowerBound
        while true {
            let last = Swift.min(first.advanced(by: count - 1), upperBound)
            try body(first...last)
            guard last < upperBound else { return }
            first = last.advanced(by: 1)
        }
    }
}
