import MacrologEvents
import MacrologNutrition
import MacrologTestSupport
import Testing

/// Goal: the trend depends on dates and weights alone, to the last digit.
@Suite struct TrendTests {
    static let start = Day("2026-11-01") ?? .earliest

    static func readings(_ weights: [(step: Int, grams: Int64)]) -> [WeightTrend.Sample] {
        weights.enumerated().map { index, weight in
            WeightTrend.Sample(
                id: Identifier(high: 0, low: UInt64(index)), day: start.advanced(by: weight.step),
                grams: weight.grams)
        }
    }

    @Test func `the Hacker's Diet example comes out to its last digit`() {
        let trend = WeightTrend(
            Self.readings([
                (0, 172_000), (1, 171_500), (2, 171_500), (3, 171_000), (4, 172_000),
            ]))
        #expect(
            trend.points.map(\.trendNanograms) == [
                172_000_000_000_000, 171_950_000_000_000, 171_905_000_000_000,
                171_814_500_000_000, 171_833_050_000_000,
            ])
        #expect(trend.points.last?.trendGrams == 171_833)
    }

    @Test func `a gap of three days weighs 0.271`() {
        let trend = WeightTrend(Self.readings([(0, 80_000), (1, 79_500), (4, 79_000)]))
        #expect(
            trend.points.map(\.trendNanograms) == [
                80_000_000_000_000, 79_950_000_000_000, 79_692_550_000_000,
            ])
    }

    @Test func `arrival order changes nothing`() {
        var dice = Dice(seed: 11)
        let readings = Self.readings(
            (0..<60).map { _ in (dice.below(40), 79_000 + Int64(dice.below(2_000))) })
        for policy in WeighPolicy.allCases {
            let trend = WeightTrend(readings, policy: policy)
            for _ in 0..<100 {
                var shuffled = readings
                for index in shuffled.indices.dropFirst() {
                    shuffled.swapAt(index, dice.below(index + 1))
                }
                #expect(WeightTrend(shuffled, policy: policy) == trend, "seed 11")
            }
        }
    }

    @Test func `of several weigh-ins of a day the policy chooses`() {
        let readings: [WeightTrend.Sample] = [(3, 80_400), (1, 80_301), (2, 80_000)].map {
            WeightTrend.Sample(
                id: Identifier(high: 0, low: 0), day: Self.start,
                occurredAt: Self.start.number * 86_400_000 + $0.0, grams: $0.1)
        }
        func grams(_ policy: WeighPolicy) -> Int64? {
            WeightTrend(readings, policy: policy).points.first?.grams
        }
        #expect(grams(.first) == 80_301)
        #expect(grams(.last) == 80_400)
        #expect(grams(.min) == 80_000)
        #expect(grams(.mean) == 80_234)
    }

    @Test func `a weigh-in without a time is the first of its day`() {
        let timed = WeightTrend.Sample(
            id: Identifier(high: 0, low: 1), day: Self.start, occurredAt: 0, grams: 80_000)
        let untimed = WeightTrend.Sample(
            id: Identifier(high: 0, low: 2), day: Self.start, grams: 81_000)
        #expect(WeightTrend([timed, untimed]).points.first?.grams == 81_000)
        #expect(WeightTrend([untimed, timed], policy: .last).points.first?.grams == 80_000)
    }

    @Test func `years without a scale forget the trend, and weigh the last weight alone`() {
        let trend = WeightTrend(Self.readings([(0, 650_000), (40_000, 60_000)]))
        #expect(trend.points.last?.trendNanograms == 60_000_000_000_000)
    }

    @Test func `fewer than two days have no slope`() {
        #expect(WeightTrend([]).slopeMicrogramsPerWeek == nil)
        #expect(WeightTrend([]).trendSlopeMicrogramsPerWeek == nil)
        let sameDay = WeightTrend(Self.readings([(0, 80_000), (0, 81_000)]))
        #expect(sameDay.points.count == 1)
        #expect(sameDay.slopeMicrogramsPerWeek == nil)
    }

    @Test func `a steady loss of 100 g a day is a slope of 700 g a week`() {
        let trend = WeightTrend(Self.readings((0..<30).map { ($0, 80_000 - Int64($0) * 100) }))
        #expect(trend.slopeMicrogramsPerWeek == -700_000_000)
        let week = trend.during(Self.start...Self.start.advanced(by: 6))
        #expect(week.points.count == 7)
        #expect(week.slopeMicrogramsPerWeek == -700_000_000)
    }

    @Test func `a lifetime of the heaviest weights does not overflow`() {
        let trend = WeightTrend(
            Self.readings((0..<2_000).map { ($0 * 30, $0 % 2 == 0 ? 2_000 : 650_000) }))
        #expect(trend.points.count == 2_000)
        #expect(trend.slopeMicrogramsPerWeek != nil)
    }

    @Test func `a weight more than 3 % away from the trend is asked about`() throws {
        let trend = try #require(WeightTrend(Self.readings([(0, 80_000)])).points.last)
        #expect(WeightTrend.finding(grams: 82_400, against: trend) == nil)
        #expect(WeightTrend.finding(grams: 77_600, against: trend) == nil)
        #expect(WeightTrend.finding(grams: 82_401, against: trend)?.severity == .soft)
        #expect(WeightTrend.finding(grams: 36_287, against: trend)?.field == "weight_g")
        #expect(WeightTrend.finding(grams: 36_287, against: nil) == nil)
    }
}
