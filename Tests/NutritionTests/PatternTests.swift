import Foundation
import MacrologEvents
import MacrologNutrition
import Testing

/// Goal: a difference between days is stated where chance would hardly make it, and nowhere else.
/// Method: eight weeks with a number of days of each kind, and all fourfold tables against the textbook's test
/// in floating point.
@Suite struct PatternTests {
    /// Eight weeks that begin on a Monday: 16 Saturdays and Sundays, 40 other days. Every other day has a breakfast,
    /// which are 28 of 56.
    ///
    /// - Parameters:
    ///   - above: On how many Saturdays and Sundays, and on how many others, energy was above its target.
    ///   - protein: On how many days with a breakfast, and on how many without, protein reached its target.
    static func patterns(
        above: (Int, Int) = (0, 0), protein: (Int, Int) = (0, 0), streak: Int = 0,
        of count: Int = 56, status: DayStatus = .open
    ) -> DayPatterns {
        let monday = Day(year: 2026, month: 9, day: 21) ?? .earliest
        var (left, leftProtein) = (above, protein)
        let days = (0..<count).map { number in
            let day = monday.advanced(by: number)
            let isWeekend = number % 7 >= 5
            let hasBreakfast = number.isMultiple(of: 2)
            let isAbove = isWeekend ? left.0 > 0 : left.1 > 0
            if isWeekend { left.0 -= 1 } else { left.1 -= 1 }
            let isReached = hasBreakfast ? leftProtein.0 > 0 : leftProtein.1 > 0
            if hasBreakfast { leftProtein.0 -= 1 } else { leftProtein.1 -= 1 }
            let eaten = CoachTests.eaten(
                isAbove ? 3_200 : 2_500, protein: isReached ? 160_000 : 60_000)
            return DaySummary(
                day: day,
                meals: [
                    DaySummary.Contribution(
                        slot: hasBreakfast ? "breakfast" : "dinner", isConsumed: true,
                        totals: eaten)
                ], status: status, targets: CoachTests.targets, today: monday.advanced(by: 56))
        }
        let today = monday.advanced(by: 55)
        return DayPatterns(
            days,
            streak: Streak(
                logged: streak == 0 ? [] : today.lastDays(streak).map { $0 }, skipped: [],
                today: today))
    }

    private func texts(_ patterns: DayPatterns) -> [String] {
        var facts = CoachTests.facts(CoachTests.eaten(1_750))
        facts.patterns = patterns
        return CoachMessage.all(facts).filter { $0.topic == .pattern || $0.topic == .streak }
            .map(\.text)
    }

    @Test func `a clear difference between kinds of days is stated with its numbers`() {
        #expect(
            texts(Self.patterns(above: (11, 6), protein: (25, 8))) == [
                "In the last eight weeks energy was above its target on 11 of 16 Saturdays and"
                    + " Sundays, and on 6 of 40 other days.",
                "In the last eight weeks protein reached its target on 25 of 28 days with a"
                    + " breakfast, and on 8 of 28 without.",
            ])
    }

    @Test func `what chance may make is not stated, nor the opposite, nor what few days say`() {
        #expect(texts(Self.patterns(above: (5, 6), protein: (16, 10))).isEmpty)
        #expect(texts(Self.patterns(above: (0, 40), protein: (0, 28))).isEmpty)
        // Two weeks have four Saturdays and Sundays, and seven days with a breakfast and without.
        #expect(texts(Self.patterns(above: (4, 0), of: 14)).isEmpty)
        #expect(texts(Self.patterns(protein: (7, 0), of: 14)).count == 1)
        #expect(
            texts(Self.patterns(above: (16, 0), protein: (28, 0), status: .skipped)).isEmpty)
        #expect(
            texts(DayPatterns([], streak: Streak(logged: [], skipped: [], today: .earliest)))
                .isEmpty)
    }

    @Test func `the longest row of days is named on the day it reaches a round length`() {
        #expect(
            texts(Self.patterns(streak: 30)) == [
                "30 days in a row are logged, the longest streak so far."
            ])
        #expect(texts(Self.patterns(streak: 31)).isEmpty)
        var quiet = CoachTests.facts(CoachTests.eaten(1_750))
        quiet.patterns = Self.patterns(streak: 30)
        quiet.preferences.showsStreaks = false
        #expect(!CoachMessage.all(quiet).contains { $0.topic == .streak })
        let today = Day(year: 2026, month: 11, day: 20) ?? .earliest
        let earlier = today.advanced(by: -60).lastDays(40).map { $0 }
        let streak = Streak(
            logged: earlier + today.lastDays(30).map { $0 }, skipped: [], today: today)
        #expect(texts(DayPatterns([], streak: streak)).isEmpty)
    }

    @Test func `chance is counted as the textbook counts it`() {
        // Logarithms of factorials, in floating point.
        var factorials = [0.0]
        for number in 1...56 { factorials.append(factorials[number - 1] + log(Double(number))) }
        func ways(_ count: Int, _ all: Int) -> Double {
            factorials[all] - factorials[count] - factorials[all - count]
        }
        for (days, others) in [(6, 6), (16, 40), (28, 28), (8, 30)] {
            for hits in 0...days {
                for otherHits in 0...others {
                    let all = hits + otherHits
                    var chance = 0.0
                    for count in hits...max(hits, min(all, days)) where all - count <= others {
                        chance += exp(
                            ways(count, days) + ways(all - count, others) - ways(all, days + others)
                        )
                    }
                    // What is too near to 1 % for floating point is left out.
                    guard abs(chance - 0.01) > 1e-9 else { continue }
                    #expect(
                        DayPatterns.isUnlikely(
                            DayPatterns.Count(hits: Int64(hits), days: Int64(days)),
                            DayPatterns.Count(hits: Int64(otherHits), days: Int64(others)))
                            == (chance < 0.01), "\(hits)/\(days), \(otherHits)/\(others)")
                }
            }
        }
    }
}
