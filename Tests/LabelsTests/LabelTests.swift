import MacrologEvents
import MacrologLabels
import MacrologNutrition
import Testing

/// Goal: what a reader of text makes of a label is understood, with its slips, and what does not fit
/// together is in doubt.
@Suite struct LabelTests {
    private func read(_ text: String) -> NutritionLabel {
        NutritionLabel(
            reading: text.split(separator: "\n").map { line in
                line.split(separator: " ").map { PrintedWord(String($0)) }
            })
    }

    private let european = """
        Typical values per 100g per serving (30g)
        Energy 1046kJ/250kcal 314kJ/75kcal
        Fat 10.0g 3.0g
        of which saturates 2.5g 0.8g
        Carbohydrate 30.0g 9.0g
        of which sugars 5.0g 1.5g
        Fibre 2.0g 0.6g
        Protein 9.0g 2.7g
        Salt 0.50g 0.15g
        """

    @Test func `a European label has two columns, and salt is sodium`() {
        let label = read(european)
        #expect(label.doubts == [])
        #expect(label.columns.map(\.basis) == [.per100Grams, .perServing])
        #expect(label.serving == Amount(milligrams: 30_000))
        #expect(label.carbBasis == .available)
        let first = label.columns[0].nutrients
        #expect(first[.energy] == 250_000 && first[.carbs] == 30_000 && first[.fiber] == 2_000)
        #expect(first[Nutrient(key: "sodium") ?? .energy] == 200_000_000)
        #expect(label.columns[1].nutrients[.protein] == 2_700)
    }

    @Test func `an American label is for one serving, and its percentages are not kept`() {
        let label = read(
            """
            8 servings per container
            Serving size 2/3 cup (55g)
            Amount per serving
            Calories 230
            % Daily Value*
            Total Fat 8g 10%
            Saturated Fat 1g 5%
            Trans Fat 0g
            Cholesterol 0mg 0%
            Sodium 160mg 7%
            Total Carbohydrate 37g 13%
            Dietary Fiber 4g 14%
            Total Sugars 12g
            Includes 10g Added Sugars 20%
            Protein 3g
            """)
        #expect(label.doubts == [])
        #expect(label.columns.map(\.basis) == [.perServing])
        #expect(label.serving == Amount(milligrams: 55_000))
        #expect(label.carbBasis == .total)
        let values = label.columns[0].nutrients
        #expect(values.entries.count == 11 && values[.energy] == 230_000 && values[.fat] == 8_000)
    }

    @Test func `slips of letters are forgiven, slips of digits are doubted`() {
        let slips = european.replacingOccurrences(
            of: ["Carbohydrate": "Carbohydrale", "saturates": "saturales", "2.0g": "2.0q"])
        #expect(read(slips) == read(european))
        for (old, new, doubt): (String, String, LabelDoubt) in [
            ("10.0g", "16.0g", .columnsDiffer(.fat)), ("10.0g", "10.09", .withoutUnit(.fat)),
            ("314kJ", "344kJ", .energy), ("Protein 9.0g 2.7g", "Protein 9.0g", .uneven(.protein)),
            ("Carbohydrate 30.0g 9.0g", "", .missing(.carbs)),
            ("Fat 10.0g", "Fxyzw 10.0g", .missing(.fat)),
            ("5.0g 1.5g", "55.0g 16.5g", .tooMuch(Nutrient(key: "sugars") ?? .energy)),
            ("Fibre 2.0g 0.6g", "Fibre Zzg", .missing(.fiber)),
            ("Fibre", "Xqwzzk", .unknownLine("xqwzzk 2.0g 0.6g")),
        ] {
            let label = read(european.replacingOccurrences(of: [old: new]))
            #expect(label.doubts.contains(doubt), "\(new): \(label.doubts)")
        }
        // What the reader makes of the gap before a number is no part of a name.
        #expect(
            read(european.replacingOccurrences(of: ["Fat ": "Fat ee ", "3.0g": "3:0g"]))
                == read(european))
        #expect(
            read(european.replacingOccurrences(of: ["Carbohydrate 30": "Carbs net 30"])).doubts
                != [])
        for unit in ["m!", "mI", "m|"] {
            let drink = european.replacingOccurrences(of: ["100g": "100\(unit)", "(30g)": "(30ml)"])
            #expect(read(drink).columns.map(\.basis) == [.per100Milliliters, .perServing])
        }
        let single = "Energy 400kJ/95kcal\nFat 1g\nCarbohydrate 20g\nProtein 1g"
        #expect(read(single).doubts.contains(.basis))
        #expect(read("per 100 g\n" + single).doubts == [])
    }

    @Test func `commas, spaces, groups and units beside the name are read`() {
        let label = read(
            """
            per 100 ml
            Energy 1,046 kJ
            250 kcal
            Fat (g) 10,0
            Carbohydrate (g) 30,0
            Protein (g) 9,0
            Sodium 200 mg
            """)
        #expect(label.doubts == [])
        #expect(label.columns.map(\.basis) == [.per100Milliliters])
        #expect(label.columns[0].nutrients[.energy] == 250_000)
        #expect(label.columns[0].nutrients[.fat] == 10_000)
    }

    @Test func `of several looks the number counts that two have read`() {
        let whole = read(european)
        #expect(NutritionLabel(looks: [whole, whole]).doubts == [])
        func look(_ fat: String) -> NutritionLabel {
            read("per 100g\nEnergy 500kJ/119kcal\n\(fat)\nCarbohydrate 20g\nProtein 1g")
        }
        let (one, other) = (look("Fat 4g"), look("Fat 3g"))
        #expect(NutritionLabel(looks: [one, other]).doubts == [.unsteady(.fat)])
        #expect(NutritionLabel(looks: [one, look("")]).doubts.contains(.unsteady(.fat)))
        let third = NutritionLabel(looks: [one, other, one])
        #expect(third.doubts == [] && third.columns[0].nutrients[.fat] == 4_000)
        // However many look at it: one of them must have seen where it begins.
        let cut = look("Fat 4g\nSaturated Fatl2g")
        let none = NutritionLabel(looks: [cut, cut, cut, cut])
        let saturated = Nutrient(key: "sat_fat") ?? .energy
        #expect(none.doubts.contains(.unsteady(saturated)), "\(none.doubts)")
        // Two that are unsure of it prove nothing.
        let unsure = look("Fat 49")
        #expect(NutritionLabel(looks: [unsure, unsure]).doubts.contains(.unsteady(.fat)))
    }

    @Test func `numbers of two columns that prove each other need no second look`() {
        func look(_ old: String, _ new: String) -> NutritionLabel {
            read(european.replacingOccurrences(of: [old: new]))
        }
        // Each look has read another number wrongly.
        let looks = [look("9.0g 2.7g", "9.0g 2.1g"), look("10.0g 3.0g", "16.0g 3.0g")]
        let label = NutritionLabel(looks: looks)
        #expect(label.doubts == [], "\(label.doubts)")
        #expect(label.columns[1].nutrients[.protein] == 2_700)
        #expect(label.columns[0].nutrients[.fat] == 10_000)
        // Of kilojoules those count that fit.
        let joules = NutritionLabel(
            looks: [
                look("1046kJ/250kcal", "46kJ/250kcal"), look("1046kJ/250kcal", "106kJ/250kcal"),
                look("Zz", "Zz"),
            ])
        #expect(joules.doubts == [], "\(joules.doubts)")
        // A mark and a unit that were overlooked in both columns fit each other, too.
        let sodium = Nutrient(key: "sodium") ?? .energy
        let bare = look("Salt 0.50g 0.15g", "Salt 50 15")
        let salt = NutritionLabel(looks: [bare, bare, bare])
        #expect(salt.doubts.contains(.unsteady(sodium)), "\(salt.doubts)")
        // A last digit in one column alone may be the unit.
        let finer = look("30.0g 9.0g", "30.0g 9.01g")
        let carbs = NutritionLabel(looks: [finer, look("30.0g 9.0g", "30.0g")])
        #expect(carbs.doubts.contains(.unsteady(.carbs)), "\(carbs.doubts)")
    }

    @Test func `a first digit that was read as a letter is a digit, or a doubt`() {
        let one = read(european.replacingOccurrences(of: ["10.0g 3.0g": "I0.0g 3.0g"]))
        #expect(one == read(european))
        let other = read(european.replacingOccurrences(of: ["30.0g 9.0g": "a0.0g 9.0g"]))
        #expect(other.doubts.contains(.touched(.carbs)), "\(other.doubts)")
    }

    @Test func `a whole number among decimals, and a serving of unknown size, are doubts`() {
        let cut = read(european.replacingOccurrences(of: ["9.0g 2.7g": "9g 3g"]))
        #expect(cut.doubts.contains(.unclear(.protein)), "\(cut.doubts)")
        #expect(NutritionLabel(looks: [cut, cut]).doubts.contains(.unclear(.protein)))
        let american = "Calories 95\nTotal Fat 1g\nTotal Carbohydrate 20g\nProtein 1g"
        #expect(read(american).doubts.contains(.basis))
        #expect(read("Serving size 1 cup (55g)\n" + american).doubts == [])
        let column = read(european.replacingOccurrences(of: ["per serving (30g)": "per serving"]))
        #expect(
            column.doubts.contains(.basis)
                && NutritionLabel(looks: [column, column]).doubts.contains(.basis))
    }

    @Test func `a serving of a hundred grams is a serving`() {
        let label = read(
            """
            per 100 g per serving (100 g)
            Energy 400kJ/95kcal 400kJ/95kcal
            Fat 1g 1g
            Carbohydrate 20g 20g
            Protein 1g 1g
            """)
        #expect(label.doubts == [] && label.serving == Amount(milligrams: 100_000))
        #expect(label.columns.map(\.basis) == [.per100Grams, .perServing])
    }

    @Test func `a low certainty of the reader is a doubt`() {
        var lines = ["per 100g", "Energy 400kJ/95kcal", "Fat 1g", "Carbohydrate 20g"].map {
            $0.split(separator: " ").map { PrintedWord(String($0)) }
        }
        lines.append([PrintedWord("Protein"), PrintedWord("1g", certainty: 20)])
        #expect(NutritionLabel(reading: lines).doubts == [.unclear(.protein)])
    }

    @Test func `kilojoules alone are converted, in doubt`() {
        let label = read("per 100g\nEnergy 552 kJ\nFat 1g\nCarbohydrate 25g\nProtein 5g")
        #expect(label.doubts == [.unclear(.energy)])
        #expect(label.columns[0].nutrients[.energy] == 131_931)
        #expect(NutritionLabel(looks: [label, label]).doubts == [.unsteady(.energy)])
    }

    @Test func `no text is a label of nothing, and any text is read`() {
        #expect(!read("").isFound)
        #expect(!read("Once upon a time 3 g of gold").isFound)
        for text in [
            "9999999999999999999999g", "fat 0.0.0.0g", "o o og omg", "per 100g per 100g", ",",
        ] {
            _ = read("energy 1kcal\n" + text + "\nfat \(text)")
        }
    }
}

extension String {
    fileprivate func replacingOccurrences(of words: [String: String]) -> String {
        words.reduce(self) { $0.replacing($1.key, with: $1.value) }
    }
}
