import MacrologEvents

extension Food {
    /// What the fields of a food say together.
    static func check(_ fields: ValueMap, _ today: Day) -> [Finding] {
        var findings: [Finding] = []
        let basis = fields["basis"]?.text.flatMap { FoodBasis(name: $0) } ?? .per100Grams
        switch basis {
        case .per100Grams: findings += perHundred(fields, of: "100 g", percent: 100)
        // A millilitre of the heaviest syrups weighs less than 1.5 g.
        case .per100Milliliters: findings += perHundred(fields, of: "100 ml", percent: 150)
        case .perServing: break
        }
        return findings + parts(fields)
    }

    /// The bounds of what 100 g can hold: 950 kcal, 100 g of each nutrient, 105 g of all, 40 g of
    /// sodium. The greatest of USDA SR28 are 902 kcal, 104.7 g and 38.8 g.
    private static func perHundred(
        _ fields: ValueMap, of what: String, percent: Int64
    ) -> [Finding] {
        var findings: [Finding] = []
        func refuse(_ field: UTF8Text, above bound: String) {
            findings.append(
                Finding(
                    .hard, kind: "food", field: field,
                    problem: "is more than \(what) can hold (\(bound))",
                    hint: "type what \(what) holds, or state the values per serving"))
        }
        for nutrient in Nutrient.known {
            guard let amount = fields[nutrient.key]?.int else { continue }
            let bound: Int64
            switch nutrient.unit {
            case .millikilocalories: bound = 950_000
            case .milligrams: bound = 100_000
            default: bound = nutrient == .sodium ? 40_000_000_000 : 100_000_000_000
            }
            let limit = bound / 100 * percent
            if amount > limit { refuse(nutrient.key, above: nutrient.unit.words(limit)) }
        }
        guard findings.isEmpty else { return findings }
        var parts: [UTF8Text] = ["protein", "carbs", "fat", "alcohol", "water"]
        if fields["carb_basis"]?.text == CarbBasis.available.name { parts.append("fiber") }
        let sum = parts.reduce(Int64(0)) { Rounding.sum($0, fields[$1]?.int ?? 0) }
        let limit = 1_050 * percent
        if sum > limit {
            refuse("protein", above: "\(FieldUnit.milligrams.words(limit)) of all nutrients")
        }
        return findings
    }

    /// A part that is more than its whole.
    private static func parts(_ fields: ValueMap) -> [Finding] {
        let pairs: [(part: UTF8Text, whole: UTF8Text)] = [
            ("sugars", "carbs"), ("added_sugars", "sugars"), ("sat_fat", "fat"),
        ]
        return pairs.compactMap { part, whole in
            guard let inner = fields[part]?.int, let outer = fields[whole]?.int, inner > outer
            else { return nil }
            return Finding(
                .soft, kind: "food", field: part, problem: "is more than \(whole.string)",
                hint: "check both numbers; they are kept as they are")
        }
    }
}
