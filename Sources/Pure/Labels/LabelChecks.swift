import MacrologEvents
import MacrologNutrition

extension NutritionLabel {
    /// Adds the doubts that the numbers raise together.
    mutating func check() {
        for (index, column) in zip(columns.indices, columns) {
            for nutrient in [Nutrient.energy, .fat, .carbs, .protein]
            where column.nutrients[nutrient] == nil {
                doubt(.missing(nutrient))
            }
            if energyFits(column.nutrients) == false { doubt(.energy) }
            checkMarks(column)
            if kilojoules.count > index,
                !Self.fits(column.nutrients[.energy], kilojoules[index])
            {
                doubt(.energy)
            }
            checkParts(column)
        }
        if !kilojoules.isEmpty, kilojoules.count != columns.count { doubt(.energy) }
        if serving == nil, columns.contains(where: { $0.basis == .perServing }) { doubt(.basis) }
        compareColumns()
    }

    /// Adds a doubt once.
    mutating func doubt(_ doubt: LabelDoubt) {
        if !doubts.contains(doubt) { doubts.append(doubt) }
    }

    /// Whether kilojoules are those of the columns.
    func fits(_ kilojoules: [PrintedNumber]) -> Bool {
        zip(columns, kilojoules).allSatisfy { Self.fits($0.nutrients[.energy], $1) }
    }

    /// Whether kilojoules and kilocalories are of one food: from 4.0 kJ a kilocalorie, of fibre, to 4.25,
    /// of protein and carbohydrate, and half of the last digit of each.
    private static func fits(_ energy: Int64?, _ kilojoules: PrintedNumber) -> Bool {
        guard let energy, let joules = kilojoules.whole(.millikilocalorie, unitless: "kj") else {
            return false
        }
        // In kilocalories of 4.184 kJ.
        let least = Rounding.scaled(energy, by: 4_000, over: 4_184) - 700
        return joules >= least && joules <= Rounding.scaled(energy, by: 4_250, over: 4_184) + 700
    }

    /// Whether energy follows from the masses, within what rounding leaves: 14 kcal, of four numbers in
    /// whole grams and tens of kilocalories, or 6 %. `nil` while one of them is unknown.
    private func energyFits(_ nutrients: Nutrients) -> Bool? {
        guard let energy = nutrients[.energy], let protein = nutrients[.protein],
            let carbs = nutrients[.carbs], let fat = nutrients[.fat]
        else { return nil }
        let alcohol = nutrients[.alcohol] ?? 0
        let plain = Atwater.energy(protein: protein, carbs: carbs, fat: fat, alcohol: alcohol)
        let fibrous = Atwater.energy(
            protein: protein, carbs: carbs, fat: fat, fiber: nutrients[.fiber] ?? 0,
            alcohol: alcohol, carbBasis: carbBasis)
        let slack = max(14_000, energy / 100 * 6)
        return abs(energy - plain) <= slack || abs(energy - fibrous) <= slack
    }

    /// A whole number among many with decimals may have lost its mark, or what follows it.
    private mutating func checkMarks(_ column: Column) {
        let masses = column.nutrients.entries.filter { $0.nutrient != .energy }
        let finer = masses.count {
            (column.steps[$0.nutrient] ?? .max) < $0.nutrient.printedUnit
        }
        guard finer >= 3, finer * 2 > masses.count else { return }
        for entry in masses where column.steps[entry.nutrient] == entry.nutrient.printedUnit {
            if entry.amount > 0 { doubt(.unclear(entry.nutrient)) }
        }
    }

    private mutating func checkParts(_ column: Column) {
        let pairs: [(part: Nutrient, whole: Nutrient)] = [
            (.sugars, .carbs), (.addedSugars, .sugars), (.polyols, .carbs), (.saturatedFat, .fat),
            (.transFat, .fat), (.monounsaturatedFat, .fat), (.polyunsaturatedFat, .fat),
        ]
        for (part, whole) in pairs {
            guard let inner = column.nutrients[part], let outer = column.nutrients[whole] else {
                continue
            }
            if inner > outer { doubt(.tooMuch(part)) }
        }
        guard let milligrams = milligrams(of: column.basis) else { return }
        let masses: [Nutrient] = [.protein, .carbs, .fat, .alcohol]
        let sum = masses.reduce(Int64(0)) { Rounding.sum($0, column.nutrients[$1] ?? 0) }
        if sum > Rounding.scaled(milligrams, by: 105, over: 100) { doubt(.tooMuch(.carbs)) }
        if let fiber = column.nutrients[.fiber], fiber > milligrams { doubt(.tooMuch(.fiber)) }
        if let sodium = column.nutrients[.sodium], sodium / 1_000_000 > milligrams * 2 / 5 {
            doubt(.tooMuch(.sodium))
        }
    }

    /// The mass that a column is for; a millilitre as a gram and a half, the heaviest of syrups.
    private func milligrams(of basis: FoodBasis) -> Int64? {
        switch basis {
        case .per100Grams: 100_000
        case .per100Milliliters: 150_000
        case .perServing:
            serving.flatMap { $0.milligrams ?? ($0.unit == "ml" ? $0.milli * 3 / 2 : nil) }
        }
    }

    /// Two columns with a serving of a known size hold each number twice.
    private mutating func compareColumns() {
        guard let hundred = columns.first(where: { $0.basis != .perServing }),
            let one = columns.first(where: { $0.basis == .perServing }), let serving
        else { return }
        for entry in hundred.nutrients.entries {
            guard let small = one.nutrients[entry.nutrient] else { continue }
            let nutrient = entry.nutrient
            let (step, smallStep) = (hundred.steps[nutrient] ?? 0, one.steps[nutrient] ?? 0)
            if !Self.follows(small, smallStep, from: entry.amount, step, serving) {
                doubt(.columnsDiffer(nutrient))
            }
        }
    }

    /// Whether the number of a serving follows from that of 100 g or 100 ml: within half a step of each as
    /// printed, and as much again, because servings are rounded, too.
    static func follows(
        _ small: Int64, _ smallStep: Int64, from amount: Int64, _ step: Int64, _ serving: Amount
    ) -> Bool {
        let expected = Rounding.scaled(amount, by: serving.milli, over: 100_000)
        let slack = Rounding.scaled(step, by: serving.milli, over: 100_000) + smallStep
        return abs(expected - small) <= slack
    }
}

extension Nutrient {
    /// The unit in which a label's numbers are kept.
    var measure: Measure {
        switch unit {
        case .millikilocalories: .millikilocalorie
        case .milligrams: .milligram
        default: .nanogram
        }
    }

    /// A gram or, of sodium and of what is rarer, a milligram, in the unit of its amounts.
    var printedUnit: Int64 {
        switch unit {
        case .nanograms: self == .sodium ? 400_000_000 : 1_000_000
        default: 1_000
        }
    }

    /// The unit that is assumed, in doubt, where none was read.
    var usualUnit: String {
        switch unit {
        case .millikilocalories: "kcal"
        case .milligrams: "g"
        default: "mg"
        }
    }
}
