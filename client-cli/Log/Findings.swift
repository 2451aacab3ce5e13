import MacrologArgumentParsing
import MacrologTerminal
import Macrolog

extension Finding {
    /// The finding as text: the field's name, the problem, what to type.
    var sentence: String {
        let kindTitle = Kind.named(kind)?.title ?? kind.string
        let field = Kind.title(of: field, in: kind)
        return printable("\(kindTitle): \(field) \(problem): \(hint)")
    }
}

extension Kind {
    /// The name of a field for display: `weight` for `weight_g`, `meal slot` for `meal_type`.
    static func title(of field: UTF8Text, in kind: UTF8Text) -> String {
        named(kind)?.field(field)?.title.string
            ?? String(field.string.map { $0 == "_" ? " " : $0 })
    }
}
