import MacrologJSON
public import MacrologNutrition

/// What a page states for one serving: schema.org's `NutritionInformation`.
public struct StatedServing: Hashable, Sendable {
    /// Every word of it: `calories 270 kcal, protein 12 g`.
    let text: String
    /// What can be read in one way.
    public let nutrients: Nutrients

    /// `nil` if it says nothing.
    init?(_ json: JSON?) {
        let members = (json?.object ?? []).filter { !$0.key.hasPrefix("@") }
        var words: [String] = []
        var nutrients = Nutrients()
        for member in members {
            guard let value = RecipeFile.line(member.value) else { continue }
            let key =
                member.key.hasSuffix("Content") ? String(member.key.dropLast(7)) : member.key
            words.append("\(key) \(value)")
            guard let nutrient = Self.nutrient(key) else { continue }
            nutrients[nutrient] = Self.amount(value, of: nutrient)
        }
        guard !words.isEmpty else { return nil }
        text = words.joined(separator: ", ")
        self.nutrients = nutrients
    }

    private static func nutrient(_ key: String) -> Nutrient? {
        switch key {
        case "calories": .energy
        case "protein": .protein
        case "carbohydrate": .carbs
        case "fat": .fat
        case "fiber": .fiber
        case "sugar": .sugars
        case "saturatedFat": .saturatedFat
        case "transFat": .transFat
        case "sodium": .sodium
        case "cholesterol": .cholesterol
        default: nil
        }
    }

    /// A number without a unit counts kilocalories, grams, and of sodium and cholesterol milligrams.
    private static func amount(_ text: String, of nutrient: Nutrient) -> Int64? {
        do throws(NumberError) {
            guard let quantity = try NumberReader().read(text) else { return nil }
            return switch nutrient.unit {
            case .millikilocalories:
                try quantity.whole(.millikilocalorie, unitless: .kilocalorie)
            case .milligrams: try quantity.whole(.milligram, unitless: .gram)
            case .nanograms: try quantity.whole(.nanogram, unitless: .milligram)
            default: nil
            }
        } catch {
            return nil
        }
    }
}
