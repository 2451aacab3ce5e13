import MacrologArgumentParsing
import MacrologTerminal
public import Macrolog

/// What the formulas need to know about a person: everything that `profile` knows.
public enum ProfileSettings {
    /// A fact about the person.
    public typealias Fact = Setting<Profile>

    static let name = Fact(
        "name", "display_name", .text, "Your name.",
        text: { $0.displayName.map(printable) }, put: { $0.displayName = $1 })
    static let birth = Fact(
        "birth", "birth_date", .birth, "Your day of birth.", put: { $0.birthDate = $1 })
    static let sex = Fact("sex", "sex", Sex.self, "For the estimate of resting energy.") {
        $0.sex = $1
    }
    static let height = Fact("height", "height_mm", .height, "178, 1.78m or 5ft10.") {
        $0.heightMillimeters = $1
    }
    static let activity = Fact(
        "activity", "activity_level", ActivityLevel.self, "How active you are."
    ) { $0.activityLevel = $1 }
    static let targetWeight = Fact(
        "target-weight", "target_weight_g", .weight, "Your target weight."
    ) { $0.targetWeightGrams = $1 }
    static let diet = Fact("diet", "diet_type", DietType.self, "The diet you follow.") {
        $0.dietType = $1
    }
    static let dietShares = Fact(
        "diet-shares", "custom_macro_pct", .shares,
        "Protein, carbs and fat of a custom diet, as percentages of the energy: 40/30/30.",
        text: { $0.customMacroShares?.typed }, put: { $0.customMacroShares = $1 })
    static let proteinPerPound = Fact(
        "protein-per-lb", "protein_per_lb_mg", .grams,
        "Protein per pound of body mass, in grams, for computed targets.", otherwise: "0.9 g"
    ) { $0.proteinMilligramsPerPound = $1 }
    static let fatShare = Fact(
        "fat-share", "fat_pct_bp", .percent,
        "Fat's share of the energy, in percent, for computed targets.", otherwise: "30 %"
    ) { $0.fatBasisPoints = $1 }
    static let flexibility = Fact(
        "flexibility", "macro_flexibility", MacroFlexibility.self,
        "How strict the targets of protein, carbs and fat are: strict forgives half of what counts as met "
            + "otherwise, flexible twice.", otherwise: .balanced
    ) { $0.macroFlexibility = $1 }
    static let formula = Fact(
        "formula", "bmr_formula", RestingFormula.self, "The equation for resting energy.",
        otherwise: .auto
    ) { $0.restingFormula = $1 }
    static let bodyFat = Fact(
        "body-fat", "body_fat_bp", .percent,
        "Body fat in percent, for days without a measurement."
    ) { $0.bodyFatBasisPoints = $1 }

    /// All facts, in the order of `profile show`.
    public static let all = [
        name, birth, sex, height, activity, targetWeight, diet, dietShares, proteinPerPound,
        fatShare, flexibility, formula, bodyFat,
    ]
}

extension Form where Value == Day {
    /// A date in the past.
    static var birth: Form {
        Form("DATE") { word throws(BadValue) in
            guard let day = Day(word) else {
                throw BadValue("is not a date", instead: "one such as 1990-05-17")
            }
            return day
        }
    }
}

extension MacroShares {
    /// `40/30/30`
    var typed: String {
        [protein, carbs, fat].map { NumberFormat.plain.text($0, scale: 2) }.joined(separator: "/")
    }
}
