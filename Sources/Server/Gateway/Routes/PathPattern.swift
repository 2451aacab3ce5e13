/// Where a route is: literal segments and parameters, such as `/api/v1/meals/{id}/consume`.
import MacrologEvents
import MacrologNutrition

package struct PathPattern: Hashable, Sendable, ExpressibleByStringLiteral {
    enum Segment: Hashable, Sendable {
        case literal(String)
        case parameter(String)
    }

    /// As it is written in documents.
    package let text: String
    let segments: [Segment]

    package init(stringLiteral text: String) { self.init(text) }

    init(_ text: String) {
        self.text = text
        segments = text.split(separator: "/").map { part in
            part.first == "{"
                ? .parameter(String(part.dropFirst().dropLast())) : .literal(String(part))
        }
    }

    /// The names of its parameters, in order.
    package var parameters: [String] {
        segments.compactMap { segment in
            if case .parameter(let name) = segment { name } else { nil }
        }
    }

    /// What stands in place of the parameters; `nil` if the path does not match. Literal segments
    /// are compared byte by byte.
    func match(_ path: [Substring]) -> [String]? {
        guard path.count == segments.count else { return nil }
        var found: [String] = []
        for (segment, part) in zip(segments, path) {
            switch segment {
            case .literal(let text):
                guard text.utf8.elementsEqual(part.utf8) else { return nil }
            case .parameter:
                if part.isEmpty { return nil }
                found.append(String(part))
            }
        }
        return found
    }
}
