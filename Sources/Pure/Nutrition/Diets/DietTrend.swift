import MacrologEvents

/// The scores of a span of days: the mean of each day, of all of them, and the meals at both ends.
/// Only meals that were eaten belong in here.
public struct DietTrend: Hashable, Sendable {
    private typealias Rated = (scored: ScoredMeal, day: Day, score: Int)

    /// The mean score of a day.
    public struct DayScore: Hashable, Sendable {
        /// The day on which the meals were eaten.
        public let day: Day
        /// The mean of its meals, in hundredths of a point, half to even.
        public let hundredths: Int64
        /// How many meals that is.
        public let meals: Int
    }

    /// The days with a score, in order.
    public let days: [DayScore]
    /// The mean of all meals, in hundredths of a point, half to even; `nil` without one.
    public let meanHundredths: Int64?
    /// The change of the later half of the days against the earlier, in hundredths of a point; `nil`
    /// with fewer than two days.
    public let changeHundredths: Int64?
    /// The meals with the greatest scores, the latest first among equals; none in the lowest band.
    public let best: [ScoredMeal]
    /// The meals with the least scores, the latest first among equals. A meal is never in both.
    public let worst: [ScoredMeal]

    /// Sums up a span.
    ///
    /// - Parameters:
    ///   - meals: In any order; those without a score are left out.
    ///   - span: The days to look at; others are left out.
    ///   - limit: How many meals to name at each end.
    public init(_ meals: [ScoredMeal], during span: ClosedRange<Day>, limit: Int = 3) {
        let inside: [Rated] = meals.compactMap { scored in
            guard let score = scored.score.score else { return nil }
            return (scored, scored.meal.meal.localDate.day, score)
        }.filter { span.contains($0.day) }.sorted(by: DietTrend.precedes)
        var days: [DayScore] = []
        var start = 0
        let byDay = inside.sorted {
            $0.day == $1.day ? DietTrend.precedes($0, $1) : $0.day < $1.day
        }
        while start < byDay.count {
            var end = start
            while end < byDay.count, byDay[end].day == byDay[start].day { end += 1 }
            let scores = byDay[start..<end].map { Int64($0.score) }
            days.append(
                DayScore(
                    day: byDay[start].day, hundredths: DietTrend.mean(scores) ?? 0,
                    meals: end - start))
            start = end
        }
        self.days = days
        meanHundredths = DietTrend.mean(inside.map { Int64($0.score) })
        let half = days.count / 2
        let before = DietTrend.mean(days.prefix(half).map { $0.hundredths }, scale: 1)
        let after = DietTrend.mean(days.suffix(half).map { $0.hundredths }, scale: 1)
        changeHundredths = before.flatMap { earlier in after.map { $0 - earlier } }
        best = inside.prefix(min(limit, (inside.count + 1) / 2))
            .prefix { DietScore.Band($0.score) != .red }.map { $0.scored }
        let rest = inside.dropFirst(best.count).sorted {
            $0.score == $1.score ? DietTrend.isLater($0, $1) : $0.score < $1.score
        }
        worst = rest.prefix(limit).map { $0.scored }
    }

    private static func mean(_ scores: [Int64], scale: Int64 = 100) -> Int64? {
        guard !scores.isEmpty else { return nil }
        let sum = scores.reduce(Int128(0)) { $0 + Int128($1) }
        return Rounding.clamped(
            Rounding.halfEven(sum * Int128(scale), over: Int128(scores.count)))
    }

    private static func precedes(_ left: Rated, _ right: Rated) -> Bool {
        left.score == right.score ? isLater(left, right) : left.score > right.score
    }

    private static func isLater(_ left: Rated, _ right: Rated) -> Bool {
        left.day == right.day
            ? left.scored.meal.meal.id < right.scored.meal.meal.id : left.day > right.day
    }
}
