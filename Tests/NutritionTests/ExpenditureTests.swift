import MacrologEvents
import Foundation
import MacrologNutrition
import MacrologTestSupport
import Testing

/// Goal: the estimate is unbiased where there is data, humble where there is little, and absent where
/// there is none.
/// Method: invented months with a known expenditure, by whole-number dice from a printed seed.
@Suite struct ExpenditureTests {
    static let end = Day("2026-11-20") ?? .earliest

    static func intake(
        _ kilocalories: Int64, days: Int, until end: Day
    ) -> [Expenditure.Intake] {
        end.lastDays(days).map {
            Expenditure.Intake(day: $0, millikilocalories: kilocalories * 1_000)
        }
    }

    static func losing(days: Int, gramsPerDay: Int64, until end: Day) -> WeightTrend {
        WeightTrend(
            end.lastDays(days).enumerated().map { index, day in
                WeightTrend.Sample(
                    id: Identifier(high: 0, low: UInt64(index)), day: day,
                    grams: 90_000 - Int64(index) * gramsPerDay)
            })
    }

    @Test func `a steady loss of 455 g a week on 2000 kcal is 2500 kcal a day`() throws {
        let found = try Expenditure.estimate(
            endingOn: Self.end, intake: Self.intake(2_000, days: 28, until: Self.end),
            trend: Self.losing(days: 120, gramsPerDay: 65, until: Self.end), formula: 2_400_000)
        #expect(found.millikilocalories == 2_500_000)
        #expect(found.confidence == .high)
        #expect(found.plusMinus == 100_000)
        #expect(!found.isClamped)
        #expect(found.explanation(in: Preferences()).hasSuffix("= 2,500 ± 100 kcal"))
    }

    @Test func `the estimate stays within 500 kcal of the equation, and says so`() throws {
        let found = try Expenditure.estimate(
            endingOn: Self.end, intake: Self.intake(2_000, days: 28, until: Self.end),
            trend: Self.losing(days: 120, gramsPerDay: 65, until: Self.end), formula: 1_700_000)
        #expect(found.millikilocalories == 2_200_000)
        #expect(found.isClamped)
        let text = found.explanation(in: Preferences())
        #expect(
            text.contains(" = 2,500, held within 500 kcal of the equation: 2,200 ± "), "\(text)")
    }

    @Test func `a day without a record does not count, a fasted day marked complete does`() throws {
        var intake = Self.intake(2_000, days: 26, until: Self.end)
        let early = Self.end.advanced(by: -26)
        intake.append(Expenditure.Intake(day: early, millikilocalories: 150_000))
        let trend = Self.losing(days: 120, gramsPerDay: 0, until: Self.end)
        let without = try Expenditure.estimate(
            endingOn: Self.end, intake: intake, trend: trend, formula: 2_000_000)
        #expect(without.intakeDays == 26)
        #expect(without.meanIntake == 2_000_000)
        intake[26] = Expenditure.Intake(day: early, millikilocalories: 0, isComplete: true)
        let with = try Expenditure.estimate(
            endingOn: Self.end, intake: intake, trend: trend, formula: 2_000_000)
        #expect(with.intakeDays == 27)
        #expect(with.meanIntake == 1_925_926)
        // What was eaten in a restaurant has no numbers.
        intake[26] = Expenditure.Intake(
            day: early, millikilocalories: 300_000, isComplete: true, isKnown: false)
        let unknown = try Expenditure.estimate(
            endingOn: Self.end, intake: intake, trend: trend, formula: 2_000_000)
        #expect(unknown.intakeDays == 26 && unknown.meanIntake == 2_000_000)
    }

    @Test func `a week with one weigh-in, or none, divides by nothing and says what is missing`() {
        for weighIns in 0...1 {
            let trend = Self.losing(days: 200, gramsPerDay: 10, until: Self.end).during(
                weighIns == 0 ? Day.earliest...Day.earliest : Self.end...Self.end)
            let error = #expect(throws: InsufficientHistory.self) {
                try Expenditure.estimate(
                    endingOn: Self.end, intake: Self.intake(2_000, days: 28, until: Self.end),
                    trend: trend, formula: 2_000_000)
            }
            #expect(error?.weighIns == weighIns)
            #expect(error?.description.contains("\(weighIns) of 2 weigh-ins") == true)
        }
        let error = #expect(throws: InsufficientHistory.self) {
            try Expenditure.estimate(
                endingOn: Self.end, intake: Self.intake(2_000, days: 6, until: Self.end),
                trend: Self.losing(days: 7, gramsPerDay: 1, until: Self.end), formula: 2_000_000)
        }
        #expect(error?.description.contains("6 of 7 days with a record") == true)
        #expect(error?.description.contains("6 of 7 days apart") == true)
        // Records enough, and a trend of six days is still no trend.
        #expect(throws: InsufficientHistory.self) {
            try Expenditure.estimate(
                endingOn: Self.end, intake: Self.intake(2_000, days: 28, until: Self.end),
                trend: Self.losing(days: 7, gramsPerDay: 1, until: Self.end), formula: 2_000_000)
        }
    }

    @Test(arguments: [
        (120, 28, 1, Confidence.high), (120, 20, 1, .medium), (120, 13, 1, .low),
        (40, 28, 1, .medium), (120, 28, 3, .medium), (120, 14, 3, .low), (120, 28, 7, .low),
    ])
    func `confidence follows how much is known`(
        history: Int, records: Int, everyDays: Int, expected: Confidence
    ) throws {
        let all = Self.losing(days: history, gramsPerDay: 50, until: Self.end).points
        let trend = WeightTrend(
            points: all.filter { $0.day.distance(to: Self.end) % everyDays == 0 })
        let found = try Expenditure.estimate(
            endingOn: Self.end, intake: Self.intake(2_000, days: records, until: Self.end),
            trend: trend, formula: 2_400_000)
        #expect(found.confidence == expected)
    }

    /// Goal: §3.5's simulation: true 2,500 kcal, intake 2,000 ± 200, scale noise 0.5 kg, 28 days.
    @Test func `over 500 invented months the mean error is small and the spread as published`()
        throws
    {
        let base = Dice.firstSeed
        var daily: [Int64] = []
        var weekly: [Int64] = []
        for seed in base..<(base + 500) {
            var dice = Dice(seed: seed)
            var readings: [WeightTrend.Sample] = []
            var intake: [Expenditure.Intake] = []
            var micrograms: Int64 = 95_000_000_000
            for day in Self.end.lastDays(90) {
                let eaten = 2_000_000 + dice.normal() * 200
                micrograms += (eaten - 2_500_000) * 1_000_000 / 7_700
                intake.append(Expenditure.Intake(day: day, millikilocalories: eaten))
                readings.append(
                    WeightTrend.Sample(
                        id: Identifier(high: 0, low: UInt64(readings.count)), day: day,
                        grams: micrograms / 1_000_000 + dice.normal() / 2))
            }
            let far: Int64 = 2_500_000
            func error(_ readings: [WeightTrend.Sample]) throws -> Int64 {
                try Expenditure.estimate(
                    endingOn: Self.end, intake: intake, trend: WeightTrend(readings), formula: far
                ).millikilocalories - 2_500_000
            }
            daily.append(try error(readings))
            weekly.append(
                try error(readings.filter { $0.day.distance(to: Self.end) % 7 == 0 }))
        }
        let mean = daily.reduce(0, +) / 500
        let variance = daily.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / 500
        #expect(abs(mean) < 15_000, "seeds from \(base): mean error \(mean) mkcal")
        #expect(variance < 60_000 * 60_000, "seeds from \(base): variance \(variance)")
        // What is published as ± holds for at least nine in ten.
        #expect(daily.count { abs($0) <= 100_000 } >= 450, "seeds from \(base)")
        #expect(weekly.count { abs($0) <= 500_000 } >= 450, "seeds from \(base)")
    }
}

extension Dice {
    /// A draw with mean 0 and standard deviation 1,000, the sum of twelve.
    fileprivate mutating func normal() -> Int64 {
        (0..<12).reduce(Int64(-6_000)) { sum, _ in sum + Int64(next() % 1_000_000) / 1_000 }
    }
}
