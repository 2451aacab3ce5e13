import MacrologFaces
import MacrologNutrition
import MacrologTestSupport

/// A nutrition label as a manufacturer prints it, and what it says.
struct PrintedLabel {
    /// What it says, column by column.
    private(set) var columns: [(basis: FoodBasis, nutrients: Nutrients)]
    private(set) var serving: Int64?
    /// A name, and what stands in each column.
    private var rows: [(name: String, cells: [String], indent: Int64, isBold: Bool)] = []
    private var heading: [String] = []
    private let isAmerican: Bool

    init(_ dice: inout Dice) {
        isAmerican = dice.percent(40)
        columns = []
        if isAmerican { american(&dice) } else { european(&dice) }
    }

    // Tenths of a gram make the arithmetic exact.
    private mutating func european(_ dice: inout Dice) {
        let isDrink = dice.percent(20)
        let fat = dice.roll(0...(isDrink ? 60 : 400))
        let carbs = dice.roll(0...min(800, 950 - fat))
        let protein = dice.roll(0...min(350, 980 - fat - carbs))
        let fiber = dice.percent(60) ? dice.roll(0...120) : nil
        let salt = dice.roll(0...250)
        let tenths: [(name: String, nutrient: Nutrient, amount: Int64, indent: Int64)] =
            [
                ("Fat", .fat, fat, 0),
                (
                    dice.percent(50) ? "of which saturates" : "- of which saturates", .saturatedFat,
                    dice.roll(0...fat), 120
                ),
                ("Carbohydrate", .carbs, carbs, 0),
                ("of which sugars", .sugars, dice.roll(0...carbs), 120),
            ] + (fiber.map { [("Fibre", .fiber, $0, 0)] } ?? []) + [
                ("Protein", .protein, protein, 0)
            ]
        let grams = dice.percent(60) ? dice.roll(4...50) * 5 : nil
        serving = grams
        let unit = isDrink ? "ml" : "g"
        heading = ["per 100\(dice.percent(50) ? " " : "")\(unit)"]
        columns = [(isDrink ? .per100Milliliters : .per100Grams, Nutrients())]
        if let grams {
            heading.append(
                dice.percent(50) ? "per \(grams)\(unit)" : "per serving (\(grams) \(unit))")
            columns.append((.perServing, Nutrients()))
        }
        let isSpaced = dice.percent(50)
        let mark = dice.percent(25) ? "," : "."
        let shares = [1] + (grams == nil ? [] : [2])
        var energies: [(kilojoules: Int64, kilocalories: Int64)] = []
        for share in shares {
            let part: (Int64) -> Int64 = { share == 1 ? $0 * 100 : $0 * (grams ?? 0) }
            // By Regulation (EU) 1169/2011, Annex XIV, which has factors of its own for kilojoules.
            let (joules, millikilocalories) = (
                part(carbs + protein) * 17 + part(fat) * 37 + part(fiber ?? 0) * 8,
                part(carbs + protein) * 4 + part(fat) * 9 + part(fiber ?? 0) * 2
            )
            energies.append(((joules + 500) / 1_000, (millikilocalories + 500) / 1_000))
        }
        let slash = dice.percent(50)
        if slash {
            rows.append(
                ("Energy", energies.map { "\($0.kilojoules)kJ/\($0.kilocalories)kcal" }, 0, true))
        } else {
            rows.append(("Energy", energies.map { "\($0.kilojoules) kJ" }, 0, true))
            rows.append(("", energies.map { "\($0.kilocalories) kcal" }, 0, true))
        }
        for index in columns.indices {
            columns[index].nutrients[.energy] = energies[index].kilocalories * 1_000
        }
        func text(_ whole: Int64, _ rest: String) -> String {
            "\(whole)\(mark)\(rest)\(isSpaced ? " " : "")g"
        }
        for row in tenths {
            var cells: [String] = []
            for (index, share) in zip(columns.indices, shares) {
                let amount = share == 1 ? row.amount : (row.amount * (grams ?? 0) + 50) / 100
                columns[index].nutrients[row.nutrient] = amount * 100
                cells.append(text(amount / 10, "\(amount % 10)"))
            }
            rows.append((row.name, cells, row.indent, row.indent == 0))
        }
        var cells: [String] = []
        for (index, share) in zip(columns.indices, shares) {
            let amount = share == 1 ? salt : (salt * (grams ?? 0) + 50) / 100
            columns[index].nutrients[.sodium] = amount * 10 * 1_000_000 * 2 / 5
            cells.append(text(amount / 100, "\(amount / 10 % 10)\(amount % 10)"))
        }
        rows.append(("Salt", cells, 0, true))
    }

    private mutating func american(_ dice: inout Dice) {
        let grams = dice.roll(15...240)
        serving = grams
        let fat = dice.roll(0...min(40, grams / 2))
        let carbs = dice.roll(0...min(80, grams - fat))
        let protein = dice.roll(0...min(40, grams - fat - carbs))
        let fiber = dice.roll(0...carbs / 2)
        let sugars = dice.roll(0...carbs - fiber)
        let saturated = dice.roll(0...fat)
        let sodium = dice.roll(0...120) * 5
        let added = dice.roll(0...sugars)
        let cholesterol = dice.roll(0...20) * 5
        // By 21 CFR 101.9 (c)(1): below 5 kcal 0, up to 50 the nearest 5, above the nearest 10.
        let exact = fat * 9 + carbs * 4 + protein * 4
        let step: Int64 = exact <= 50 ? 5 : 10
        let energy = exact < 5 ? 0 : (exact + step / 2) / step * step * 1_000
        var nutrients = Nutrients(
            energy: energy, protein: protein * 1_000, carbs: carbs * 1_000, fat: fat * 1_000)
        nutrients[.saturatedFat] = saturated * 1_000
        nutrients[.transFat] = 0
        nutrients[.cholesterol] = cholesterol * 1_000_000
        nutrients[.sodium] = sodium * 1_000_000
        nutrients[.fiber] = fiber * 1_000
        nutrients[.sugars] = sugars * 1_000
        nutrients[.addedSugars] = added * 1_000
        columns = [(.perServing, nutrients)]
        func percent(_ amount: Int64, of whole: Int64) -> [String] { ["\(amount * 100 / whole)%"] }
        rows = [
            ("\(dice.roll(2...9)) servings per container", [], 0, false),
            ("Serving size  1 cup (\(grams)g)", [], 0, true),
            ("Amount per serving", [], 0, false),
            ("Calories  \(energy / 1_000)", [], 0, true),
            ("% Daily Value*", [], 0, false),
            ("Total Fat \(fat)g", percent(fat, of: 78), 0, true),
            ("Saturated Fat \(saturated)g", percent(saturated, of: 20), 120, false),
            ("Trans Fat 0g", [], 120, false),
            ("Cholesterol \(cholesterol)mg", percent(cholesterol, of: 300), 0, true),
            ("Sodium \(sodium)mg", percent(sodium, of: 2_300), 0, true),
            ("Total Carbohydrate \(carbs)g", percent(carbs, of: 275), 0, true),
            ("Dietary Fiber \(fiber)g", percent(fiber, of: 28), 120, false),
            ("Total Sugars \(sugars)g", [], 120, false),
            ("Includes \(added)g Added Sugars", percent(added, of: 50), 240, false),
            ("Protein \(protein)g", [], 0, true),
        ]
    }

    /// The label in black on white; lengths are in tenths of a point.
    ///
    /// - Parameter size: Of the letters.
    func drawn(size: Int64, hasRules: Bool) -> Picture {
        let count = Int64(rows.count) + (heading.isEmpty ? 0 : 1)
        let (line, margin) = (size * 8 / 5, size)
        let (name, column) = (size * 11, size * 12)
        let last = isAmerican ? size * 20 : name + column * Int64(columns.count)
        let width = last + 2 * margin
        var picture = Picture(
            width: (width + 9) / 10 * 10, height: (count * line + 2 * margin + 9) / 10 * 10,
            title: "label")
        var y = margin + size
        func write(_ cells: [String], isBold: Bool) {
            for (index, cell) in cells.enumerated() {
                let right = margin + (isAmerican ? last : name + column * Int64(index + 1))
                let small = isAmerican ? size : size * 9 / 10
                picture.add(
                    cell, .ink, size: small, isBold: isBold, .right,
                    at: Picture.Point(right, y))
            }
        }
        if !heading.isEmpty {
            write(heading, isBold: true)
            y += line
        }
        for row in rows {
            if hasRules {
                let level = y - size * 6 / 5
                picture.add(
                    [Picture.Point(margin, level), Picture.Point(margin + last, level)], width: 10,
                    .ink)
            }
            picture.add(
                row.name, .ink, size: size, isBold: row.isBold && isAmerican,
                at: Picture.Point(margin + row.indent * size / 200, y))
            write(row.cells, isBold: false)
            y += line
        }
        return picture
    }
}
