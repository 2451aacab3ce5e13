import MacrologNutrition
import Testing

@Suite struct UnitTests {
    @Test func `every tenth of a pound from 50 to 500 survives storage in whole grams`() throws {
        for tenths in 500...5_000 {
            let typed = "\(tenths / 10).\(tenths % 10)"
            let quantity = try #require(try NumberReader().read(typed + " lb"))
            let grams = try quantity.whole(.gram)
            #expect(Display.weight(grams, in: .pounds) == typed + " lb")
        }
    }

    @Test func `every tenth of a pound survives as stones and pounds`() throws {
        for tenths in Int64(500)...5_000 {
            let text = "\(tenths / 140) st \(tenths % 140 / 10).\(tenths % 10) lb"
            let grams = try #require(try NumberReader().read(text)).whole(.gram)
            #expect(Display.weight(grams, in: .stones) == text)
        }
    }

    @Test func `every kilocalorie survives a look in kilojoules and back within half a kilojoule`()
    {
        for kilocalories in Int64(0)...5_000 {
            let kilojoules = Measure.kilocalorie.convert(kilocalories, to: .kilojoule) ?? -1
            let back = Measure.kilojoule.convert(kilojoules, to: .kilocalorie)
            #expect(back == kilocalories)
        }
    }

    @Test func `the exact sizes of units are those of the treaties`() {
        #expect(Measure.pound.convert(100_000, to: .gram) == 45_359_237)
        #expect(Measure.stone.convert(1, to: .pound) == 14)
        #expect(Measure.ounce.convert(16, to: .nanogram) == 453_592_370_000)
        #expect(Measure.inch.convert(10, to: .millimeter) == 254)
        #expect(Measure.foot.convert(1, to: .inch) == 12)
        #expect(Measure.usFluidOunce.convert(10_000, to: .microliter) == 295_735_296)
        #expect(Measure.imperialFluidOunce.convert(10_000, to: .microliter) == 284_130_625)
        #expect(Measure.usFluidOunce.convert(8, to: .usCup) == 1)
        #expect(Measure.metricCup.convert(1, to: .milliliter) == 250)
        #expect(Measure.kilocalorie.convert(1_000, to: .kilojoule) == 4_184)
        #expect(Measure.kilojoule.convert(4_184, to: .kilocalorie) == 1_000)
        #expect(Measure.kilogram.convert(1, to: .kilocalorie) == nil)
        #expect(Measure.kilogram.convert(.max, to: .nanogram) == .max)
        #expect(Measure.kilogram.convert(.min, to: .nanogram) == .min)
    }

    @Test func `halves are rounded to even, up as often as down`() {
        #expect(Measure.milligram.convert(500, to: .gram) == 0)
        #expect(Measure.milligram.convert(1_500, to: .gram) == 2)
        #expect(Measure.milligram.convert(2_500, to: .gram) == 2)
        #expect(Measure.milligram.convert(-1_500, to: .gram) == -2)
        #expect(Measure.milligram.convert(-500, to: .gram) == 0)
        #expect(Measure.milligram.convert(-501, to: .gram) == -1)
    }

    @Test func `the shown terms of a sum add up to the shown sum`() {
        func sum(_ base: Int64, _ active: Int64, _ adjust: Int64, _ unit: EnergyUnit) -> String {
            // A resting energy whose product with 1.2 is the base.
            let targets = ComputedTargets(
                resting: Rounding.scaled(base, by: 1_000, over: 1_200), activity: .measured(active),
                adjust: adjust, weightGrams: 80_000)
            return targets.explanation(in: unit)
        }
        #expect(sum(2_161_600, 449_600, 0, .kilocalories) == "2,162 + 449 = 2,611 kcal")
        #expect(sum(2_085_200, 80_000, 0, .kilojoules) == "8,724 + 335 = 9,059 kJ")
        #expect(sum(2_000_400, 100_400, 400, .kilocalories) == "2,001 + 100 + 0 = 2,101 kcal")
        #expect(
            sum(2_000_600, 100_600, -300_600, .kilocalories) == "2,001 + 101 - 301 = 1,801 kcal")
        #expect(
            ComputedTargets(
                resting: 1_750_000, activity: .estimated(2_997_400), weightGrams: 80_000
            ).explanation(in: .kilocalories) == "2,997 kcal")
        for active in Int64(0)..<2_000 {
            let text = sum(2_161_200, active * 777, -300_300, .kilojoules)
            let numbers = text.split(separator: " ").compactMap {
                Int64($0.filter { $0 != "," })
            }
            #expect(numbers[0] + numbers[1] - numbers[2] == numbers[3], "\(text)")
        }
    }

    @Test func `numbers are shown in the unit chosen`() {
        #expect(Display.weight(80_200, in: .kilograms) == "80.2 kg")
        #expect(Display.weight(80_250, in: .kilograms) == "80.2 kg")
        #expect(Display.weight(80_350, in: .kilograms) == "80.4 kg")
        #expect(Display.weight(71_668, in: .stones) == "11 st 4.0 lb")
        #expect(Display.weight(88_900, in: .stones) == "14 st 0.0 lb")
        #expect(Display.height(1_854, in: .feet) == "6 ft 1 in")
        #expect(Display.height(1_854, in: .centimeters) == "185.4 cm")
        #expect(Display.energy(2_680_000, in: .kilocalories) == "2,680 kcal")
        #expect(Display.energy(2_680_000, in: .kilojoules) == "11,213 kJ")
        #expect(Display.volume(250_000, in: .milliliters) == "250 ml")
        #expect(Display.volume(250_000, in: .usFluidOunces) == "8.5 fl oz")
        #expect(Display.volume(250_000, in: .imperialFluidOunces) == "8.8 fl oz")
        #expect(Display.decimal(-50, scale: 1_000, places: 2) == "-0.05")
        #expect(Display.decimal(5, scale: 1_000, places: 3) == "0.005")
        #expect(Display.decimal(.min, scale: 1, places: 0) == "-9223372036854775808")
    }
}
