import MacrologEvents
import MacrologNutrition
import Testing

/// The acceptance tests of the domain that need no log, no file and no server, by their numbers. Each
/// is short; the suites beside prove the same in depth.
@Suite struct AcceptanceTests {
    static let today = Day("2026-11-20") ?? .earliest

    static func item(_ name: String, _ kcal: Int64, _ p: Int64, _ c: Int64, _ f: Int64) -> Nutrients
    {
        Nutrients(energy: kcal * 1_000, protein: p * 1_000, carbs: c * 1_000, fat: f * 1_000)
    }

    @Test func `1 CarbCal sample body: stored items, totals 615-93-9-19`() {
        let items = [
            Self.item("Pancakes", 595, 8, 89, 19), Self.item("Blueberries", 8, 0, 2, 0),
            Self.item("Syrup", 12, 1, 2, 0),
        ]
        let totals = NutrientTotals(own: Nutrients(), items: items)
        #expect(totals[.energy] == 615_000)
        #expect(totals[.carbs] == 93_000)
        #expect(totals[.protein] == 9_000)
        #expect(totals[.fat] == 19_000)
        let analysis = Analysis(
            id: Identifier(high: 0, low: 1), status: .ok,
            items: items.map { TemplateItem(name: "part", nutrients: $0) })
        #expect(NutrientTotals(own: Nutrients(), items: analysis.items.map(\.nutrients)) == totals)
    }

    @Test func `2 AirFit scenarios 1-4`() {
        let base = ScenarioTests.targets(active: 0).energy
        #expect(base == 2_100_000)
        #expect(ScenarioTests.targets(active: 450_000).energy == 2_550_000)
        #expect(ScenarioTests.targets(active: 80_000).energy == 2_180_000)
        #expect(ScenarioTests.targets(active: 680_000).energy - 2_180_000 == 600_000)
        #expect(ScenarioTests.dynamic.targets(on: .earliest).missing == .weight)
    }

    /// The golden numbers of the formulas, each as printed; the formulas' own suites hold the rest.
    @Test func `3 all golden numbers`() throws {
        let numbers: [(Int64, Int64)] = [
            (
                RestingEnergy.mifflin(grams: 80_000, millimeters: 1_800, age: 30, isMale: true),
                1_780_000
            ),
            (
                RestingEnergy.mifflin(grams: 65_000, millimeters: 1_650, age: 28, isMale: false),
                1_380_250
            ),
            (RestingEnergy.katchMcArdle(grams: 80_000, bodyFatBasisPoints: 2_000), 1_752_400),
            (RestingEnergy.katchMcArdle(grams: 60_000, bodyFatBasisPoints: 2_500), 1_342_000),
            (RestingEnergy.cunningham(grams: 80_000, bodyFatBasisPoints: 2_000), 1_908_000),
            (
                RestingEnergy.harrisBenedict(
                    grams: 80_000, millimeters: 1_780, age: 30, isMale: true), 1_844_034
            ),
            (
                RestingEnergy.harrisBenedict(
                    grams: 65_000, millimeters: 1_650, age: 30, isMale: false), 1_429_918
            ),
            (
                Atwater.energy(
                    protein: 2_400, carbs: 0, fat: 200, fiber: 74_100, carbBasis: .available),
                159_600
            ),
        ]
        for (found, golden) in numbers { #expect(found == golden) }
        let birth = try #require(Day("2000-02-29"))
        #expect(Day("2026-02-28")?.age(bornOn: birth) == 25)
        #expect(Day("2026-03-01")?.age(bornOn: birth) == 26)
        func series(_ grams: [Int64], _ gaps: [Int]) -> [String] {
            var readings: [WeightTrend.Sample] = []
            for (index, grams) in grams.enumerated() {
                readings.append(
                    WeightTrend.Sample(
                        id: Identifier(high: 0, low: UInt64(index)),
                        day: Self.today.advanced(by: gaps[index]), grams: grams))
            }
            return WeightTrend(readings).points.map {
                Display.decimal($0.trendNanograms, scale: 1_000_000_000_000, places: 5)
            }
        }
        #expect(
            series([172_000, 171_500, 171_500, 171_000, 172_000], [0, 1, 2, 3, 4])
                == ["172.00000", "171.95000", "171.90500", "171.81450", "171.83305"])
        #expect(
            series([80_000, 79_500, 79_000], [0, 1, 4]) == ["80.00000", "79.95000", "79.69255"])
        for plate in DietTests.plates where plate.scores[.keto] != nil {
            #expect(DietScore.score(plate.facts, for: .keto).score == plate.scores[.keto])
        }
        #expect(
            BloodSubstance.betaHydroxybutyrate.milligramsPerDeciliterMilli(micromoles: 10_000)
                == 104_105)
    }

    @Test func `7 same-day weight logged on two devices is one row, two timed weigh-ins are two`() {
        let day = Self.today
        #expect(Identities.weighIn(on: day) == Identities.weighIn(on: day))
        #expect(Identities.weighIn(on: day) != Identities.weighIn(on: day.advanced(by: 1)))
        let readings = [5, 9].map { hour in
            WeightTrend.Sample(
                id: Identifier(high: 0, low: UInt64(hour)), day: day,
                occurredAt: Int64(hour) * 3_600_000, grams: 80_000 + Int64(hour))
        }
        #expect(WeightTrend(readings).points.map(\.grams) == [80_005], "the first of the day")
    }

    @Test func `8 plan changed on the 10th leaves 1st-9th untouched`() {
        func plan(_ number: UInt64, _ start: String) -> GoalPlan {
            GoalPlan(id: Identifier(high: 0, low: number), startDate: Day(start) ?? .earliest)
        }
        let plans = [plan(1, "2026-11-01"), plan(2, "2026-11-10")]
        for date in 1...20 {
            let day = (Day("2026-11-01") ?? .earliest).advanced(by: date - 1)
            #expect(
                GoalPlan.inForce(on: day, among: plans)?.id.low == (date < 10 ? 1 : 2))
        }
    }

    @Test(arguments: LocalDateTests.fixtures)
    func `10 every zone fixture`(fixture: LocalDateTests.Fixture) {
        let date = LocalDate(
            instant: fixture.instant, zone: nil, offsetMinutes: fixture.offset,
            dayStartMinutes: fixture.start)
        #expect(date?.day.description == fixture.day)
    }

    @Test func `15 EU CSV "80,2" accepted, "1,234" refused without a choice`() throws {
        #expect(try NumberReader().read("80,2")?.milli == 80_200)
        #expect(throws: NumberError.self) { try NumberReader().read("1,234") }
        #expect(try NumberReader(decimalMark: .comma).read("1,234")?.milli == 1_234)
        #expect(try NumberReader(decimalMark: .point).read("1,234")?.milli == 1_234_000)
    }

    @Test func `16 unknown fibre in one of four items: coverage 3 of 4, not 0`() {
        var items = [Nutrients](repeating: Nutrients(energy: 100_000), count: 4)
        for index in 0..<3 { items[index][.fiber] = 4_000 }
        let totals = NutrientTotals(own: Nutrients(), items: items)
        #expect(totals[.fiber] == 12_000)
        #expect(totals.coverage(of: .fiber).description == "3 of 4")
    }

    @Test func `19 weekly weigh-in window: no division by zero`() {
        for gap in 1...30 {
            let points = ExpenditureTests.losing(days: 120, gramsPerDay: 50, until: Self.today)
                .points.filter { $0.day.distance(to: Self.today) % gap == 0 }
            for count in 0...points.count {
                let trend = WeightTrend(points: Array(points.prefix(count)))
                _ = trend.trendSlopeMicrogramsPerWeek
                _ = WeightOutlook(trend)?.arrival(at: 1)
                _ = try? Expenditure.estimate(
                    endingOn: Self.today,
                    intake: ExpenditureTests.intake(2_000, days: 28, until: Self.today),
                    trend: trend, formula: 2_000_000)
            }
        }
    }

    @Test func `20 logged 0 g counts in averages`() {
        func summary(_ daysAgo: Int, _ protein: Int64?) -> DaySummary {
            let nutrients = Nutrients(energy: 0, protein: protein)
            return DaySummary(
                day: Self.today.advanced(by: -daysAgo),
                meals: [
                    DaySummary.Contribution(
                        slot: "lunch", isConsumed: true,
                        totals: NutrientTotals(own: nutrients, items: []))
                ], today: Self.today)
        }
        let stats = PeriodStats(
            Self.today.lastDays(7),
            summaries: [summary(0, 0), summary(1, 10_000), summary(2, nil)],
            today: Self.today)
        #expect(stats.averages(of: .protein).logged == PeriodStats.Average(amount: 5_000, days: 2))
    }
}
