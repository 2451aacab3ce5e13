import MacrologEvents
import MacrologNutrition
import Testing

/// Goal: what is published stays what is published, and nothing computed is a riddle.
@Suite struct EnergyTests {
    @Test func `carbohydrate is net or total by what it counts`() {
        var food = Nutrients(carbs: 20_000)
        #expect(food.netCarbs(.total) == 20_000, "unknown fibre is not subtracted")
        food[.fiber] = 8_000
        food[.polyols] = 2_000
        #expect(food.netCarbs(.total) == 10_000)
        #expect(food.netCarbs(.available) == 18_000)
        #expect(food.totalCarbs(.total) == 20_000)
        #expect(food.totalCarbs(.available) == 28_000)
        food[.fiber] = 30_000
        #expect(food.netCarbs(.total) == 0)
        #expect(Nutrients().netCarbs(.total) == nil)
    }

    @Test func `net carbohydrate is summed whether parts count fibre in or not`() {
        func part(_ carbs: Int64?, _ fiber: Int64? = nil, _ polyols: Int64? = nil) -> Nutrients {
            var part = Nutrients(carbs: carbs)
            part[.fiber] = fiber
            part[.polyols] = polyols
            return part
        }
        var sum = NetCarbs()
        #expect(sum.milligrams == nil)
        sum.add(part(20_000, 5_000), .total)
        sum.add(part(10_000, 5_000, 2_000), .available)
        sum.add(part(0), .total)
        #expect(sum.milligrams == 23_000)
        #expect(sum.coverage.isComplete && !sum.isUpperBound, "of no carbs none is fibre")
        sum.add(part(nil, 3_000), .total)
        #expect(sum.coverage.description == "3 of 4" && !sum.isUpperBound)
        var other = NetCarbs()
        other.add(part(7_000), .total)
        #expect(other.isUpperBound, "its fibre is not known")
        sum.add(other.share(basisPoints: 5_000))
        #expect(sum.milligrams == 26_500 && sum.isUpperBound)
        #expect(sum.coverage.description == "4 of 5")
        var mixed = NetCarbs()
        mixed.add(part(20_000, 5_000), nil)
        #expect(mixed.milligrams == 20_000 && mixed.isUpperBound, "some of the fibre is in it")
    }

    @Test func `an aim is a share of base and activity`() {
        #expect(
            EnergyAim.allCases.map { $0.basisPoints } == [0, -1_000, -1_500, -2_000, 1_000, 2_000])
        var plan = GoalPlan(id: Identifier(high: 0, low: 1), startDate: .earliest)
        plan.mode = .dynamic
        plan.energyAdjustBasisPoints = EnergyAim.cut.basisPoints
        let body = Body(weightGrams: 80_000, heightMillimeters: 1_800, age: 30, sex: .male)
        let targets = plan.targets(on: .earliest, body: body, activity: .measured(464_000))
        #expect(targets[.energy]?.amount == 2_210_000, "2600 less 15 %")
        #expect(targets[.energy]?.direction == .max)
        plan.energyAdjustMillikilocalories = -100_000
        #expect(
            plan.targets(on: .earliest, body: body, activity: .measured(464_000))[.energy]?.amount
                == 2_110_000)
        plan.energyAdjustMillikilocalories = 0
        plan.energyAdjustBasisPoints = EnergyAim.bulk.basisPoints
        #expect(plan.direction(of: .energy) == .min)
    }

    @Test func `a macro profile sets protein and fat, and a person's own numbers stay theirs`() {
        var profile = Profile(id: Identities.profile, fields: ValueMap())
        let golden: [(MacroProfile, Int64, Int64)] = [
            (.strength, 1_300, 2_500), (.weightLoss, 1_100, 3_000), (.endurance, 800, 2_500),
        ]
        for (preset, protein, fat) in golden {
            preset.apply(to: &profile)
            #expect(profile.proteinMilligramsPerPound == protein)
            #expect(profile.fatBasisPoints == fat)
            #expect(!preset.rationale.isEmpty && !preset.flexibilityNotes.isEmpty)
        }
        profile.proteinMilligramsPerPound = 950
        let plan = ScenarioTests.dynamic
        let targets = plan.targets(on: .earliest, profile: profile, body: ScenarioTests.body)
        #expect(
            Display.decimal(targets[.protein]?.amount ?? 0, scale: 1_000, places: 1) == "171.0",
            "180 lb × 0.95 g")
    }

    @Test func `of plans that begin on one day a person's own goes before a model's`() {
        var own = GoalPlan(id: Identifier(high: 0, low: 1), startDate: .earliest)
        own.source = .user
        var model = GoalPlan(id: Identifier(high: 0, low: 2), startDate: .earliest)
        model.source = .ai
        #expect(GoalPlan.inForce(on: .latest, among: [own, model])?.id.low == 1)
        #expect(GoalPlan.inForce(on: .latest, among: [model, own])?.id.low == 1)
    }
}

@Suite struct ExplanationTests {
    static let today = Day("2026-11-20") ?? .earliest

    @Test func `every step of a computed day can be checked by hand`() {
        var plan = ScenarioTests.dynamic
        plan.energyAdjustMillikilocalories = -300_000
        let body = Body(weightGrams: 80_000, heightMillimeters: 1_800, age: 30, sex: .male)
        let explanation = TargetExplanation(
            of: plan, on: Self.today, body: body, activity: .measured(400_000))
        #expect(
            explanation.lines == [
                "Resting energy: Mifflin-St Jeor, 10 × 80 kg + 6.25 × 180 cm - 5 × 30 + 5 = 1,780 kcal",
                "Base: 1,780 kcal × 1.2 = 2,136 kcal",
                "Energy: 2,136 + 400 - 300 = 2,236 kcal",
                "Protein: 176.4 lb × 0.9 g = 158.7 g",
                "Fat: 2,236 kcal × 30 % ÷ 9 kcal/g = 74.5 g",
                "Carbohydrate: (2,236 kcal - 4 × 158.7 g - 9 × 74.5 g) ÷ 4 kcal/g = 232.6 g",
            ])
    }

    @Test func `every equation explains itself`() {
        func first(_ body: Body, _ formula: RestingFormula = .auto) -> String? {
            var profile = Profile(id: Identities.profile, fields: ValueMap())
            profile.restingFormula = formula
            return TargetExplanation(
                of: ScenarioTests.dynamic, on: Self.today, profile: profile, body: body
            ).lines.first
        }
        var body = Body(weightGrams: 80_000, age: 30, sex: .male)
        #expect(
            first(body)
                == "Resting energy: Harris-Benedict, 88.362 + 13.397 × 80 kg + 4.799 × 178 cm - 5.677 × 30 = 1,844 kcal"
        )
        body.bodyFatBasisPoints = 2_000
        #expect(
            first(body)
                == "Resting energy: Katch-McArdle, 370 + 21.6 × 80 kg × (100 % - 20 %) = 1,752 kcal"
        )
        #expect(
            first(body, .cunningham)
                == "Resting energy: Cunningham, 500 + 22 × 80 kg × (100 % - 20 %) = 1,908 kcal")
    }

    @Test func `an aim and a level are steps of their own`() {
        var plan = ScenarioTests.dynamic
        plan.energyAdjustBasisPoints = -1_500
        let body = Body(weightGrams: 80_000, heightMillimeters: 1_800, age: 30, sex: .male)
        let lines = TargetExplanation(
            of: plan, on: Self.today, body: body, activity: .level(.moderate)
        ).lines
        #expect(lines[1] == "Base: 1,780 kcal × 1.55 (moderate) = 2,759 kcal")
        #expect(lines[2] == "Aim: 2,759 kcal × -15 % = -414 kcal")
        #expect(lines[3] == "Energy: 2,759 - 414 = 2,345 kcal")
    }

    @Test func `a plan of shares and a plan of numbers say where their numbers come from`() {
        var plan = GoalPlan(id: Identifier(high: 0, low: 1), startDate: .earliest)
        plan.energyMillikilocalories = 2_000_000
        plan.proteinMilligrams = 150_000
        var weekdays = WeekdayGoals()
        weekdays[5, "energy_mkcal"] = 2_500_000
        plan.weekdayGoals = weekdays
        #expect(
            TargetExplanation(of: plan, on: Self.today).lines == [
                "Energy: as set for this weekday = 2,500 kcal", "Protein: as set = 150.0 g",
            ])
        plan.weekdayGoals = nil
        plan.mode = .percent
        plan.macroShares = MacroShares(protein: 4_000, carbs: 3_000, fat: 3_000)
        #expect(
            TargetExplanation(of: plan, on: Self.today).lines == [
                "Energy: as set = 2,000 kcal", "Protein: 2,000 kcal × 40 % ÷ 4 kcal/g = 200.0 g",
                "Carbohydrate: 2,000 kcal × 30 % ÷ 4 kcal/g = 150.0 g",
                "Fat: 2,000 kcal × 30 % ÷ 9 kcal/g = 66.7 g",
            ])
        plan.macroShares = nil
        #expect(
            TargetExplanation(of: plan, on: Self.today).missing
                == "no shares are known: set three percentages that sum to 100")
    }

    @Test func `targets that do not fit are explained with their numbers`() throws {
        var profile = Profile(id: Identities.profile, fields: ValueMap())
        profile.proteinMilligramsPerPound = 1_300
        profile.fatBasisPoints = 3_500
        profile.restingFormula = .katch
        // 250 lb whose resting energy is 1,100 kcal.
        let body = Body(weightGrams: 113_398, sex: .female, bodyFatBasisPoints: 7_020)
        let explanation = TargetExplanation(
            of: ScenarioTests.dynamic, on: Self.today, profile: profile, body: body)
        let warning = try #require(explanation.warnings.first)
        #expect(
            warning.hasPrefix(
                "325.0 g of protein and 51.3 g of fat are 1,762 kcal, more than 1,320 kcal"))
        #expect(explanation.lines.contains { $0.hasPrefix("Fat, reduced: ") })
        #expect(explanation.lines.contains { $0.hasPrefix("Protein, reduced: ") })
    }

    @Test func `an adaptive plan shows its estimate, and falls back to the equation without one`() {
        var plan = ScenarioTests.dynamic
        plan.mode = .adaptive
        let body = Body(weightGrams: 80_000, heightMillimeters: 1_800, age: 30, sex: .male)
        let end = Self.today
        let trend = ExpenditureTests.losing(days: 200, gramsPerDay: 65, until: end)
        let expenditure = try? Expenditure.estimate(
            endingOn: end, intake: ExpenditureTests.intake(2_000, days: 28, until: end),
            trend: trend, formula: 2_400_000)
        let lines = TargetExplanation(
            of: plan, on: end, body: body, expenditure: expenditure
        ).lines
        #expect(
            lines[1]
                == "Expenditure: 2,000 kcal eaten + 0.065 kg a day lost × 7,700 = 2,500 ± 100 kcal = 2,500 kcal"
        )
        #expect(lines[2] == "Energy: 2,500 kcal", "a sum of one term is its result")
        let fallback = TargetExplanation(of: plan, on: end, body: body).lines
        #expect(fallback[1] == "Base: 1,780 kcal × 1.2 = 2,136 kcal")
    }
}

/// Goal: sentences with numbers are in the units that a person chose.
@Suite struct PersonUnitTests {
    static let preferences: Preferences = {
        var preferences = Preferences()
        preferences.energyUnit = .kilojoules
        preferences.weightUnit = .pounds
        preferences.heightUnit = .feet
        preferences.volumeUnit = .usFluidOunces
        return preferences
    }()

    @Test func `a computed target is a sum in the unit of the person`() {
        #expect(
            ScenarioTests.targets(active: 80_000).explanation(in: .kilojoules)
                == "8,786 + 335 = 9,121 kJ")
    }

    @Test func `an equation keeps its own units, with the person's beside them`() {
        var plan = ScenarioTests.dynamic
        plan.energyAdjustMillikilocalories = -300_000
        let body = Body(weightGrams: 80_000, heightMillimeters: 1_800, age: 30, sex: .male)
        let explanation = TargetExplanation(
            of: plan, on: ExplanationTests.today, body: body, activity: .measured(400_000),
            in: Self.preferences)
        #expect(
            explanation.lines == [
                "Resting energy: Mifflin-St Jeor, 10 × 80 kg (176.4 lb) + 6.25 × 180 cm (5 ft 11 in)"
                    + " - 5 × 30 + 5 = 1,780 kcal = 7,448 kJ",
                "Base: 7,448 kJ × 1.2 = 8,937 kJ",
                "Energy: 8,937 + 1,673 - 1,255 = 9,355 kJ",
                "Protein: 176.4 lb × 0.9 g = 158.7 g",
                "Fat: 9,355 kJ × 30 % ÷ 37.656 kJ/g = 74.5 g",
                "Carbohydrate: (9,355 kJ - 16.736 × 158.7 g - 37.656 × 74.5 g) ÷ 16.736 kJ/g = 232.6 g",
            ])
        let assumed = TargetExplanation(
            of: plan, on: .earliest, allowsDefault: true, in: Self.preferences
        ).lines
        #expect(assumed.contains("Assumed: a resting energy of 7,531 kJ: log a weight"))
    }

    @Test func `the expenditure is what was eaten, and the weight that was lost, in pounds`() throws
    {
        let end = ExplanationTests.today
        let found = try Expenditure.estimate(
            endingOn: end, intake: ExpenditureTests.intake(2_000, days: 28, until: end),
            trend: ExpenditureTests.losing(days: 200, gramsPerDay: 65, until: end),
            formula: 2_400_000)
        #expect(
            found.explanation(in: Self.preferences)
                == "8,368 kJ eaten + 0.143 lb a day lost × 14,613 = 10,460 ± 418 kJ")
    }

    @Test func `the coach speaks in the units of the person`() {
        var facts = CoachTests.facts(CoachTests.eaten(1_750), minute: 1_200)
        facts.preferences = Self.preferences
        facts.hydration = Hydration(volumes: [1_200_000], target: 2_000_000)
        #expect(
            CoachMessage.all(facts).map(\.text) == [
                "3,347 kJ of today's 10,669 kJ are left. Another meal would fit.",
                "27.1 fl oz of today's 67.6 fl oz of water are left.",
            ])
    }
}
