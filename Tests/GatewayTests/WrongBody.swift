import MacrologGateway
import MacrologJSON

/// Bodies with one wrong member each, from the declaration of a body.
struct WrongBody {
    /// Where the mistake is, as a problem has to say it after `#`.
    var pointer: String
    let what: String
    var body: JSON

    /// Stands for a number that JSON does not have, in the text of a body.
    static let noNumber = "no-number"

    /// The body as it is sent, with NaN where ``noNumber`` stands.
    var bytes: [UInt8] { Array(body.compact.replacing("\"\(Self.noNumber)\"", with: "NaN").utf8) }

    var isJSON: Bool { what != "NaN" }

    /// Each mistake that can be made in a value of a form.
    ///
    /// - Parameter base: A value without a mistake; the least one for `nil`.
    static func all(_ schema: Schema, base: JSON? = nil, isClosed: Bool) -> [WrongBody] {
        var all = wrong(schema).map { WrongBody(pointer: "", what: $0, body: $1) }
        switch schema {
        case .nullable(let inner):
            return self.all(inner, base: base == .null ? nil : base, isClosed: isClosed).filter {
                $0.pointer != "" || $0.body != .null
            }
        case .list(let element, _):
            all += self.all(element, isClosed: isClosed).map { $0.inside("0") { .array([$0]) } }
        case .object(let members, let title, let isOpen):
            let given = base?.object ?? least(schema).object ?? []
            // There are some forty nutrients, all of one form.
            let few = title == "nutrients" ? Array(members.prefix(2) + members.suffix(1)) : members
            for member in few {
                let others = given.filter { $0.key != member.name }
                if member.isRequired {
                    all.append(
                        WrongBody(
                            pointer: "/" + member.name, what: "missing", body: .object(others)))
                }
                let base = given.first { $0.key == member.name }?.value
                all += self.all(member.schema, base: base, isClosed: isClosed).map {
                    $0.inside(member.name) { .object(others + [JSON.Member(member.name, $0)]) }
                }
            }
            guard isClosed, !isOpen else { break }
            let unknown = JSON.object(given + [JSON.Member("no_such_member", 1)])
            all.append(WrongBody(pointer: "/no_such_member", what: "unknown", body: unknown))
        default: break
        }
        return all
    }

    private func inside(_ name: String, _ container: (JSON) -> JSON) -> WrongBody {
        WrongBody(pointer: "/\(name)\(pointer)", what: what, body: container(body))
    }

    /// A value of a form with as little as possible.
    static func least(_ schema: Schema) -> JSON {
        switch schema {
        case .text(_, "uuid", _): .string(APIRoutes.exampleID)
        case .text(_, "date", _): "2026-11-20"
        case .text(_, "date-time", _): "2026-11-20T07:40:00+01:00"
        case .text(let bytes, _, _):
            .string(String(repeating: "a", count: max(1, bytes.lowerBound)))
        case .choice(let words): .string(words[0])
        case .number(let range, let scale): .decimal(range.lowerBound, scale: scale)
        case .flag: true
        case .list: .array([])
        case .object(let members, _, _):
            .object(members.filter(\.isRequired).map { JSON.Member($0.name, least($0.schema)) })
        case .nullable: .null
        case .anyObject: .object([])
        }
    }

    /// What is no value of a form, not looking into its members.
    private static func wrong(_ schema: Schema) -> [(String, JSON)] {
        switch schema {
        case .nullable: []
        case .text(let bytes, let format, let pattern):
            [("null", .null), ("a number", 7), ("a list", [])]
                + (bytes.lowerBound > 0 ? [("too short", "")] : [])
                + (bytes.lowerBound > 0 && pattern?.contains("\\u3000") == true
                    ? [("blank", "  ")] : [])
                + [("too long", .string(String(repeating: "a", count: bytes.upperBound + 1)))]
                + wrongFormat(format, bytes.lowerBound)
                + (pattern?.contains("\\u0000") == true ? [("a control character", "a\u{7}")] : [])
        case .choice: [("null", .null), ("a number", 7), ("no such word", "no such word")]
        case .flag: [("null", .null), ("text", "true"), ("a number", 1)]
        case .number(let range, let scale):
            [
                ("null", .null), ("text", "7"), ("a list", [7]), ("NaN", .string(noNumber)),
                ("too small", .decimal(range.lowerBound - 1, scale: scale)),
                ("too large", .decimal(range.upperBound + 1, scale: scale)),
                ("far too large", .number("1e400")), ("negative", .integer(.min)),
            ] + (scale == 0 ? [("a fraction", .number("1.5"))] : [])
        case .list(let element, let countMax):
            [("null", .null), ("text", "a"), ("an object", .object([]))]
                + (countMax > 100
                    ? []
                    : [("too many", .array(Array(repeating: least(element), count: countMax + 1)))])
        case .object, .anyObject: [("null", .null), ("text", "a"), ("a list", [])]
        }
    }

    private static func wrongFormat(_ format: String?, _ count: Int) -> [(String, JSON)] {
        switch format {
        case "uuid": [("no id", .string(String(repeating: "z", count: count)))]
        case "date": [("no day", "2026-02-30")]
        case "date-time": [("no time", "2026-11-20T25:40:00+01:00")]
        default: []
        }
    }
}
