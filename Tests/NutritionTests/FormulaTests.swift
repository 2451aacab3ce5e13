import MacrologEvents
import MacrologNutrition
import Testing

@Suite struct RestingEnergyTests {
    @Test func `Mifflin-St Jeor gives its golden numbers`() {
        #expect(
            RestingEnergy.mifflin(grams: 80_000, millimeters: 1_800, age: 30, isMale: true)
                == 1_780_000)
        #expect(
            RestingEnergy.mifflin(grams: 65_000, millimeters: 1_650, age: 28, isMale: false)
                == 1_380_250)
    }

    @Test func `Katch-McArdle gives its golden numbers`() {
        #expect(RestingEnergy.katchMcArdle(grams: 80_000, bodyFatBasisPoints: 2_000) == 1_752_400)
        #expect(RestingEnergy.katchMcArdle(grams: 60_000, bodyFatBasisPoints: 2_500) == 1_342_000)
    }

    @Test func `Cunningham gives its golden number`() {
        #expect(RestingEnergy.cunningham(grams: 80_000, bodyFatBasisPoints: 2_000) == 1_908_000)
    }

    @Test func `revised Harris-Benedict gives its golden numbers`() {
        #expect(
            RestingEnergy.harrisBenedict(grams: 80_000, millimeters: 1_780, age: 30, isMale: true)
                == 1_844_034)
        #expect(
            RestingEnergy.harrisBenedict(grams: 65_000, millimeters: 1_650, age: 30, isMale: false)
                == 1_429_918)
    }

    @Test func `the best equation that is possible is chosen, and assumptions are told`() throws {
        var body = Body(weightGrams: 80_000)
        #expect(
            try RestingEnergy.estimate(for: body)
                == .estimate(for: body, formula: .harrisBenedict))
        #expect(try RestingEnergy.estimate(for: body).assumptions == [.age, .sex, .height])
        body.sex = .male
        body.age = 30
        #expect(try RestingEnergy.estimate(for: body).millikilocalories == 1_844_034)
        #expect(try RestingEnergy.estimate(for: body).assumptions == [.height])
        body.heightMillimeters = 1_800
        let mifflin = try RestingEnergy.estimate(for: body)
        #expect(mifflin.formula == .mifflin)
        #expect(mifflin.millikilocalories == 1_780_000)
        #expect(mifflin.assumptions == [])
        body.bodyFatBasisPoints = 2_000
        #expect(try RestingEnergy.estimate(for: body).millikilocalories == 1_752_400)
        #expect(try RestingEnergy.estimate(for: body, formula: .mifflin) == mifflin)
    }

    @Test func `weight is never assumed, and children are not computed`() {
        #expect(throws: InsufficientData.weight) { try RestingEnergy.estimate(for: Body()) }
        #expect(throws: InsufficientData.adulthood) {
            try RestingEnergy.estimate(for: Body(weightGrams: 40_000, age: 14))
        }
        #expect(throws: InsufficientData.bodyFat) {
            try RestingEnergy.estimate(for: Body(weightGrams: 80_000), formula: .cunningham)
        }
        #expect(throws: InsufficientData.height) {
            try RestingEnergy.estimate(for: Body(weightGrams: 80_000), formula: .mifflin)
        }
        #expect(RestingEnergy.fallback.millikilocalories == 1_800_000)
        #expect(RestingEnergy.fallback.assumptions == [.everything])
    }

    @Test func `a body is a person on a day`() throws {
        var profile = Profile(id: Identities.profile, fields: ValueMap())
        profile.birthDate = Day("2000-02-29")
        profile.bodyFatBasisPoints = 2_500
        let day = try #require(Day("2026-02-28"))
        var weighIn = WeighIn(
            id: Identities.weighIn(on: day), on: LocalDate(day: day), grams: 70_000)
        #expect(Body(profile, on: day, weighIn: weighIn).bodyFatBasisPoints == 2_500)
        weighIn.bodyFatBasisPoints = 2_000
        let body = Body(profile, on: day, weighIn: weighIn)
        #expect(body.bodyFatBasisPoints == 2_000)
        #expect(body.age == 25)
        #expect(body.weightGrams == 70_000)
        #expect(Body(profile, on: day, weighIn: nil).weightGrams == nil)
    }
}

@Suite struct TargetTests {
    /// 180 lb in whole grams, as they are stored.
    static let weight = Measure.pound.convert(180, to: .gram) ?? 0

    static func targets(
        resting: Int64 = 1_750_000, active: Int64, adjust: Int64 = 0
    ) -> ComputedTargets {
        ComputedTargets(
            resting: resting, activity: .measured(active), adjust: adjust, weightGrams: weight)
    }

    @Test func `the golden day gives 2680 kcal, 162 g, 89.333 g and 307 g`() {
        let targets = Self.targets(active: 580_000)
        #expect(targets.explanation(in: .kilocalories) == "2,100 + 580 = 2,680 kcal")
        #expect(targets.energy == 2_680_000)
        #expect(Display.decimal(targets.protein, scale: 1_000, places: 1) == "162.0")
        #expect(targets.fat == 89_333)
        #expect(Display.decimal(targets.carbs, scale: 1_000, places: 1) == "307.0")
        #expect(targets.warnings == [])
    }

    @Test func `training days, rest days and a workout move the total by their energy`() {
        #expect(Self.targets(active: 450_000).energy == 2_550_000)
        #expect(Self.targets(active: 80_000).energy == 2_180_000)
        let before = Self.targets(active: 80_000)
        let after = Self.targets(active: 680_000)
        #expect(after.energy - before.energy == 600_000)
        #expect(after.protein == before.protein)
    }

    @Test func `an adjustment is part of the sum and of its explanation`() {
        let targets = Self.targets(active: 580_000, adjust: -500_000)
        #expect(targets.energy == 2_180_000)
        #expect(targets.explanation(in: .kilocalories) == "2,100 + 580 - 500 = 2,180 kcal")
    }

    @Test func `a level multiplies and never adds measured activity`() {
        let targets = ComputedTargets(
            resting: 1_780_000, activity: .level(.moderate), weightGrams: 80_000, sex: .male)
        #expect(targets.energy == 2_759_000)
        #expect(targets.active == nil)
    }

    @Test func `targets that leave no room for carbohydrate reduce fat, then protein, and say so`()
    {
        let weight = Measure.pound.convert(250, to: .gram) ?? 0
        let targets = ComputedTargets(
            resting: 1_100_000, activity: .measured(0), weightGrams: weight,
            proteinMilligramsPerPound: 1_300, fatBasisPoints: 3_500)
        #expect(!targets.isFeasible)
        #expect(targets.energy == 1_320_000)
        #expect(targets.carbs == 0)
        #expect(targets.fat == 29_333)
        #expect(Display.decimal(targets.protein, scale: 1_000, places: 0) == "264")
        let sum = Atwater.energy(protein: targets.protein, carbs: 0, fat: targets.fat)
        #expect(abs(sum - targets.energy) <= 10)
    }

    @Test func `where less fat is enough, protein stays as asked`() {
        let targets = ComputedTargets(
            resting: 1_250_000, activity: .measured(0), weightGrams: 90_718,
            proteinMilligramsPerPound: 1_300, fatBasisPoints: 3_500)
        #expect(!targets.isFeasible)
        #expect(Display.decimal(targets.protein, scale: 1_000, places: 0) == "260")
        #expect(Display.decimal(targets.fat, scale: 1_000, places: 1) == "51.1")
        #expect(targets.carbs == 0)
    }

    @Test func `energy below rest and below the floor is warned about`() {
        let low = Self.targets(active: 0, adjust: -1_000_000)
        #expect(low.warnings.contains(.belowResting))
        #expect(low.warnings.contains(.belowFloor))
        #expect(Self.targets(active: 0, adjust: -500_000).warnings == [.belowResting])
        #expect(Self.targets(active: 0, adjust: -3_000_000).energy == 0)
    }

    @Test func `shares of an energy become masses`() throws {
        let shares = try #require(MacroShares(protein: 4_000, carbs: 3_000, fat: 3_000))
        let masses = ComputedTargets.masses(of: 2_000_000, shares: shares)
        #expect(masses.protein == 200_000)
        #expect(masses.carbs == 150_000)
        #expect(masses.fat == 66_667)
    }
}

@Suite struct AtwaterTests {
    @Test func `energy of macronutrients is exact in thousandths of a kilocalorie`() {
        #expect(Atwater.energy(protein: 9_000, carbs: 93_000, fat: 19_000) == 579_000)
        #expect(Atwater.energy(protein: 1, carbs: 1, fat: 1, alcohol: 1) == 24)
        #expect(Atwater.energy(protein: .max, carbs: .max, fat: .max) == .max)
    }

    @Test func `agar has the energy of its fibre`() {
        let energy = Atwater.energy(
            protein: 2_400, carbs: 0, fat: 200, fiber: 74_100, carbBasis: .available)
        #expect(energy == 159_600)
        let byDifference = Atwater.energy(
            protein: 2_400, carbs: 74_100, fat: 200, fiber: 74_100, carbBasis: .total)
        #expect(byDifference == 159_600)
    }

    @Test func `energy that is unknown is not judged`() {
        #expect(Atwater.isInconsistent(Nutrients(energy: 1), carbBasis: .total) == nil)
    }

    @Test func `a food is scaled once, half to even`() {
        let butter = Nutrients(energy: 717_000, protein: 850, carbs: 60, fat: 81_110)
        let slice = butter.scaled(part: 10_000, whole: 100_000)
        #expect(slice == Nutrients(energy: 71_700, protein: 85, carbs: 6, fat: 8_111))
        let odd = Nutrients(protein: 5).scaled(part: 50_000, whole: 100_000)
        #expect(odd[.protein] == 2)
        #expect(Nutrients(protein: 15).scaled(part: 10_000, whole: 100_000)[.protein] == 2)
        #expect(Nutrients(protein: 25).scaled(part: 10_000, whole: 100_000)[.protein] == 2)
    }
}
