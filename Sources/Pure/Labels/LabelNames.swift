import MacrologNutrition

/// What the first words of a row mean.
enum RowName: Hashable {
    case nutrient(Nutrient)
    /// Sodium, given as salt: 2.5 times as much.
    case salt
    /// A row that is understood and not kept.
    case other

    /// Reads the words before the first number of a row, with slips of the reader: `Carbohydrale`.
    ///
    /// - Parameter letters: In small letters, with one space between words.
    init?(_ letters: [UInt8]) {
        if let exact = Self.names.first(where: { $0.bytes == letters }) {
            self = exact.name
            return
        }
        if let known = Self.withoutNoise(letters) {
            self = known
            return
        }
        guard letters.count >= 5 else { return nil }
        var best: (slips: Int, name: RowName)?
        for row in Self.names where row.bytes.count >= 5 {
            let most = min(
                SpellCorrection.slipsMax(row.bytes.count), best.map { $0.slips - 1 } ?? 2)
            guard let slips = SpellCorrection.distance(letters, row.bytes, max: most) else {
                continue
            }
            best = (slips, row.name)
        }
        guard let best else { return nil }
        self = best.name
    }

    /// The name before up to two short words, which a reader of text makes of what fills the gap before a number.
    private static func withoutNoise(_ letters: [UInt8]) -> RowName? {
        var words = letters.split(separator: 0x20)
        for _ in 0..<2 {
            guard words.count > 1, let last = words.popLast(), last.count <= 3,
                !["net", "cal"].contains(String(decoding: last, as: UTF8.self))
            else { return nil }
            let rest = Array(words.joined(separator: [0x20]))
            if let known = names.first(where: { $0.bytes == rest }) { return known.name }
        }
        return nil
    }

    private static let names: [(bytes: [UInt8], name: RowName)] = words.flatMap { name, words in
        words.map { (Array($0.utf8), name) }
    }

    /// The names on labels of the European Union, of the United Kingdom and of the USA.
    ///
    /// Source: Regulation (EU) 1169/2011, Annex XV; 21 CFR 101.9 (c).
    private static let words: [(RowName, [String])] = [
        (.nutrient(.energy), ["energy", "calories", "energy value", "calorie", "kcal"]),
        (.nutrient(.fat), ["fat", "total fat", "fats"]),
        (
            .nutrient(.saturatedFat),
            ["saturates", "of which saturates", "saturated fat", "of which saturated", "sat fat"]
        ),
        (
            .nutrient(.monounsaturatedFat),
            [
                "monounsaturates", "mono unsaturates", "monounsaturated fat",
                "of which mono unsaturates",
            ]
        ),
        (
            .nutrient(.polyunsaturatedFat),
            ["polyunsaturates", "poly unsaturates", "polyunsaturated fat"]
        ),
        (.nutrient(.transFat), ["trans fat"]),
        (.nutrient(.cholesterol), ["cholesterol"]),
        (
            .nutrient(.carbs),
            ["carbohydrate", "carbohydrates", "total carbohydrate", "total carb", "carbs"]
        ),
        (
            .nutrient(.sugars), ["sugars", "of which sugars", "total sugars", "sugar"]
        ),
        (.nutrient(.addedSugars), ["added sugars"]),
        (.nutrient(.polyols), ["polyols", "of which polyols", "sugar alcohol"]),
        (.nutrient(.fiber), ["fibre", "fiber", "dietary fiber", "dietary fibre"]),
        (.nutrient(.protein), ["protein", "proteins"]),
        (.salt, ["salt"]), (.nutrient(.sodium), ["sodium"]),
        (.nutrient(.alcohol), ["alcohol"]), (.nutrient(.caffeine), ["caffeine"]),
        (.nutrient(.potassium), ["potassium"]), (.nutrient(.calcium), ["calcium"]),
        (.nutrient(.iron), ["iron"]), (.nutrient(.magnesium), ["magnesium"]),
        (.nutrient(.zinc), ["zinc"]), (.nutrient(.vitaminA), ["vitamin a"]),
        (.nutrient(.vitaminC), ["vitamin c"]), (.nutrient(.vitaminD), ["vitamin d"]),
        (
            .other,
            [
                "starch", "of which starch", "calories from fat", "servings per container",
                "serving per container", "about", "daily value", "reference intake",
            ]
        ),
    ]
}
