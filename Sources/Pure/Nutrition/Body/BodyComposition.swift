/// The readings of body fat, of which the latest counts.
package enum BodyComposition {
    /// One reading of a share of body fat.
    package struct Sample: Hashable, Sendable {
        /// The day it counts for.
        package let day: Day
        /// When, in milliseconds since 1970-01-01 UTC; `nil` when only the day is known.
        package let occurredAt: Int64?
        /// The share, in basis points.
        package let basisPoints: Int64

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
}

extension BodyFat {
    /// Body mass without fat, in grams, half to even.
    public func leanGrams(ofGrams grams: Int64) -> Int64 {
        Rounding.scaled(grams, by: 10_000 - min(max(basisPoints, 0), 10_000), over: 10_000)
    }
}

/// How a number that is read now and then has moved: a waist, a share of fat, a level of ketones.
public struct SampleSeries: Hashable, Sendable {
    /// The values by day, in the unit that was asked for; of one day they keep the order given.
    private let values: [Int64]

    /// Sorts values by their days.
    public init(_ points: [(day: Day, value: Int64)]) {
        let sorted = points.enumerated().sorted {
            ($0.element.day, $0.offset) < ($1.element.day, $1.offset)
        }
        values = sorted.map { $0.element.value }
    }

    /// The last value less the first; `nil` with fewer than two values.
    public var change: Int64? {
        guard values.count >= 2, let first = values.first, let last = values.last else {
            return nil
        }
        return Rounding.clamped(Int128(last) - Int128(first))
    }

    /// The least and the greatest value; `nil` without a value.
    public var bounds: ClosedRange<Int64>? {
        guard let low = values.min(), let high = values.max() else { return nil }
        return low...high
    }

    /// The mean, half to even; `nil` without a value.
    public var mean: Int64? {
        guard !values.isEmpty else { return nil }
        let sum = values.reduce(Int128(0)) { $0 + Int128($1) }
        return Rounding.clamped(Rounding.halfEven(sum, over: Int128(values.count)))
    }
}
