/// Where a weight is going: the trend's slope, how fast that is, and when it meets the target.
public struct WeightOutlook: Hashable, Sendable {
    /// When a target weight is reached.
    public enum Arrival: Hashable, Sendable {
        /// The trend is within 100 g of it.
        case reached
        /// The trend reaches it on this day if it continues as in the last four weeks.
        case on(Day)
        /// It is reached in more than two years: too far for a date.
        case beyondTwoYears
        /// The trend moves by less than 10 g a week.
        case level
        /// The trend moves the other way.
        case movingAway
    }

    /// A remark on a rate.
    public enum Pace: Hashable, Sendable {
        /// Losing more than 1.5 % of body mass a week.
        case fastLoss
        /// Gaining more than 0.5 % of body mass a week.
        case fastGain
        /// In between.
        case moderate
    }

    /// The days that the slope is taken from.
    package static let windowDays = 28

    /// The last day with a weight.
    package let day: Day
    /// The trend on that day, in nanograms (10⁻⁹ g).
    package let trendNanograms: Int64
    /// The slope of the trend over the last four weeks, in micrograms (10⁻⁶ g) per week.
    public let slopeMicrogramsPerWeek: Int64

    /// How far the slope may be off, in micrograms (10⁻⁶ g) per week: twice the standard deviation of
    /// ``Expenditure`` over invented months, divided by its 7,700 kcal/kg. With 21 days that have a
    /// weight 100 g, with 10 of them 150 g, with fewer 500 g.
    public let plusMinusMicrogramsPerWeek: Int64

    /// Looks at a trend; `nil` without two weigh-ins at least seven days apart in the four weeks that
    /// end with the last one.
    package init?(_ trend: WeightTrend) {
        guard let last = trend.points.last else { return nil }
        let window = trend.during(last.day.lastDays(WeightOutlook.windowDays))
        guard let first = window.points.first, first.day.distance(to: last.day) >= 7,
            let slope = window.trendSlopeMicrogramsPerWeek
        else { return nil }
        day = last.day
        trendNanograms = last.trendNanograms
        slopeMicrogramsPerWeek = slope
        plusMinusMicrogramsPerWeek =
            switch window.points.count {
            case 21...: 100_000_000
            case 10...: 150_000_000
            default: 500_000_000
            }
    }

    /// Whether the rate is worth a word. Guidance as common trackers give it, not medicine.
    public var pace: Pace {
        let scaled = Int128(slopeMicrogramsPerWeek) * 1_000 * 1_000
        if scaled < -15 * Int128(trendNanograms) { return .fastLoss }
        if scaled > 5 * Int128(trendNanograms) { return .fastGain }
        return .moderate
    }

    /// When a target weight in grams is reached.
    public func arrival(at targetGrams: Int64) -> Arrival {
        let distance = Int128(targetGrams) * 1_000_000_000 - Int128(trendNanograms)
        if abs(distance) <= 100_000_000_000 { return .reached }
        if abs(slopeMicrogramsPerWeek) < 10_000_000 { return .level }
        guard (distance > 0) == (slopeMicrogramsPerWeek > 0) else { return .movingAway }
        return arrival(over: abs(distance), at: abs(Int128(slopeMicrogramsPerWeek)))
            .map { .on($0) } ?? .beyondTwoYears
    }

    /// The days between which the target lies if the slope is off by no more than
    /// ``plusMinusMicrogramsPerWeek``; the later is `nil` where it may be more than two years, or never.
    /// `nil` unless ``arrival(at:)`` is a day.
    public func arrivalSpan(at targetGrams: Int64) -> (earliest: Day, latest: Day?)? {
        guard case .on(let middle) = arrival(at: targetGrams) else { return nil }
        let distance = abs(Int128(targetGrams) * 1_000_000_000 - Int128(trendNanograms))
        let speed = abs(Int128(slopeMicrogramsPerWeek))
        let margin = Int128(plusMinusMicrogramsPerWeek)
        return (
            arrival(over: distance, at: speed + margin) ?? middle,
            arrival(over: distance, at: speed - margin)
        )
    }

    /// When a distance in nanograms is covered at a speed in micrograms per week; `nil` for more than
    /// two years, or never.
    private func arrival(over distance: Int128, at speed: Int128) -> Day? {
        guard speed > 0 else { return nil }
        let perWeek = speed * 1_000
        let days = (distance * 7 + perWeek - 1) / perWeek
        return days <= 730 ? day.advanced(by: Int(days)) : nil
    }
}
