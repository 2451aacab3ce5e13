public import MacrologEvents

/// A smoothed line through weigh-ins, and its slope: the change of weight without the scale's
/// noise.
///
/// The trend is the exponentially weighted mean of the Hacker's Diet, `T += 0.1 × (W − T)` per day.
/// Over a gap of k days the factor is `1 − 0.9^k`, so the line depends on dates and values alone,
/// not on how many rows there are or in which order they arrived.
///
/// Trends are kept in nanograms (10⁻⁹ g), half to even at each step: a trend is exact for the first
/// nine decimals of a gram, and every replica computes the same digits.
///
/// 172, 171.5, 171.5, 171, 172 on five days: 172, 171.95, 171.905, 171.8145, 171.83305.
///
/// Source: J. Walker, "The Hacker's Diet" (2005), chapter "Signal and Noise".
public struct WeightTrend: Hashable, Sendable {
    /// One weigh-in, as logged.
    package struct Sample: Hashable, Sendable {
        /// The weigh-in.
        public let id: Identifier
        /// The day it counts for.
        public let day: Day
        /// When, in milliseconds since 1970-01-01 UTC; `nil` when only the day is known.
        public let occurredAt: Int64?
        /// The weight, in grams.
        public let grams: Int64

        /// A weigh-in of a day.
        package init(id: Identifier, day: Day, occurredAt: Int64? = nil, grams: Int64) {
            self.id = id
            self.day = day
            self.occurredAt = occurredAt
            self.grams = grams
        }

        /// Within a day: those without an instant first, then by instant, then by id.
        static func precedes(_ left: Sample, _ right: Sample) -> Bool {
            if left.day != right.day { return left.day < right.day }
            if left.occurredAt != right.occurredAt {
                guard let earlier = left.occurredAt else { return true }
                guard let later = right.occurredAt else { return false }
                return earlier < later
            }
            return left.id < right.id
        }
    }

    /// One day with a weight.
    public struct Point: Hashable, Sendable {
        /// The day that the point is for.
        public let day: Day
        /// The day's weight by the policy, in grams.
        public let grams: Int64
        /// The trend, in nanograms (10⁻⁹ g).
        public let trendNanograms: Int64

        /// A day's point that was kept elsewhere.
        package init(day: Day, grams: Int64, trendNanograms: Int64) {
            self.day = day
            self.grams = grams
            self.trendNanograms = trendNanograms
        }

        /// The trend, in grams, half to even.
        public var trendGrams: Int64 {
            Rounding.scaled(trendNanograms, by: 1, over: 1_000_000_000)
        }
    }

    /// The days with a weight, in order.
    public let points: [Point]

    /// Folds weigh-ins, in any order.
    ///
    /// - Parameter policy: Which of several weigh-ins of a day counts; a mean is in whole grams,
    ///   half to even.
    package init(_ readings: [Sample], policy: WeighPolicy = .first) {
        let sorted = readings.sorted(by: Sample.precedes)
        var points: [Point] = []
        var start = 0
        while start < sorted.count {
            var end = start
            while end < sorted.count, sorted[end].day == sorted[start].day { end += 1 }
            let grams = WeightTrend.grams(of: sorted[start..<end], policy: policy)
            points.append(WeightTrend.next(after: points.last, sorted[start].day, grams))
            start = end
        }
        self.points = points
    }

    /// The point that follows another: one step of the fold, for those who keep the last point.
    package static func next(after previous: Point?, _ day: Day, _ grams: Int64) -> Point {
        let weight = Int128(grams) * 1_000_000_000
        guard let previous else {
            return Point(day: day, grams: grams, trendNanograms: Rounding.clamped(weight))
        }
        var distance = Int128(previous.trendNanograms) - weight
        var gap = max(day.number - previous.day.number, 0)
        // 9^18 is the largest of these powers that fits; one rounding serves up to eighteen days.
        while gap > 0, distance != 0 {
            let step = min(gap, 18)
            distance = Rounding.halfEven(distance * power(9, step), over: power(10, step))
            gap -= step
        }
        return Point(day: day, grams: grams, trendNanograms: Rounding.clamped(weight + distance))
    }

    private static func power(_ base: Int128, _ exponent: Int64) -> Int128 {
        (0..<exponent).reduce(1) { product, _ in product * base }
    }

    private static func grams(of day: ArraySlice<Sample>, policy: WeighPolicy) -> Int64 {
        switch policy {
        case .first: return day.first?.grams ?? 0
        case .last: return day.last?.grams ?? 0
        case .min: return day.map { $0.grams }.min() ?? 0
        case .mean:
            let sum = day.reduce(Int128(0)) { $0 + Int128($1.grams) }
            return Rounding.clamped(Rounding.halfEven(sum, over: Int128(max(day.count, 1))))
        }
    }

    /// The slope of the least-squares line through the days' weights, in micrograms (10⁻⁶ g) per
    /// week; `nil` with fewer than two days.
    package var slopeMicrogramsPerWeek: Int64? {
        WeightTrend.slope(points.map { ($0.day.number, Int128($0.grams) * 1_000_000) })
    }

    /// The slope of the least-squares line through the trend, in micrograms (10⁻⁶ g) per week;
    /// `nil` with fewer than two days.
    public var trendSlopeMicrogramsPerWeek: Int64? {
        WeightTrend.slope(points.map { ($0.day.number, Int128($0.trendNanograms) / 1_000) })
    }

    /// The points of some days; the trend still remembers what came before.
    public func during(_ days: ClosedRange<Day>) -> WeightTrend {
        WeightTrend(points: points.filter { days.contains($0.day) })
    }

    /// Points that were kept elsewhere, one per day, in order.
    package init(points: [Point]) {
        self.points = points
    }

    private static func slope(_ points: [(x: Int64, y: Int128)]) -> Int64? {
        guard points.count >= 2, let origin = points.first else { return nil }
        let count = Int128(points.count)
        var (sumX, sumY, sumXX, sumXY): (Int128, Int128, Int128, Int128) = (0, 0, 0, 0)
        for point in points {
            let x = Int128(point.x - origin.x)
            // Differences from the first weight keep the sums small, and the slope the same.
            let y = point.y - origin.y
            sumX += x
            sumY += y
            sumXX += x * x
            sumXY += x * y
        }
        let spread = count * sumXX - sumX * sumX
        guard spread > 0 else { return nil }
        return Rounding.clamped(
            Rounding.halfEven(7 * (count * sumXY - sumX * sumY), over: spread))
    }
}

extension WeightTrend {
    /// A warning about a weight more than 3 % away from the trend; `nil` for one that is near, or
    /// without a trend. It asks, since a scale set to pounds or a typing error looks like this.
    public static func finding(grams: Int64, against trend: Point?) -> Finding? {
        guard let trend else { return nil }
        let distance = abs(Int128(grams) * 1_000_000_000 - Int128(trend.trendNanograms))
        guard distance * 100 > Int128(trend.trendNanograms) * 3 else { return nil }
        return Finding(
            .soft, kind: Kind.weighIn.name, field: "weight_g",
            problem: "is more than 3 % away from the trend",
            hint: "check the number and its unit; it is kept as it is")
    }
}
