import MacrologEvents
import MacrologNutrition
import MacrologTestSupport
import Testing

@Suite struct NutrientTotalsTests {
    static func fiber(_ milligrams: Int64?) -> Nutrients {
        var nutrients = Nutrients(energy: 100_000)
        nutrients[.fiber] = milligrams
        return nutrients
    }

    @Test func `unknown fibre in one of four items covers three of four, and is not zero`() {
        let totals = NutrientTotals(
            own: Nutrients(),
            items: [Self.fiber(10_000), Self.fiber(nil), Self.fiber(16_000), Self.fiber(0)])
        #expect(totals[.fiber] == 26_000)
        #expect(totals.coverage(of: .fiber).description == "3 of 4")
        #expect(totals.coverage(of: .energy).isComplete)
        #expect(totals[.sodium] == nil)
        #expect(totals.coverage(of: .sodium).known == 0)
    }

    @Test func `the pancakes of a photo sum to 615 kcal, 93 g, 9 g and 19 g`() {
        // The sample's own total says 11 g of protein and 21 g of fat; the items are the truth.
        let items = [
            Nutrients(energy: 595_000, protein: 8_000, carbs: 80_000, fat: 18_000),
            Nutrients(energy: 20_000, protein: 1_000, carbs: 13_000, fat: 1_000),
        ]
        let totals = NutrientTotals(own: Nutrients(), items: items)
        #expect(totals[.energy] == 615_000)
        #expect(totals[.carbs] == 93_000)
        #expect(totals[.protein] == 9_000)
        #expect(totals[.fat] == 19_000)
    }

    @Test func `a meal's total is its own nutrients and those of its items`() {
        let own = Nutrients(energy: 300_000)
        let totals = NutrientTotals(own: own, items: [Self.fiber(5_000)])
        #expect(totals.parts == 2)
        #expect(totals[.energy] == 400_000)
        #expect(totals.coverage(of: .fiber).description == "1 of 2")
    }

    @Test func `a meal of which nothing is known is one unknown part`() {
        let totals = NutrientTotals(own: Nutrients(), items: [])
        #expect(totals.parts == 1)
        #expect(totals[.energy] == nil)
        #expect(totals.coverage(of: .energy).description == "0 of 1")
    }

    @Test func `half of a shared pot counts half, rounded once`() {
        let items = [Nutrients(protein: 1), Nutrients(protein: 2)]
        let totals = NutrientTotals(own: Nutrients(), items: items, shareBasisPoints: 5_000)
        #expect(totals[.protein] == 2)
        #expect(totals.parts == 2)
    }

    @Test func `the order of adding changes nothing`() {
        var dice = Dice(seed: 7)
        let parts = (0..<40).map { _ in
            var part = Nutrients()
            for nutrient in Nutrient.known where dice.below(3) > 0 {
                part[nutrient] = Int64(dice.below(2_000_000))
            }
            return part
        }
        let forward = NutrientTotals(own: Nutrients(), items: parts)
        for _ in 0..<1_000 {
            var shuffled = parts
            for index in shuffled.indices.dropFirst() {
                shuffled.swapAt(index, dice.below(index + 1))
            }
            guard NutrientTotals(own: Nutrients(), items: shuffled) == forward else {
                Issue.record("another order gave another sum (seed 7)")
                return
            }
        }
        #expect(
            NutrientTotals(parts: forward.parts, entries: forward.entries.reversed()) == forward)
    }

    @Test func `sums stay at the limits of 64 bits instead of trapping`() {
        var totals = NutrientTotals(own: Nutrients(energy: .max), items: [Nutrients(energy: .max)])
        totals.add(totals)
        #expect(totals[.energy] == .max)
    }
}

@Suite struct MacroDistributionTests {
    @Test func `shares sum to a hundred, the largest remainders rounded up`() throws {
        let thirds = try #require(MacroDistribution(protein: 9_000, carbs: 9_000, fat: 4_000))
        #expect([thirds.protein, thirds.carbs, thirds.fat] == [34, 33, 33])
        let golden = try #require(MacroDistribution(protein: 162_000, carbs: 307_000, fat: 89_333))
        #expect([golden.protein, golden.carbs, golden.fat] == [24, 46, 30])
        let only = try #require(MacroDistribution(protein: 0, carbs: 0, fat: 1))
        #expect([only.protein, only.carbs, only.fat] == [0, 0, 100])
        #expect(MacroDistribution(protein: 0, carbs: 0, fat: 0) == nil)
        #expect(MacroDistribution(NutrientTotals()) == nil)
    }

    @Test func `any shares sum to a hundred`() {
        var dice = Dice(seed: 3)
        for _ in 0..<5_000 {
            let (p, c, f) = (dice.below(500), dice.below(500), dice.below(500) + 1)
            let shares = MacroDistribution(protein: Int64(p), carbs: Int64(c), fat: Int64(f))
            #expect(shares.map { $0.protein + $0.carbs + $0.fat } == 100, "\(p) \(c) \(f), seed 3")
        }
        #expect(MacroDistribution(protein: .max, carbs: .max, fat: .max)?.fat == 53)
    }
}

@Suite struct StreakTests {
    static let today = Day("2026-11-20") ?? .earliest

    /// Days as steps from today.
    static func streak(_ logged: [Int], skipped: [Int] = []) -> [Int] {
        let streak = Streak(
            logged: logged.map { today.advanced(by: $0) },
            skipped: skipped.map { today.advanced(by: $0) }, today: today)
        return [streak.current, streak.longest]
    }

    @Test func `a streak ends today or yesterday`() {
        #expect(Self.streak([]) == [0, 0])
        #expect(Self.streak([0]) == [1, 1])
        #expect(Self.streak([-2, -1, 0]) == [3, 3])
        #expect(Self.streak([-2, -1]) == [2, 2], "an empty today does not break it")
        #expect(Self.streak([-3, -2]) == [0, 2])
        #expect(Self.streak([-9, -8, -7, -6, -1, 0]) == [2, 4])
    }

    @Test func `a skipped day neither counts nor breaks`() {
        #expect(Self.streak([-3, -1, 0], skipped: [-2]) == [3, 3])
        #expect(Self.streak([-2], skipped: [-1, 0]) == [1, 1])
        #expect(Self.streak([-3, 0], skipped: [-2]) == [1, 1])
        #expect(Self.streak([], skipped: [-1, 0]) == [0, 0])
        #expect(Self.streak([-1], skipped: [-1]) == [1, 1], "a day that was logged counts")
    }

    @Test func `order, repeats and days ahead change nothing`() {
        #expect(Self.streak([0, -2, -1, -1, 1, 2]) == [3, 3])
    }

    @Test func `a change of clocks and of year breaks no streak`() {
        let days = (Day("2026-12-28") ?? .earliest)...(Day("2027-01-03") ?? .earliest)
        let streak = Streak(logged: days, skipped: [], today: days.upperBound)
        #expect(streak.current == 7)
    }
}

@Suite struct PeriodStatsTests {
    static let today = Day("2026-11-20") ?? .earliest

    static func summary(
        _ step: Int, energy: [Int64?], status: DayStatus = .open, goal: Int64? = 2_000_000
    ) -> DaySummary {
        var plan = GoalPlan(id: Identifier(high: 0, low: 1), startDate: .earliest)
        plan.energyMillikilocalories = goal
        let day = today.advanced(by: step)
        return DaySummary(
            day: day,
            meals: energy.map {
                DaySummary.Contribution(
                    slot: "lunch", isConsumed: true,
                    totals: NutrientTotals(own: Nutrients(energy: $0), items: []))
            }, status: status, targets: goal == nil ? nil : plan.targets(on: day), today: today)
    }

    @Test func `three averages say what they divide by`() {
        let stats = PeriodStats(
            Self.today.lastDays(7),
            summaries: [
                Self.summary(-6, energy: [2_000_000], status: .complete),
                Self.summary(-4, energy: [1_000_000]),
                Self.summary(-2, energy: [], status: .complete),
                Self.summary(-1, energy: [1_500_000, 500_000]),
                Self.summary(-9, energy: [9_000_000]),
            ], today: Self.today)
        let averages = stats.averages(of: .energy)
        #expect(averages.logged == PeriodStats.Average(amount: 1_666_667, days: 3))
        #expect(averages.complete == PeriodStats.Average(amount: 1_000_000, days: 2))
        #expect(averages.calendar == PeriodStats.Average(amount: 714_286, days: 7))
        #expect(stats.loggedDays == 3)
        #expect(stats.completeDays == 2)
        #expect(stats.includesToday)
    }

    @Test func `an explicit zero counts in averages, the unknown does not`() {
        let zero = PeriodStats(
            Self.today.lastDays(7),
            summaries: [Self.summary(-1, energy: [0]), Self.summary(-2, energy: [1_000])],
            today: Self.today)
        #expect(
            zero.averages(of: .energy).logged == PeriodStats.Average(amount: 500, days: 2))
        let unknown = PeriodStats(
            Self.today.lastDays(7),
            summaries: [Self.summary(-1, energy: [nil]), Self.summary(-2, energy: [1_000])],
            today: Self.today)
        #expect(
            unknown.averages(of: .energy).logged == PeriodStats.Average(amount: 1_000, days: 1))
        #expect(unknown.loggedDays == 2)
    }

    @Test func `a skipped day counts in no average, whatever was logged on it`() {
        let stats = PeriodStats(
            Self.today.lastDays(4),
            summaries: [
                Self.summary(-3, energy: [600_000], status: .skipped),
                Self.summary(-2, energy: [2_000_000]),
                Self.summary(-1, energy: [], status: .skipped),
            ], today: Self.today)
        let averages = stats.averages(of: .energy)
        #expect(averages.logged == PeriodStats.Average(amount: 2_000_000, days: 1))
        #expect(averages.calendar == PeriodStats.Average(amount: 1_000_000, days: 2))
        #expect(stats.loggedDays == 1 && stats.skippedDays == 2)
        let skipped = PeriodStats(
            Self.today.lastDays(1),
            summaries: [Self.summary(0, energy: [600_000], status: .skipped)], today: Self.today)
        #expect(skipped.averages(of: .energy).calendar == nil)
    }

    @Test func `days to come are in no average, unless all are to come`() {
        let week = Self.today.advanced(by: -2)...Self.today.advanced(by: 4)
        let summaries = [
            Self.summary(-1, energy: [2_000_000]), Self.summary(0, energy: [1_000_000]),
            Self.summary(1, energy: [9_000_000]),
        ]
        let stats = PeriodStats(week, summaries: summaries, today: Self.today)
        let averages = stats.averages(of: .energy)
        #expect(averages.logged == PeriodStats.Average(amount: 1_500_000, days: 2))
        #expect(averages.calendar == PeriodStats.Average(amount: 1_000_000, days: 3))
        #expect(stats.loggedDays == 2 && stats.days == week)
        let ahead = Self.today.advanced(by: 1)...Self.today.advanced(by: 3)
        let planned = PeriodStats(ahead, summaries: summaries, today: Self.today)
        #expect(
            planned.averages(of: .energy).calendar
                == PeriodStats.Average(amount: 3_000_000, days: 3))
    }

    @Test func `an empty span has no averages and divides by nothing`() {
        let stats = PeriodStats(Self.today.lastDays(30), summaries: [], today: Self.today)
        let averages = stats.averages(of: .energy)
        #expect(averages.logged == nil)
        #expect(averages.complete == nil)
        #expect(averages.calendar == nil)
        #expect(stats.achievementRateBasisPoints == nil)
        #expect(stats.targetAverage(of: .energy) == nil)
        #expect(stats.distribution == nil)
    }

    @Test func `the achievement rate counts the days that were judged`() {
        let stats = PeriodStats(
            Self.today.lastDays(7),
            summaries: [
                Self.summary(-6, energy: [2_000_000]), Self.summary(-5, energy: [2_000_000]),
                Self.summary(-4, energy: [3_000_000]), Self.summary(-3, energy: []),
                Self.summary(-2, energy: [2_000_000], status: .skipped),
                Self.summary(0, energy: [3_000_000]),
            ], today: Self.today)
        #expect(stats.achievedDays == 2)
        #expect(stats.missedDays == 1)
        #expect(stats.skippedDays == 1)
        #expect(stats.achievementRateBasisPoints == 6_667)
    }

    @Test func `the goal line is the mean of the targets in force, not today's`() {
        let stats = PeriodStats(
            Self.today.lastDays(5),
            summaries: [
                Self.summary(-4, energy: [], status: .skipped, goal: 9_000_000),
                Self.summary(-3, energy: [], goal: 1_800_000),
                Self.summary(-2, energy: [], goal: 1_800_000),
                Self.summary(-1, energy: [], goal: 2_400_000),
                Self.summary(0, energy: [], goal: nil),
            ], today: Self.today)
        #expect(
            stats.targetAverage(of: .energy) == PeriodStats.Average(amount: 2_000_000, days: 3))
    }
}
