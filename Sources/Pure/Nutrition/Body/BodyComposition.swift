/// Body fat and lean mass on a day, and how a measure changed.
public struct BodyComposition: Hashable, Sendable {
    /// One reading of a share of body fat.
    public struct Sample: Hashable, Sendable {
        /// The day it counts for.
        public let day: Day
        /// When, in milliseconds since 1970-01-01 UTC; `nil` when only the day is known.
        package let occurredAt: Int64?
        /// The share, in basis points.
        public let basisPoints: Int64

        /// A reading.
        package init(day: Day, occurredAt: Int64? = nil, basisPoints: Int64) {
            self.day = day
            self.occurredAt = occurredAt
            self.basisPoints = basisPoints
        }

        /// A weigh-in that knows body fat; `nil` for one that does not.
        package init?(_ weighIn: WeighIn) {
            guard let share = weighIn.bodyFatBasisPoints else { return nil }
            self.init(
                day: weighIn.localDate.day, occurredAt: weighIn.localDate.occurredAt,
                basisPoints: share)
        }

        /// A share that was measured without a weight.
        package init(_ bodyFat: BodyFat) {
            self.init(
                day: bodyFat.localDate.day, occurredAt: bodyFat.localDate.occurredAt,
                basisPoints: bodyFat.basisPoints)
        }

        fileprivate func isLater(than other: Sample) -> Bool {
            day == other.day
                ? (occurredAt ?? .min) >= (other.occurredAt ?? .min) : day > other.day
        }
    }

    /// The latest share up to a day, from weigh-ins and readings alike, in any order; `nil` without
    /// one. Of two readings at one time the later in the list counts.
    package static func latestFat(_ readings: [Sample], upTo day: Day) -> Sample? {
        var found: Sample?
        for reading in readings where reading.day <= day {
            if let best = found, !reading.isLater(than: best) { continue }
            found = reading
        }
        return found
    }

    /// Body mass without fat, in grams, half to even.
    public static func leanGrams(grams: Int64, fatBasisPoints: Int64) -> Int64 {
        Rounding.scaled(grams, by: 10_000 - min(max(fatBasisPoints, 0), 10_000), over: 10_000)
    }
}

/// How a number that is read now and then has moved: a waist, a share of fat, a level of ketones.
public struct SampleSeries: Hashable, Sendable {
    /// One value on a day.
    public struct Point: Hashable, Sendable {
        /// The day.
        public let day: Day
        /// The value, in the unit that was asked for.
        package let value: Int64

        /// A value on a day.
        public init(_ day: Day, _ value: Int64) {
            self.day = day
            self.value = value
        }
    }

    /// The points by day; of one day they keep the order given.
    package let points: [Point]

    /// Sorts points by day.
    public init(_ points: [Point]) {
        var sorted: [Point] = []
        for point in points {
            var index = sorted.count
            while index > 0, sorted[index - 1].day > point.day { index -= 1 }
            sorted.insert(point, at: index)
        }
        self.points = sorted
    }

    /// The last value less the first; `nil` with fewer than two points.
    public var change: Int64? {
        guard points.count >= 2, let first = points.first, let last = points.last else {
            return nil
        }
        return Rounding.clamped(Int128(last.value) - Int128(first.value))
    }

    /// The least and the greatest value; `nil` without a point.
    public var bounds: ClosedRange<Int64>? {
        guard let low = points.map({ $0.value }).min(), let high = points.map({ $0.value }).max()
        else { return nil }
        return low...high
    }

    /// The mean, half to even; `nil` without a point.
    public var mean: Int64? {
        guard !points.isEmpty else { return nil }
        let sum = points.reduce(Int128(0)) { $0 + Int128($1.value) }
        return Rounding.clamped(Rounding.halfEven(sum, over: Int128(points.count)))
    }
}
