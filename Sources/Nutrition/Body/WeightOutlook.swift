/// Where a weight is going: the trend's slope, how fast that is, and when it meets the target.
public struct WeightOutlook: Hashable, Sendable {
    /// What becomes of a target weight.
    public enum Arrival: Hashable, Sendable {
        /// The trend is within 100 g of it.
        case reached
        /// The trend meets it on this day, if it goes on as in the last four weeks.
        case on(Day)
        /// It meets it, but in more than two years: too far to say.
        case beyondTwoYears
        /// The trend moves by less than 10 g a week.
        case level
        /// The trend moves the other way.
        case movingAway
    }

    /// What is worth saying about a rate.
    public enum Pace: Hashable, Sendable {
        /// Losing more than 1.5 % of body mass a week.
        case fastLoss
        /// Gaining more than 0.5 % of body mass a week.
        case fastGain
        /// In between.
        case moderate
    }

    /// The days that the slope is taken from.
    public static let windowDays = 28

    /// The last day with a weight.
    public let day: Day
    /// The trend on that day, in nanograms (10⁻⁹ g).
    public let trendNanograms: Int64
    /// The slope of the trend over the last four weeks, in micrograms (10⁻⁶ g) per week.
    public let slopeMicrogramsPerWeek: Int64

    /// Looks at a trend; `nil` without two weigh-ins at least seven days apart in the four weeks that
    /// end with the last one.
    public init?(_ trend: WeightTrend) {
        guard let last = trend.points.last else { return nil }
        let window = trend.during(last.day.lastDays(WeightOutlook.windowDays))
        guard let first = window.points.first, first.day.distance(to: last.day) >= 7,
            let slope = window.trendSlopeMicrogramsPerWeek
        else { return nil }
        day = last.day
        trendNanograms = last.trendNanograms
        slopeMicrogramsPerWeek = slope
    }

    /// The slope as a share of body mass a week, in basis points, half to even; negative when losing.
    public var basisPointsPerWeek: Int64 {
        guard trendNanograms > 0 else { return 0 }
        return Rounding.clamped(
            Rounding.halfEven(
                Int128(slopeMicrogramsPerWeek) * 1_000 * 10_000, over: Int128(trendNanograms)))
    }

    /// Whether the rate is worth a word. Guidance as common trackers give it, not medicine.
    public var pace: Pace {
        let scaled = Int128(slopeMicrogramsPerWeek) * 1_000 * 1_000
        if scaled < -15 * Int128(trendNanograms) { return .fastLoss }
        if scaled > 5 * Int128(trendNanograms) { return .fastGain }
        return .moderate
    }

    /// What becomes of a target weight in grams.
    public func arrival(at targetGrams: Int64) -> Arrival {
        let distance = Int128(targetGrams) * 1_000_000_000 - Int128(trendNanograms)
        if abs(distance) <= 100_000_000_000 { return .reached }
        if abs(slopeMicrogramsPerWeek) < 10_000_000 { return .level }
        guard (distance > 0) == (slopeMicrogramsPerWeek > 0) else { return .movingAway }
        let perWeek = abs(Int128(slopeMicrogramsPerWeek)) * 1_000
        let days = (abs(distance) * 7 + perWeek - 1) / perWeek
        guard days <= 730 else { return .beyondTwoYears }
        return .on(day.advanced(by: Int(days)))
    }

    /// What the trend comes to on a later day if it goes on like this, in grams, half to even.
    public func grams(on later: Day) -> Int64 {
        let days = Int128(day.distance(to: later))
        let change = Int128(slopeMicrogramsPerWeek) * days
        return Rounding.clamped(
            Rounding.halfEven(
                7 * Int128(trendNanograms) + 1_000 * change, over: 7 * 1_000_000_000))
    }
}
