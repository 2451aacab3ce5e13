import MacrologArgumentParsing
import MacrologTerminal
import Macrolog

/// A finding as text: the field's name, the problem, what to type.
func told(_ finding: Finding) -> String {
    let kind = Kind(name: finding.kind)?.word ?? finding.kind.string
    let field = fieldInWords(finding.field)
    return printable("\(kind): \(field) \(finding.problem): \(finding.hint)")
}

/// `weight_g` as `weight`, `dish_name` as `dish name`: people do not type the unit of a stored
/// number.
func fieldInWords(_ field: Text) -> String {
    let units = ["g", "mg", "mm", "m", "mkcal", "bp", "ul", "umol", "min", "s", "ms"]
    var parts = field.string.split(separator: "_").map(String.init)
    if parts.count > 1, let last = parts.last, units.contains(last) { parts.removeLast() }
    return parts.joined(separator: " ")
}

extension Kind {
    /// The kind as the commands call it.
    var word: String {
        switch self {
        case .mealItem: "item"
        case .goalPlan: "goal"
        case .dayLog: "day"
        default: spoken
        }
    }
}
