/// The value of a named constant, read from the text of the code, so that a constant needs not be
/// visible outside its room to be a promise.
import Foundation

enum Constants {
    /// What `Type.member` is set to, or a `case .member:` of a `switch` gives, such as `65536`, `8...1024` or
    /// `5 / 300000`.
    ///
    /// - Returns: `nil` where no file declares it, or where it is not made of plain numbers.
    static func value(
        _ name: String, in sources: [(path: String, text: String)]
    ) throws -> String? {
        let parts = name.split(separator: ".")
        guard parts.count == 2 else { return nil }
        let type = try Regex(#"(struct|enum|class|actor|extension) \#(parts[0])\b"#)
        let member = try Regex<(Substring, Substring)>(
            #"(?m)(?:(?:let|var) \#(parts[1])\b[^=\n]*= |case \.\#(parts[1]): )(.+)$"#)
        for source in sources
        where source.text.contains(parts[0]) && source.text.contains(parts[1]) {
            for match in source.text.matches(of: type) {
                let rest = source.text[match.range.upperBound...]
                // The type ends with the first brace that stands alone at the margin.
                let end = rest.range(of: "\n}\n")?.lowerBound ?? rest.endIndex
                if let found = rest[..<end].firstMatch(of: member) {
                    return evaluated(String(found.output.1))
                }
            }
        }
        return nil
    }

    /// A number, a product, a shift, a range, or a rate.
    static func evaluated(_ expression: String) -> String? {
        let text = expression.replacingOccurrences(of: "_", with: "")
        if let rate = text.firstMatch(of: /^Rate\(burst: (\d+), interval: (\d+)\)$/) {
            return "\(rate.1) / \(rate.2)"
        }
        if let range = text.firstMatch(of: /^(\d+)\.\.\.(\d+)$/) {
            return "\(range.1)...\(range.2)"
        }
        let factors = text.split(separator: " ")
        guard let first = factors.first.flatMap({ Int64($0) }) else { return nil }
        var result = first
        for index in stride(from: 1, to: factors.count, by: 2) {
            guard index + 1 < factors.count, let next = Int64(factors[index + 1])
            else { return nil }
            switch factors[index] {
            case "*": result *= next
            case "<<": result <<= next
            default: return nil
            }
        }
        return "\(result)"
    }
}
