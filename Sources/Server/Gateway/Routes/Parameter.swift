/// A parameter of a path or a query: its name, its type, and what it means.
import MacrologEvents
import MacrologJSON
import MacrologNutrition

package struct APIParameter: Sendable {
    /// The forms that a parameter accepts.
    package enum Form: Sendable {
        case id
        case day
        case integer(ClosedRange<Int64>)
        /// Text of at most this number of bytes, with a pattern that is published.
        case text(Int, pattern: String? = nil)
        case choice([String])
        case flag
    }

    package let name: String
    package let form: Form
    /// One sentence.
    let summary: String
    /// Whether a request must have it.
    package var isRequired = false
    /// A value for the documents and the tests.
    package let example: String

    init(
        _ name: String, _ form: Form, _ summary: String, isRequired: Bool = false, example: String
    ) {
        self.name = name
        self.form = form
        self.summary = summary
        self.isRequired = isRequired
        self.example = example
    }

    /// What a request says.
    enum Value: Sendable {
        case id(Identifier)
        case day(Day)
        case integer(Int64)
        case text(String)
        case flag(Bool)

        /// As it is written in an address.
        var text: String {
            switch self {
            case .id(let id): "\(id)"
            case .day(let day): "\(day)"
            case .integer(let number): "\(number)"
            case .text(let text): text
            case .flag(let flag): "\(flag)"
            }
        }
    }

    func value(_ text: String) throws(APIProblem) -> Value {
        guard let value = read(text) else { throw .parameter(name, "\(name) must be \(wish).") }
        return value
    }

    private func read(_ text: String) -> Value? {
        switch form {
        case .id: Identifier(text).map { .id($0) }
        case .day: Day(text).map { .day($0) }
        case .integer(let range):
            Int64(text).flatMap { range.contains($0) && "\($0)" == text ? .integer($0) : nil }
        case .text(let bytesMax, _):
            (1...bytesMax).contains(text.utf8.count) && !text.utf8.contains(0) ? .text(text) : nil
        case .choice(let words): words.contains(text) ? .text(text) : nil
        case .flag: ["true": true, "false": false][text].map { .flag($0) }
        }
    }

    private var wish: String {
        switch form {
        case .id: "an id such as 0192d3a0-0000-7000-8000-000000000001"
        case .day: "a date such as 2026-11-20, from 1900 to 2200"
        case .integer(let range): "a number from \(range.lowerBound) to \(range.upperBound)"
        case .text(let bytesMax, _): "text of 1 to \(bytesMax) bytes"
        case .choice(let words): "one of \(words.joined(separator: ", "))"
        case .flag: "true or false"
        }
    }

    /// Its JSON Schema.
    var schema: JSON {
        switch form {
        case .id: ["type": "string", "format": "uuid"]
        case .day: Schema.day.json()
        case .integer(let range):
            [
                "type": "integer", "minimum": .integer(range.lowerBound),
                "maximum": .integer(range.upperBound),
            ]
        case .text(let bytesMax, let pattern): Schema.text(1...bytesMax, pattern: pattern).json()
        case .choice(let words): ["type": "string", "enum": .array(words.map { .string($0) })]
        case .flag: ["type": "boolean"]
        }
    }
}

extension APIParameter {
    /// The parameters of paths, by their names.
    static let ofPaths: [String: APIParameter] = Dictionary(
        uniqueKeysWithValues: [
            APIParameter(
                "id", .id, "The entity.", isRequired: true,
                example: "0192d3a0-0000-7000-8000-000000000001"),
            APIParameter("date", .day, "The day.", isRequired: true, example: "2026-11-20"),
            APIParameter(
                "month", .text(7, pattern: "^(19[0-9]{2}|2[01][0-9]{2})-(0[1-9]|1[0-2])$"),
                "The month.", isRequired: true, example: "2026-11"),
            APIParameter(
                "token", .text(64, pattern: "^[0-9a-f]{64}$"), "The token of a link.",
                isRequired: true, example: String(repeating: "0", count: 64)),
            APIParameter(
                "signed", .text(107, pattern: "^[A-Za-z0-9_-]{107}$"),
                "The last part of a signed address.", isRequired: true,
                example: String(repeating: "A", count: 107)),
            APIParameter(
                "kind", .choice(Kind.all.map(\.name.string)), "The kind of entity.",
                isRequired: true, example: "meal"),
        ].map { ($0.name, $0) })

    static let from = APIParameter(
        "from", .day, "The first day; thirty days before `to` otherwise.", example: "2026-11-01")
    static let to = APIParameter(
        "to", .day, "The last day; today otherwise.", example: "2026-11-30")
    static let limit = APIParameter(
        "limit", .integer(1...200), "How many at most; 50 otherwise.", example: "50")
    static let cursor = APIParameter(
        "cursor",
        .text(
            200,
            pattern:
                "^[0-9]{1,5}_[0-9]{1,13}_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}_[0-9a-f]{8}$"),
        "Where the page begins, from the `Link` of the page before.",
        example: "20777_0_0192d3a0-0000-7000-8000-000000000001_00000000")
}

extension APIRoutes {
    /// A value of a path's parameter, for the documents and the tests.
    package static func example(of name: String) -> String {
        APIParameter.ofPaths[name]?.example ?? ""
    }

    /// The id of nothing.
    package static var exampleID: String { example(of: "id") }
}
