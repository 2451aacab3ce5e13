import MacrologEvents
import MacrologNutrition
import Testing

@Suite struct GoalPlanTests {
    static func day(_ text: String) -> Day { Day(text) ?? .earliest }

    static func plan(_ number: UInt64, from day: Day, energy: Int64 = 2_000_000) -> GoalPlan {
        var plan = GoalPlan(id: Identifier(high: 0, low: number), startDate: day)
        plan.energyMillikilocalories = energy
        return plan
    }

    @Test func `a plan changed on the 10th leaves the 1st to the 9th untouched`() {
        let plans = [
            Self.plan(1, from: Self.day("2026-11-01")), Self.plan(2, from: Self.day("2026-11-10")),
        ]
        func force(_ day: String) -> UInt64? {
            GoalPlan.inForce(on: Self.day(day), among: plans)?.id.low
        }
        #expect(force("2026-10-31") == nil)
        #expect(force("2026-11-01") == 1)
        #expect(force("2026-11-09") == 1)
        #expect(force("2026-11-10") == 2)
        #expect(force("2027-11-10") == 2)
    }

    @Test func `of two plans that start on one day the later written counts`() {
        let start = Self.day("2026-11-01")
        let first = Self.plan(1, from: start)
        let second = Self.plan(2, from: start)
        let old = Self.plan(3, from: Self.day("2026-10-01"))
        #expect(GoalPlan.inForce(on: start, among: [first, second, old])?.id.low == 2)
        #expect(GoalPlan.inForce(on: start, among: [second, first, old])?.id.low == 1)
    }

    @Test func `a weekday's own number goes before the plan's`() {
        var plan = Self.plan(1, from: Self.day("2026-11-01"))
        plan.proteinMilligrams = 150_000
        var weekdays = WeekdayGoals()
        weekdays[6, "energy_mkcal"] = 2_500_000
        plan.weekdayGoals = weekdays
        let friday = plan.targets(on: Self.day("2026-11-20"))
        let saturday = plan.targets(on: Self.day("2026-11-21"))
        #expect(friday[.energy]?.amount == 2_000_000)
        #expect(saturday[.energy]?.amount == 2_500_000)
        #expect(saturday[.protein]?.amount == 150_000)
    }

    @Test func `a percent plan divides its energy by its shares, else by the profile's`() {
        var plan = Self.plan(1, from: Self.day("2026-11-01"))
        plan.mode = .percent
        let today = Self.day("2026-11-20")
        #expect(plan.targets(on: today).missing == .shares)
        #expect(plan.targets(on: today)[.energy]?.amount == 2_000_000)
        var profile = Profile(id: Identities.profile, fields: ValueMap())
        profile.customMacroShares = MacroShares(protein: 4_000, carbs: 3_000, fat: 3_000)
        #expect(plan.targets(on: today, profile: profile)[.protein]?.amount == 200_000)
        plan.macroShares = MacroShares(protein: 2_000, carbs: 5_000, fat: 3_000)
        #expect(plan.targets(on: today, profile: profile)[.protein]?.amount == 100_000)
        plan.energyMillikilocalories = nil
        #expect(plan.targets(on: today, profile: profile).missing == .energy)
    }

    @Test func `a dynamic plan computes the day, or says what is missing`() {
        var plan = GoalPlan(
            id: Identifier(high: 0, low: 1), startDate: Self.day("2026-11-01"))
        plan.mode = .dynamic
        plan.energyAdjustMillikilocalories = -300_000
        plan.fiberMilligrams = 30_000
        plan.sodiumMilligrams = 2_300
        let today = Self.day("2026-11-20")
        let unknown = plan.targets(on: today)
        #expect(unknown.missing == .weight)
        #expect(unknown[.energy] == nil)
        #expect(unknown[.fiber]?.amount == 30_000)
        let body = Body(
            weightGrams: 80_000, heightMillimeters: 1_800, age: 30, sex: .male)
        let targets = plan.targets(on: today, body: body, activity: .measured(400_000))
        #expect(targets[.energy]?.amount == 2_236_000)
        #expect(targets[.energy]?.direction == .max)
        #expect(
            targets.computed?.explanation(in: .kilocalories) == "2,136 + 400 - 300 = 2,236 kcal")
        #expect(targets[.sodium]?.amount == 2_300_000_000, "2300 mg in nanograms")
        plan.mode = .adaptive
        let adaptive = plan.targets(on: today, body: body, expenditure: 2_700_000)
        #expect(adaptive[.energy]?.amount == 2_400_000)
        #expect(adaptive.computed?.explanation(in: .kilocalories) == "2,700 - 300 = 2,400 kcal")
    }

    @Test func `an adaptive plan without an estimate takes the activity level, never both`() {
        var plan = GoalPlan(id: Identifier(high: 0, low: 1), startDate: Self.day("2026-11-01"))
        plan.mode = .adaptive
        let body = Body(weightGrams: 80_000, heightMillimeters: 1_800, age: 30, sex: .male)
        var profile = Profile(id: Identities.profile, fields: [:])
        func energy(_ mode: GoalMode) -> Int64? {
            plan.mode = mode
            return plan.targets(
                on: Self.day("2026-11-20"), profile: profile, body: body,
                activity: .measured(400_000))[.energy]?.amount
        }
        #expect(energy(.adaptive) == 2_536_000, "1,780 kcal × 1.2 and 400 kcal measured")
        profile.activityLevel = .light
        #expect(energy(.adaptive) == 2_447_500, "1,780 kcal × 1.375")
        #expect(energy(.dynamic) == 2_536_000)
        profile.activityLevel = .sedentary
        #expect(energy(.adaptive) == 2_536_000)
    }

    @Test func `directions follow what a nutrient is, and energy the adjustment`() {
        var plan = Self.plan(1, from: Self.day("2026-11-01"))
        #expect(plan.direction(of: .energy) == .range)
        plan.energyAdjustMillikilocalories = -1
        #expect(plan.direction(of: .energy) == .max)
        plan.energyAdjustMillikilocalories = 1
        #expect(plan.direction(of: .energy) == .min)
        plan.direction = .range
        #expect(plan.direction(of: .energy) == .range)
        #expect(plan.direction(of: .protein) == .min)
        #expect(plan.direction(of: .fiber) == .min)
        #expect(plan.direction(of: .sodium) == .max)
        #expect(plan.direction(of: .carbs) == .range)
    }
}

@Suite struct GoalTests {
    @Test func `a goal forgives up to its tolerance and not a thousandth more`() {
        let most = Target(.energy, 2_000_000, .max)
        #expect(most.isMet(by: 2_100_000))
        #expect(!most.isMet(by: 2_100_001))
        #expect(most.isMet(by: 0))
        let least = Target(.protein, 150_000, .min)
        #expect(least.isMet(by: 142_500))
        #expect(!least.isMet(by: 142_499))
        let near = Target(.energy, 2_000_000, .range)
        #expect(near.isMet(by: 1_800_000))
        #expect(near.isMet(by: 2_200_000))
        #expect(!near.isMet(by: 2_200_001))
        #expect(!near.isMet(by: 1_799_999))
        let small = Target(.energy, 500_000, .range)
        #expect(small.isMet(by: 600_000), "100 kcal are forgiven")
        #expect(!small.isMet(by: 600_001))
        let macro = Target(.carbs, 200_000, .range)
        #expect(macro.isMet(by: 220_000))
        #expect(!macro.isMet(by: 220_001))
        #expect(most.isMet(by: 2_200_000, toleranceBasisPoints: 1_000))
        #expect(!most.isMet(by: .max))
    }

    @Test func `what remains may be negative`() {
        #expect(Target(.energy, 2_000_000, .max).remaining(after: 2_300_000) == -300_000)
        #expect(Target(.energy, .max, .max).remaining(after: .min) == .max)
    }

    @Test func `strict targets forgive half, flexible ones twice, but only macronutrients`() {
        var plan = GoalPlan(id: Identifier(high: 0, low: 1), startDate: .earliest)
        plan.energyMillikilocalories = 2_000_000
        plan.proteinMilligrams = 100_000
        plan.carbsMilligrams = 200_000
        func met(_ flexibility: MacroFlexibility?, _ nutrient: Nutrient, _ total: Int64) -> Bool? {
            var profile = Profile(id: Identities.profile, fields: [:])
            profile.macroFlexibility = flexibility
            return plan.targets(on: .earliest, profile: profile)[nutrient]?.isMet(by: total)
        }
        for flexibility in [nil, MacroFlexibility.balanced] {
            #expect(met(flexibility, .protein, 95_000) == true)
            #expect(met(flexibility, .protein, 94_999) == false)
            #expect(met(flexibility, .carbs, 220_000) == true)
            #expect(met(flexibility, .carbs, 220_001) == false)
        }
        #expect(met(.strict, .protein, 97_500) == true)
        #expect(met(.strict, .protein, 97_499) == false)
        #expect(met(.strict, .carbs, 210_001) == false)
        #expect(met(.flexible, .protein, 90_000) == true)
        #expect(met(.flexible, .protein, 89_999) == false)
        #expect(met(.flexible, .carbs, 240_000) == true)
        for flexibility in MacroFlexibility.allCases {
            #expect(met(flexibility, .energy, 2_200_000) == true)
            #expect(met(flexibility, .energy, 2_200_001) == false)
        }
    }
}

@Suite struct DaySummaryTests {
    static let today = Day("2026-11-20") ?? .earliest
    static let yesterday = today.advanced(by: -1)

    static func targets(energy: Int64 = 2_000_000) -> DayTargets {
        var plan = GoalPlan(id: Identifier(high: 0, low: 1), startDate: .earliest)
        plan.energyMillikilocalories = energy
        return plan.targets(on: today)
    }

    static func meal(
        _ slot: UTF8Text = "lunch", energy: Int64? = nil, eaten: Bool = true
    ) -> DaySummary.Contribution {
        DaySummary.Contribution(
            slot: slot, isConsumed: eaten,
            totals: NutrientTotals(own: Nutrients(energy: energy), items: []))
    }

    static func status(
        _ day: Day = yesterday, _ meals: [DaySummary.Contribution] = [],
        _ status: DayStatus = .open, _ verdict: GoalOverride = .none,
        targets: DayTargets? = targets()
    ) -> GoalStatus? {
        DaySummary(
            day: day, meals: meals, status: status, verdict: verdict, targets: targets, today: today
        ).goalStatus
    }

    @Test func `only what was eaten counts, slot by slot in the order of a day`() {
        let summary = DaySummary(
            day: Self.today,
            meals: [
                Self.meal("tea", energy: 100_000), Self.meal("snack", energy: 150_000),
                Self.meal("breakfast", energy: 300_000), Self.meal("lunch", energy: 600_000),
                Self.meal("breakfast", energy: 50_000),
                Self.meal("dinner", energy: 900_000, eaten: false),
            ], targets: Self.targets(), today: Self.today)
        #expect(summary.totals[.energy] == 1_200_000)
        #expect(summary.slots.map(\.key) == ["breakfast", "lunch", "snack", "tea"])
        #expect(summary.slots[0].totals[.energy] == 350_000)
        #expect(summary.planned[.energy] == 900_000)
        #expect(summary.consumedMeals == 5)
        #expect(summary.remaining(.energy) == 800_000)
        #expect(summary.remaining(.protein) == nil)
    }

    @Test func `slots summed elsewhere give the day that their meals give`() {
        let meals = [
            Self.meal(energy: 300_000), Self.meal(energy: nil), Self.meal("dinner", energy: 1),
        ]
        var lunch = meals[0].totals
        lunch.add(meals[1].totals)
        let slots = [
            meals[2],
            DaySummary.Contribution(slot: "lunch", isConsumed: true, totals: lunch, meals: 2),
        ]
        #expect(
            DaySummary(day: Self.yesterday, meals: slots, today: Self.today)
                == DaySummary(day: Self.yesterday, meals: meals, today: Self.today))
    }

    @Test func `a day's goal is achieved, missed, in progress or without data`() {
        let enough = [Self.meal(energy: 2_000_000)]
        let tooMuch = [Self.meal(energy: 3_000_000)]
        #expect(Self.status() == .noData)
        #expect(Self.status(Self.today) == .noData)
        #expect(Self.status(Self.yesterday, enough) == .achieved)
        #expect(Self.status(Self.yesterday, tooMuch) == .missed)
        #expect(Self.status(Self.today, enough) == .inProgress)
        #expect(Self.status(Self.today, enough, .complete) == .achieved)
        #expect(Self.status(Self.today.advanced(by: 1), enough) == .inProgress)
        #expect(Self.status(Self.yesterday, enough, .skipped) == .noData)
        #expect(Self.status(Self.yesterday, enough, targets: nil) == nil)
        #expect(Self.status(Self.yesterday, [Self.meal(energy: 1, eaten: false)]) == .noData)
    }

    @Test func `a fast can be marked complete with nothing eaten`() {
        var plan = GoalPlan(id: Identifier(high: 0, low: 1), startDate: .earliest)
        plan.energyMillikilocalories = 2_000_000
        plan.direction = .max
        let targets = plan.targets(on: Self.yesterday)
        #expect(Self.status(Self.yesterday, [], .complete, targets: targets) == .achieved)
        plan.direction = .min
        let least = plan.targets(on: Self.yesterday)
        #expect(Self.status(Self.yesterday, [], .complete, targets: least) == .missed)
    }

    @Test func `the person's verdict goes before the sums`() {
        let tooMuch = [Self.meal(energy: 3_000_000)]
        #expect(Self.status(Self.yesterday, tooMuch, .open, .achieved) == .achieved)
        #expect(Self.status(Self.today, [], .open, .missed) == .missed)
        #expect(Self.status(Self.yesterday, tooMuch, .open, .achieved, targets: nil) == .achieved)
    }

    @Test func `energy that no one knows cannot be judged`() {
        #expect(Self.status(Self.yesterday, [Self.meal(energy: nil)]) == .noData)
    }

    @Test func `a plan without energy is met by all its targets`() {
        var plan = GoalPlan(id: Identifier(high: 0, low: 1), startDate: .earliest)
        plan.proteinMilligrams = 100_000
        plan.fiberMilligrams = 30_000
        let targets = plan.targets(on: Self.yesterday)
        var totals = NutrientTotals()
        totals.add(Nutrients(protein: 100_000))
        #expect(targets.areMet(by: totals) == nil, "fibre is unknown")
        var fibre = Nutrients()
        fibre[.fiber] = 20_000
        totals.add(fibre)
        #expect(targets.areMet(by: totals) == false)
        totals.add(fibre)
        #expect(targets.areMet(by: totals) == true)
    }

    @Test func `energy to burn and steps decide nothing about a day's goal`() {
        var plan = GoalPlan(id: Identifier(high: 0, low: 1), startDate: .earliest)
        plan.burnedMillikilocalories = 500_000
        plan.steps = 10_000
        let alone = plan.targets(on: Self.yesterday)
        #expect(alone.all.isEmpty && alone.burnedMillikilocalories == 500_000)
        #expect(alone.steps == 10_000 && alone.areMet(by: NutrientTotals()) == nil)
        plan.energyMillikilocalories = 2_000_000
        var totals = NutrientTotals()
        totals.add(Nutrients(energy: 2_000_000))
        #expect(plan.targets(on: Self.yesterday).areMet(by: totals) == true)
    }
}
