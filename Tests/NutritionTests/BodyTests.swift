import MacrologEvents
import MacrologNutrition
import Testing

@Suite struct WeightOutlookTests {
    static let end = Day("2026-11-20") ?? .earliest

    static func outlook(gramsPerDay: Int64, days: Int = 200) -> WeightOutlook? {
        WeightOutlook(ExpenditureTests.losing(days: days, gramsPerDay: gramsPerDay, until: end))
    }

    @Test func `a target is met on the day that the trend meets it`() throws {
        let outlook = try #require(Self.outlook(gramsPerDay: 100))
        #expect(abs(outlook.slopeMicrogramsPerWeek + 700_000_000) < 1_000, "700 g a week")
        let trend = outlook.trendNanograms / 1_000_000_000
        let target = trend - 1_000
        guard case .on(let day) = outlook.arrival(at: target) else {
            Issue.record("\(outlook.arrival(at: target))")
            return
        }
        #expect(Self.end.distance(to: day) == 10 || Self.end.distance(to: day) == 11)
        #expect(outlook.arrival(at: trend + 1_000) == .movingAway)
        #expect(outlook.arrival(at: trend - 80) == .reached)
        #expect(outlook.arrival(at: trend - 74_000) == .beyondTwoYears)
    }

    @Test func `how sure a day is follows from how often someone weighed`() throws {
        let daily = try #require(Self.outlook(gramsPerDay: 100))
        #expect(daily.plusMinusMicrogramsPerWeek == 100_000_000)
        let trend = daily.trendNanograms / 1_000_000_000
        let span = try #require(daily.arrivalSpan(at: trend - 7_000))
        // 7 kg at 0.8, 0.7 and 0.6 kg a week.
        #expect((61...63).contains(Self.end.distance(to: span.earliest)))
        #expect((81...83).contains(span.latest.map { Self.end.distance(to: $0) } ?? 0))
        #expect(daily.arrivalSpan(at: trend + 7_000) == nil)
        let slow = try #require(Self.outlook(gramsPerDay: 10))
        let near = slow.trendNanograms / 1_000_000_000 - 500
        #expect(try #require(slow.arrivalSpan(at: near)).latest == nil, "70 g less 100 g a week")
        let weekly = WeightTrend(
            (0..<5).map {
                WeightTrend.Sample(
                    id: Identifier(high: 0, low: UInt64($0)),
                    day: Self.end.advanced(by: -7 * $0), grams: 80_000 + 500 * Int64($0))
            })
        #expect(WeightOutlook(weekly)?.plusMinusMicrogramsPerWeek == 500_000_000)
    }

    @Test func `a level trend and too little data promise no day`() {
        #expect(Self.outlook(gramsPerDay: 0)?.arrival(at: 80_000) == .level)
        #expect(Self.outlook(gramsPerDay: 1)?.arrival(at: 80_000) == .level, "7 g a week")
        #expect(Self.outlook(gramsPerDay: 100, days: 7) == nil, "six days apart")
        #expect(WeightOutlook(WeightTrend([])) == nil)
    }

    @Test func `a fast loss and a fast gain are noticed`() {
        #expect(Self.outlook(gramsPerDay: 100)?.pace == .moderate)
        #expect(Self.outlook(gramsPerDay: 250)?.pace == .fastLoss)
        #expect(Self.outlook(gramsPerDay: -50)?.pace == .moderate)
        #expect(Self.outlook(gramsPerDay: -100)?.pace == .fastGain)
    }

    @Test func `the latest share of fat counts, wherever it was measured`() throws {
        let day = Self.end
        var weighIn = WeighIn(
            id: Identifier(high: 0, low: 1), on: LocalDate(day: day), grams: 80_000)
        #expect(BodyComposition.Sample(weighIn) == nil)
        weighIn.bodyFatBasisPoints = 2_000
        let scale = try #require(BodyComposition.Sample(weighIn))
        var fat = BodyFat(
            id: Identifier(high: 0, low: 2),
            on: LocalDate(day: day, occurredAt: 5), basisPoints: 1_820)
        let callipers = BodyComposition.Sample(fat)
        let old = BodyComposition.Sample(day: day.advanced(by: -9), basisPoints: 2_200)
        for list in [[scale, callipers, old], [old, callipers, scale]] {
            #expect(BodyComposition.latestFat(list, upTo: day)?.basisPoints == 1_820)
            #expect(
                BodyComposition.latestFat(list, upTo: day.advanced(by: -1))?.basisPoints == 2_200)
        }
        #expect(BodyComposition.latestFat([scale], upTo: day.advanced(by: -1)) == nil)
        fat.basisPoints = 2_000
        #expect(fat.leanGrams(ofGrams: 80_000) == 64_000)
    }

    @Test func `a series says how a measure has moved`() {
        let series = SampleSeries([
            (Self.end, 810),
            (Self.end.advanced(by: -30), 850),
            (Self.end.advanced(by: -10), 845),
        ])
        #expect(series.change == -40)
        #expect(series.bounds == 810...850)
        #expect(series.mean == 835)
        #expect(SampleSeries([]).change == nil)
        #expect(SampleSeries([]).mean == nil)
    }
}

@Suite struct KetosisTests {
    @Test(arguments: [
        (0, false, KetoneZone.none), (499, false, .none), (500, false, .light),
        (501, true, .light), (1_499, true, .light), (1_500, true, .optimal),
        (3_000, true, .optimal), (3_001, true, .high),
    ])
    func `ketosis begins above 0.5, not at it`(level: Int64, isIn: Bool, zone: KetoneZone) {
        #expect(Ketosis.isInKetosis(micromoles: level, method: .blood) == isIn)
        #expect(Ketosis.zone(micromoles: level, method: .blood) == zone)
    }

    @Test func `urine and breath say nothing about ketosis`() {
        for method in [KetoneMethod.urine, .breath] {
            #expect(Ketosis.isInKetosis(micromoles: 4_000, method: method) == nil)
            #expect(Ketosis.zone(micromoles: 4_000, method: method) == nil)
        }
        #expect(KetoneZone.allCases.filter { $0.warning != nil } == [.high])
    }

    @Test func `blood values convert by the mass of their substance`() {
        let bhb = BloodSubstance.betaHydroxybutyrate
        #expect(bhb.milligramsPerDeciliterMilli(micromoles: 1_000) == 10_410, "× 10.41")
        #expect(bhb.micromoles(milligramsPerDeciliterMilli: 10_410) == 1_000)
        let glucose = BloodSubstance.glucose
        #expect(glucose.milligramsPerDeciliterMilli(micromoles: 1_000) == 18_016, "× 18.016")
        for level in stride(from: Int64(0), through: 30_000, by: 7) {
            #expect(
                bhb.micromoles(
                    milligramsPerDeciliterMilli: bhb.milligramsPerDeciliterMilli(micromoles: level))
                    == level)
        }
    }
}

@Suite struct HydrationTests {
    @Test func `glasses sum up against the target, and food's water only when asked`() {
        let day = Hydration(volumes: [250_000, 500_000, 250_000], target: 2_000_000)
        #expect(day.totalMicroliters == 1_000_000)
        #expect(day.remainingMicroliters == 1_000_000)
        #expect(day.basisPoints == 5_000)
        #expect(day.servings == 3)
        let withFood = Hydration(volumes: [500_000], foodWater: 700_000, target: 1_000_000)
        #expect(withFood.remainingMicroliters == -200_000, "never clamped")
        #expect(Hydration(volumes: []).basisPoints == nil)
        #expect(Hydration(volumes: [1], target: 0).basisPoints == nil)
    }
}

@Suite struct FastingTests {
    static let noon: Int64 = 1_795_000_000_000
    static let hour: Int64 = 3_600_000

    static func fast(
        _ number: UInt64, from start: Int64, to end: Int64? = nil, target: Int64? = 960
    ) -> Fast {
        var fast = Fast(
            id: Identifier(high: 0, low: number), startedAt: noon + start * hour,
            targetMinutes: target)
        fast.endedAt = end.map { noon + $0 * hour }
        return fast
    }

    @Test func `a fast is as long as its instants, whatever clocks did`() throws {
        let fasting = Fasting([Self.fast(1, from: -16)])
        let span = try #require(fasting.active(at: Self.noon))
        #expect(span.minutes(at: Self.noon) == 960)
        #expect(span.hasReachedTarget(at: Self.noon) == true)
        #expect(span.remainingMinutes(at: Self.noon - Self.hour) == 60)
        #expect(span.dueAt == Self.noon)
        #expect(span.minutes(at: Self.noon - 100 * Self.hour) == 0)
        #expect(
            Fasting([Self.fast(1, from: -16, target: nil)]).spans[0].hasReachedTarget(at: 0) == nil)
    }

    @Test func `of two fasts begun on two devices the later is on, and both are flagged`() {
        let fasting = Fasting([Self.fast(2, from: -5), Self.fast(1, from: -8)])
        #expect(fasting.active(at: Self.noon)?.id.low == 2)
        #expect(fasting.overlapping(at: Self.noon).map(\.id.low) == [1, 2])
        #expect(fasting.shown(at: Self.noon).map(\.id.low) == [1], "the longest")
        let apart = Fasting([
            Self.fast(1, from: -30, to: -14), Self.fast(2, from: -14, to: -1),
            Self.fast(3, from: 5),
        ])
        #expect(apart.overlapping(at: Self.noon) == [])
        #expect(apart.shown(at: Self.noon).count == 3)
        #expect(apart.active(at: Self.noon) == nil, "one planned for later is not on")
    }

    @Test func `a cancelled fast is none`() {
        var fast = Self.fast(1, from: -5)
        fast.isCancelled = true
        #expect(Fasting([fast]).active(at: Self.noon) == nil)
    }

    @Test func `presets are known by name and by hours`() {
        #expect(Fasting.preset("16:8")?.minutes == 960)
        #expect(Fasting.preset(" 18 ")?.minutes == 1_080)
        #expect(Fasting.preset("36")?.minutes == 2_160)
        #expect(Fasting.preset("17") == nil)
    }

    @Test func `the eating window goes from the first to the last meal`() {
        #expect(Fasting.eatingWindow([300, 100, 200]) == 100...300)
        #expect(Fasting.eatingWindow([]) == nil)
    }
}

@Suite struct DayEnergyTests {
    static let day = Day("2026-11-20") ?? .earliest

    static func activity(
        _ number: UInt64, energy: Int64?, source: UTF8Text? = nil, at instant: Int64? = nil,
        minutes: Int64? = nil
    ) -> ActivityEntry {
        var activity = ActivityEntry(
            id: Identifier(high: 0, low: number), on: LocalDate(day: day, occurredAt: instant),
            name: "Run")
        activity.energyMillikilocalories = energy
        activity.source = source
        activity.durationSeconds = minutes.map { $0 * 60 }
        return activity
    }

    static func tracker(_ source: UTF8Text, active: Int64?, steps: Int64? = nil) -> EnergyDay {
        var day = EnergyDay(on: day, source: source)
        day.activeMillikilocalories = active
        day.steps = steps
        return day
    }

    @Test func `a tracker's day holds its workouts: the greater counts, not the sum`() {
        let run = Self.activity(1, energy: 320_000)
        let watch = Self.tracker("watch", active: 580_000)
        let day = DayEnergy(activities: [run], days: [watch])
        #expect(day.activeMillikilocalories == 580_000)
        #expect(day.source == "watch")
        #expect(day.workoutMillikilocalories == 320_000)
        let small = DayEnergy(
            activities: [run], days: [Self.tracker("phone", active: 100_000)])
        #expect(small.activeMillikilocalories == 320_000)
        #expect(small.source == nil)
    }

    @Test func `two sources are never summed, in any order`() {
        let days = [
            Self.tracker("watch", active: 500_000, steps: 9_000),
            Self.tracker("phone", active: 300_000, steps: 9_500),
        ]
        for list in [days, days.reversed()] {
            let day = DayEnergy(activities: [], days: list)
            #expect(day.activeMillikilocalories == 500_000)
            #expect(day.steps == 9_500)
            #expect(day.stepsSource == "phone")
        }
    }

    @Test func `one workout recorded by two devices counts once`() {
        let start: Int64 = 1_795_000_000_000
        let watch = Self.activity(1, energy: 400_000, source: "watch", at: start, minutes: 45)
        let phone = Self.activity(
            2, energy: 350_000, source: "phone", at: start + 600_000, minutes: 30)
        let evening = Self.activity(
            3, energy: 100_000, source: "phone", at: start + 36_000_000, minutes: 30)
        let day = DayEnergy(activities: [phone, evening, watch], days: [])
        #expect(day.activeMillikilocalories == 500_000)
        #expect(day.duplicates.map(\.low) == [2])
        #expect(day.workouts.map(\.low) == [1, 3])
        let untimed = DayEnergy(
            activities: [
                Self.activity(1, energy: 1_000), Self.activity(2, energy: 1_000, source: "a"),
            ], days: [])
        #expect(untimed.duplicates == [], "without times nothing is known")
    }

    @Test func `energy that includes rest is reduced by it`() {
        var run = Self.activity(1, energy: 400_000, minutes: 60)
        run.energyKind = .gross
        #expect(run.activeEnergy(weightGrams: 80_000, resting: 1_800_000) == 325_000)
        #expect(run.activeEnergy(weightGrams: 80_000, resting: nil) == 320_000, "1 kcal/kg/h")
        run.energyKind = .active
        #expect(run.activeEnergy(weightGrams: 80_000, resting: 1_800_000) == 400_000)
    }

    @Test func `a metabolic equivalent, a weight and a duration are an energy`() {
        // 8.3 × 70 kg × 0.5 h = 290.5 kcal, of which 35 kcal are rest.
        #expect(DayEnergy.gross(met: 8_300, grams: 70_000, seconds: 1_800) == 290_500)
        var run = Self.activity(1, energy: nil, minutes: 30)
        run.metThousandths = 8_300
        #expect(run.activeEnergy(weightGrams: 70_000, resting: nil) == 255_500)
        #expect(run.activeEnergy(weightGrams: nil, resting: nil) == nil)
        #expect(DayEnergy(activities: [run], days: []).unknown.map(\.low) == [1])
    }

    @Test func `a source that counts only whole days gives what is above rest`() {
        var fit = EnergyDay(on: Self.day, source: "fit")
        fit.totalMillikilocalories = 2_300_000
        #expect(DayEnergy(activities: [], days: [fit]).activeMillikilocalories == 0)
        #expect(
            DayEnergy(activities: [], days: [fit], resting: 1_800_000).activeMillikilocalories
                == 500_000)
        fit.basalMillikilocalories = 1_700_000
        #expect(
            DayEnergy(activities: [], days: [fit], resting: 1_800_000).activeMillikilocalories
                == 600_000)
    }

    @Test func `steps of workouts count where no tracker saw more`() {
        var run = Self.activity(1, energy: 100)
        run.steps = 5_000
        #expect(DayEnergy(activities: [run], days: []).steps == 5_000)
        let day = DayEnergy(
            activities: [run], days: [Self.tracker("watch", active: nil, steps: 7_000)])
        #expect(day.steps == 7_000)
        #expect(DayEnergy(activities: [], days: []).steps == nil)
        // Of which nothing else is known, too.
        run.energyMillikilocalories = nil
        let walk = DayEnergy(activities: [run], days: [])
        #expect(walk.steps == 5_000 && walk.unknown == [run.id])
        // Two records of one walk count once, in any order; that of the most steps.
        var both = [("watch", 4_000), ("phone", 5_000)].enumerated().map { number, record in
            var walk = Self.activity(
                UInt64(number + 2), energy: nil, source: UTF8Text(record.0),
                at: 1_763_700_000_000, minutes: 30)
            walk.steps = Int64(record.1)
            return walk
        }
        for _ in 0..<2 {
            #expect(DayEnergy(activities: both, days: []).steps == 5_000)
            both.reverse()
        }
    }

    @Test func `numbers at the ends of 64 bits stop nothing`() {
        var wild = Self.activity(1, energy: .max, source: "a", at: .max, minutes: nil)
        wild.durationSeconds = .max
        wild.energyKind = .gross
        var other = wild
        other.source = "b"
        _ = DayEnergy(activities: [wild, other], days: [], weightGrams: .max, resting: .max)
    }
}
