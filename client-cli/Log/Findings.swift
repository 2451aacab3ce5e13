import MacrologArgumentParsing
import MacrologTerminal
import Macrolog

/// A finding as text: the field's name, the problem, what to type.
func told(_ finding: Finding) -> String {
    let kind = Kind.named(finding.kind)?.title ?? finding.kind.string
    let field = Kind.title(of: finding.field, in: finding.kind)
    return printable("\(kind): \(field) \(finding.problem): \(finding.hint)")
}

extension Kind {
    /// The name of a field for display: `weight` for `weight_g`, `meal slot` for `meal_type`.
    static func title(of field: Text, in kind: Text) -> String {
        named(kind)?.field(field)?.title.string
            ?? String(field.string.map { $0 == "_" ? " " : $0 })
    }
}
