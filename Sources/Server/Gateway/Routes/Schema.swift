/// The form of a JSON value, declared once: it checks what a request sends, and is published as JSON Schema.
import MacrologEvents
import MacrologFaces
import MacrologFormats
import MacrologJSON
import MacrologNutrition

package indirect enum Schema: Sendable {
    /// Text of a number of bytes, with a format of JSON Schema. A pattern of control characters is checked here;
    /// another one is published, and its field checks it.
    case text(ClosedRange<Int>, format: String? = nil, pattern: String? = nil)
    case choice([String])
    /// A number of a number of decimals; the bounds are in the unit of the last one.
    case number(ClosedRange<Int64>, scale: Int)
    case flag
    case list(Schema, countMax: Int)
    /// An open one may have members that are not declared.
    case object([Member], title: String? = nil, isOpen: Bool = false)
    case nullable(Schema)
    /// An object whose members `docs/JSON.md` describes.
    case anyObject

    /// A member of an object.
    package struct Member: Sendable {
        package let name: String
        package let schema: Schema
        package let isRequired: Bool
        let summary: String

        init(_ name: String, _ schema: Schema, _ summary: String = "", isRequired: Bool = false) {
            self.name = name
            self.schema = schema
            self.isRequired = isRequired
            self.summary = summary
        }
    }

    /// The members of an object, or none.
    var members: [Member] {
        if case .object(let members, _, _) = self { members } else { [] }
    }

    /// The same object, none of whose members must be there. One that an entity can do without may be null.
    var asPatch: Schema {
        guard case .object(let members, let title, _) = self else { return self }
        return .object(
            members.map {
                Member($0.name, $0.isRequired ? $0.schema : .nullable($0.schema), $0.summary)
            }, title: title)
    }
}

// MARK: Checking

extension Schema {
    /// Refuses what has another form.
    ///
    /// - Parameters:
    ///   - pointer: Where the value is.
    ///   - ignoresUnknown: Whether members that are not declared are ignored.
    func check(_ value: JSON, at pointer: String, ignoresUnknown: Bool) throws(APIProblem) {
        switch (self, value) {
        case (.nullable, .null), (.flag, .bool), (.anyObject, .object): break
        case (.nullable(let schema), _):
            try schema.check(value, at: pointer, ignoresUnknown: ignoresUnknown)
        case (.text(let bytes, let format, let pattern), .string(let text)):
            guard bytes.contains(text.utf8.count), Self.isForm(text, format, pattern) else {
                throw mistake(pointer)
            }
        case (.choice(let words), .string(let word)):
            guard words.contains(word) else { throw mistake(pointer) }
        case (.number(let range, let scale), .integer), (.number(let range, let scale), .number):
            guard scale > 0 || value.isWhole, let whole = value.scaled(scale), range.contains(whole)
            else {
                throw mistake(pointer)
            }
        case (.list(let schema, let countMax), .array(let values)):
            guard values.count <= countMax else { throw mistake(pointer) }
            for (index, value) in values.enumerated() {
                try schema.check(value, at: "\(pointer)/\(index)", ignoresUnknown: ignoresUnknown)
            }
        case (.object(let members, _, let isOpen), .object(let given)):
            try check(members, given, isOpen: isOpen, at: pointer, ignoresUnknown)
        default: throw mistake(pointer)
        }
    }

    private func check(
        _ members: [Member], _ given: [JSON.Member], isOpen: Bool, at pointer: String,
        _ ignoresUnknown: Bool
    ) throws(APIProblem) {
        var seen: Set<String> = []
        for member in given {
            let place = pointer + "/" + Self.escaped(member.key)
            seen.insert(member.key)
            guard let declared = members.first(where: { $0.name == member.key }) else {
                if isOpen || ignoresUnknown { continue }
                let names = members.map(\.name).joined(separator: ", ")
                throw .invalid(
                    place, "\(member.key.prefix(40)) is no member here; this takes \(names).")
            }
            try declared.schema.check(member.value, at: place, ignoresUnknown: ignoresUnknown)
        }
        for member in members where member.isRequired && !seen.contains(member.name) {
            throw .invalid("\(pointer)/\(member.name)", "\(member.name) is missing.")
        }
    }

    /// Whether text has a format, and no control character that its pattern excludes.
    private static func isForm(_ text: String, _ format: String?, _ pattern: String?) -> Bool {
        switch format {
        case "uuid": return Identifier(text) != nil
        case "date": return Day(text) != nil
        case "date-time": return EntityInput.moment(text) != nil
        default: break
        }
        guard let pattern, plainPatterns.contains(pattern) else { return true }
        let isOfLines = pattern == linesPattern || pattern == visibleLinesPattern
        let hasControls = text.unicodeScalars.contains { scalar in
            scalar.properties.generalCategory == .control && !(scalar == "\n" && isOfLines)
        }
        let mayBeBlank = pattern == linePattern || pattern == linesPattern
        return !hasControls
            && (mayBeBlank || !text.unicodeScalars.allSatisfy(\.properties.isWhitespace))
    }

    private func mistake(_ pointer: String) -> APIProblem {
        // An element is named with its list: `items/0`.
        let names = pointer.split(separator: "/")
        let count = names.last.flatMap { Int($0) } == nil ? 1 : 2
        let name = names.suffix(count).joined(separator: "/")
        return .invalid(pointer, "\(name.isEmpty ? "The body" : name) must be \(wish).")
    }

    private var wish: String {
        switch self {
        case .text(_, "uuid", _): "an id such as \(APIRoutes.exampleID)"
        case .text(_, "date", _): "a date such as 2026-11-20, from 1900 to 2200"
        case .text(_, "date-time", _): "a time such as 2026-11-20T07:40:00+01:00, from 1900 to 2200"
        case .text(let bytes, _, let pattern?) where Self.plainPatterns.contains(pattern):
            "text of \(Self.words(bytes)) bytes without control characters"
                + (bytes.lowerBound > 0 ? ", and not blank" : "")
        case .text(let bytes, _, _): "text of \(Self.words(bytes)) bytes"
        case .choice(let words): "one of \(words.joined(separator: ", "))"
        case .number(let range, let scale):
            (scale == 0 ? "a whole number" : "a number")
                + " from \(JSON.decimal(range.lowerBound, scale: scale).compact) to "
                + JSON.decimal(range.upperBound, scale: scale).compact
        case .flag: "true or false"
        case .list(_, let countMax): "a list of at most \(countMax)"
        case .object, .anyObject: "an object"
        case .nullable(let schema): schema.wish + ", or null"
        }
    }

    private static func words(_ range: ClosedRange<Int>) -> String {
        range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
    }

    /// A key within a pointer (RFC 6901 §3).
    private static func escaped(_ key: String) -> String {
        key.replacing("~", with: "~0").replacing("/", with: "~1")
    }
}

extension JSON {
    /// Whether a number is whole: `2` and `2.0`, and not `2.5` or `2e0`.
    fileprivate var isWhole: Bool {
        guard case .number(let text) = self else { return integer != nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 2 && parts[1].utf8.allSatisfy { $0 == UInt8(ascii: "0") }
    }

    /// A number × 10^scale, rounded half to even; `nil` for anything else, and beyond 64 bits.
    func scaled(_ scale: Int) -> Int64? {
        switch self {
        case .integer(let number):
            var result = number
            for _ in 0..<scale {
                let (product, isTooLarge) = result.multipliedReportingOverflow(by: 10)
                if isTooLarge { return nil }
                result = product
            }
            return result
        case .number(let text):
            let isNegative = text.utf8.first == UInt8(ascii: "-")
            let whole = ExactDecimal(isNegative ? String(text.dropFirst()) : text)?.whole(
                places: scale)
            return whole.map { isNegative ? -$0 : $0 }
        default: return nil
        }
    }
}

// MARK: Publishing

extension Schema {
    /// As JSON Schema (2020-12), which OpenAPI 3.1 uses.
    ///
    /// - Parameter isOpen: Whether members that are not declared are ignored.
    func json(isOpen: Bool = false) -> JSON {
        switch self {
        case .text(let bytes, let format, let pattern):
            .object(
                [
                    JSON.Member("type", "string"),
                    JSON.Member("maxLength", .integer(Int64(bytes.upperBound))),
                ]
                    + (bytes.lowerBound > 0
                        ? [JSON.Member("minLength", .integer(Int64(bytes.lowerBound)))] : [])
                    + (format.map { [JSON.Member("format", .string($0))] } ?? [])
                    + (pattern.map { [JSON.Member("pattern", .string($0))] } ?? []))
        case .choice(let words): ["type": "string", "enum": .array(words.map { .string($0) })]
        case .number(let range, let scale):
            [
                "type": .string(scale == 0 ? "integer" : "number"),
                "minimum": .decimal(range.lowerBound, scale: scale),
                "maximum": .decimal(range.upperBound, scale: scale),
            ]
        case .flag: ["type": "boolean"]
        case .list(let schema, let countMax):
            [
                "type": "array", "items": schema.json(isOpen: isOpen),
                "maxItems": .integer(Int64(countMax)),
            ]
        case .object(let members, let title, let isAlwaysOpen):
            Self.object(
                members.map { ($0, $0.schema.json(isOpen: isOpen)) }, title, isOpen || isAlwaysOpen)
        case .nullable(let schema): ["anyOf": [schema.json(isOpen: isOpen), ["type": "null"]]]
        case .anyObject: ["type": "object"]
        }
    }

    private static func object(
        _ members: [(member: Member, form: JSON)], _ title: String?, _ isOpen: Bool
    ) -> JSON {
        let required = members.filter(\.member.isRequired).map { JSON.string($0.member.name) }
        return .object(
            [JSON.Member("type", "object")]
                + (title.map { [JSON.Member("title", .string($0))] } ?? []) + [
                    JSON.Member(
                        "properties",
                        .object(
                            members.map { member, form in
                                JSON.Member(
                                    member.name,
                                    member.summary.isEmpty
                                        ? form
                                        : form.adding([
                                            JSON.Member("description", .string(member.summary))
                                        ]))
                            })),
                    JSON.Member("additionalProperties", .bool(isOpen)),
                ] + (required.isEmpty ? [] : [JSON.Member("required", .array(required))]))
    }
}

// MARK: Frequent forms

extension Schema {
    static let id = Schema.text(36...36, format: "uuid")
    /// A day from 1900 to 2200.
    static let day = Schema.text(10...10, format: "date", pattern: dayPattern)
    static let dayPattern = "^(19[0-9]{2}|2[01][0-9]{2}|2200)-[0-9]{2}-[0-9]{2}$"
    /// A time from 1900 to 2200.
    static let instant = Schema.text(
        20...35, format: "date-time",
        pattern:
            "^(19[0-9]{2}|2[01][0-9]{2})-[0-9-]{5}T[0-9:.]{8,19}"
            + "(Z|[+-](0[0-9]|1[0-3]):[0-5][0-9]|[+-]14:00)$"
    )
    static let word = Schema.text(1...24, pattern: "^[a-z0-9_-]{1,24}$")
    static let zone = Schema.text(1...64, pattern: "^[A-Za-z0-9_+/-]{1,64}$")
    static let clock = Schema.text(5...5, pattern: "^([01][0-9]|2[0-3]):[0-5][0-9]$")

    /// Text of a person without control characters, except line feeds where there may be several lines. Where it
    /// may not be empty, it may not be blank either.
    static func plain(_ bytes: ClosedRange<Int>, lines: Bool = false) -> Schema {
        if bytes.lowerBound > 0 {
            return .text(bytes, pattern: lines ? visibleLinesPattern : visiblePattern)
        }
        return .text(bytes, pattern: lines ? linesPattern : linePattern)
    }

    private static let linePattern = #"^[^\u0000-\u001F\u007F-\u009F]*$"#
    private static let linesPattern = #"^[^\u0000-\u0009\u000B-\u001F\u007F-\u009F]*$"#
    private static let visiblePattern = visible(#"\u0000-\u001F\u007F-\u009F"#)
    private static let visibleLinesPattern = visible(#"\u0000-\u0009\u000B-\u001F\u007F-\u009F"#)
    private static let plainPatterns = [
        linePattern, linesPattern, visiblePattern, visibleLinesPattern,
    ]

    /// One character at least that is not white space, beside any that are not excluded.
    private static func visible(_ excluded: String) -> String {
        let blank = #" \u0000-\u001F\u007F-\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000"#
        return "^[^\(excluded)]*[^\(blank)][^\(excluded)]*$"
    }
}
