import MacrologArgumentParsing
import MacrologTerminal
import Macrolog

/// A finding as a person reads it: the field in words, what is wrong, what to type.
func told(_ finding: Finding) -> String {
    let kind = Kind(name: finding.kind)?.word ?? finding.kind.string
    let field = fieldInWords(finding.field)
    return printable("\(kind): \(field) \(finding.problem): \(finding.hint)")
}

/// `weight_g` as `weight`, `dish_name` as `dish name`: the unit of a stored number is nothing that
/// people type.
func fieldInWords(_ field: Text) -> String {
    let units = ["g", "mg", "mm", "m", "mkcal", "bp", "ul", "umol", "min", "s", "ms"]
    var parts = field.string.split(separator: "_").map(String.init)
    if parts.count > 1, let last = parts.last, units.contains(last) { parts.removeLast() }
    return parts.joined(separator: " ")
}

extension Kind {
    /// The kind as the verbs of the command line call it.
    var word: String {
        switch self {
        case .mealItem: "item"
        case .goalPlan: "goal"
        case .dayLog: "day"
        default: spoken
        }
    }
}
