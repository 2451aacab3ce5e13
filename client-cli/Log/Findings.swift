import MacrologArgumentParsing
import MacrologTerminal
import Macrolog

/// A finding as text: the field's name, the problem, what to type.
func told(_ finding: Finding) -> String {
    let kind = Kind(name: finding.kind)?.word ?? finding.kind.string
    let field = fieldInWords(finding.field)
    return printable("\(kind): \(field) \(finding.problem): \(finding.hint)")
}

/// The name of a field for display: `weight` for `weight_g`, `meal slot` for `meal_type`. The unit of
/// a stored number is left out.
func fieldInWords(_ field: Text) -> String {
    if let name = fieldNames[field.string] { return name }
    let units = ["g", "mg", "mm", "m", "mkcal", "bp", "ul", "umol", "min", "s", "ms", "milli"]
    var parts = field.string.split(separator: "_").map(String.init)
    if parts.count > 1, let last = parts.last, units.contains(last) { parts.removeLast() }
    return Nutrient(key: Text(parts.joined(separator: "_")))?.formatted
        ?? parts.joined(separator: " ")
}

/// The names of fields that their keys do not give.
private let fieldNames: [String: String] = [
    "dish_name": "name", "local_date": "date", "meal_type": "meal slot", "consumed": "eaten",
    "consumed_at": "eaten at", "consumed_share_bp": "share eaten", "photo_sha256s": "photos",
    "is_estimated": "estimated", "food_id": "food", "meal_id": "meal", "recipe_id": "recipe",
    "sub_recipe_id": "recipe", "template_id": "template", "ended_at": "end", "started_at": "start",
    "bmr_formula": "equation", "body_fat_bp": "body fat", "fat_pct_bp": "share of fat",
    "protein_per_lb_mg": "protein per pound", "macro_pct": "shares",
    "energy_adjust_mkcal": "adjustment",
    "energy_adjust_bp": "aim", "day_start_min": "start of the day", "display_name": "name",
    "external_ids": "external ids", "source_ref": "source", "carb_basis": "carbohydrate basis",
]

extension Kind {
    /// The kind as the commands call it.
    var word: String {
        switch self {
        case .mealItem: "item"
        case .goalPlan: "goal"
        case .dayLog: "day"
        case .planEntry: "plan"
        case .mealTemplate: "template"
        case .recipeItem: "ingredient"
        case .foodPortion: "measure"
        case .customNutrient: "nutrient"
        case .bodyFat: "body fat"
        case .bodyMeasure: "measurement"
        case .importBatch: "import"
        default: formatted
        }
    }
}
