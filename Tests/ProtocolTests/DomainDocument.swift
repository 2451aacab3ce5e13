import MacrologEvents
import MacrologJSON
import MacrologNutrition

/// What another implementation needs to show the same meals: the declarations as JSON.
enum DomainDocument {
    /// The text of `docs/protocol/domain.json`.
    static func text() -> String {
        let document: JSON = [
            "units": .object(units),
            "types": .object(types.map { JSON.Member($0.name, .string($0.form)) }),
            "shared_id_namespace": .string("\(Identities.namespace)"),
            "shared_ids_of_rows": [shared(Identities.rowID)],
            "kinds": .array(Kind.all.map(kind)),
            "nutrients": .array(Nutrient.known.compactMap { Kind.food.field($0.key) }.map(field)),
            "own_nutrient": own,
            "examples": DomainExamples.json(),
        ]
        return document.lines(0) + "\n"
    }

    // MARK: Kinds and fields

    private static func kind(_ kind: Kind) -> JSON {
        let nutrients = Set(kind.holdsNutrients ? Nutrient.known.map { $0.key } : [])
        return .object([
            JSON.Member("kind", .string(kind.name.string)),
            JSON.Member("title", .string(kind.title)),
            JSON.Member("day_field", .optional(kind.dayField?.name.string)),
            JSON.Member("holds_nutrients", .bool(kind.holdsNutrients)),
            JSON.Member("part_of", .optional(kind.partOf?.string)),
            JSON.Member("event_types", .array(kind.types.map { .string($0.string) })),
            JSON.Member("shared_ids", .array(kind.sharedIDs.map(shared))),
            JSON.Member(
                "fields", .array(kind.fields.filter { !nutrients.contains($0.name) }.map(field))),
        ])
    }

    private static func field(_ spec: FieldSpec) -> JSON {
        var members = [JSON.Member("field", .string(spec.name.string))]
        members.append(JSON.Member("title", .string(spec.title.string)))
        members += form(of: spec.shape)
        if spec.isRequired { members.append(JSON.Member("required", true)) }
        if let most = spec.elementsMax {
            members.append(JSON.Member("set_of_at_most", .integer(Int64(most))))
        }
        if let unset = spec.unset { members.append(JSON.Member("unset_means", unset.wire)) }
        return .object(members)
    }

    private static func form(of shape: FieldShape) -> [JSON.Member] {
        func range(_ name: String, _ bounds: ClosedRange<Int64>) -> [JSON.Member] {
            [
                JSON.Member("\(name)min", .integer(bounds.lowerBound)),
                JSON.Member("\(name)max", .integer(bounds.upperBound)),
            ]
        }
        let type = JSON.Member("type", .string(name(of: shape)))
        switch shape {
        case .number(let unit, let hard, let soft):
            return [type, JSON.Member("unit", .string(symbol(unit)))] + range("", hard)
                + (soft.map { range("usual_", $0) } ?? [])
        case .text(let bytes, let lines):
            let bounds = Int64(bytes.lowerBound)...Int64(bytes.upperBound)
            return [type] + range("bytes_", bounds) + [JSON.Member("line_feeds", .bool(lines))]
        case .choice(let words):
            return [type, JSON.Member("words", .array(words.map { .string($0.string) }))]
        default: return [type]
        }
    }

    private static func shared(_ id: SharedID) -> JSON {
        ["thing": .string(id.thing.string), "name": .string(id.name.string)]
    }

    /// The field of a nutrient that a person defined.
    private static var own: JSON {
        guard let nutrient = Nutrient(key: "x:betaine"), let spec = Kind.food.field(nutrient.key),
            case .object(let members) = field(spec)
        else { return nil }
        return .object([JSON.Member("example", .object(members))])
    }

    // MARK: Units and types

    private static func symbol(_ unit: FieldUnit) -> String {
        unit == .count ? "count" : String(unit.suffix.dropFirst())
    }

    private static var units: [JSON.Member] {
        let all: [(FieldUnit, String)] = [
            (.millikilocalories, "thousandths of a kilocalorie"), (.grams, "grams"),
            (.milligrams, "milligrams"), (.nanograms, "nanograms"), (.microliters, "microlitres"),
            (.millimeters, "millimetres"), (.basisPoints, "hundredths of a percent"),
            (.meters, "metres"), (.micromoles, "micromoles per litre"), (.minutes, "minutes"),
            (.seconds, "seconds"), (.milliseconds, "milliseconds"),
            (.microseconds, "microseconds"), (.bytes, "bytes"),
            (.thousandths, "thousandths"), (.count, "a plain count"),
        ]
        return all.map { JSON.Member(symbol($0.0), .string($0.1)) }
    }

    /// The types of fields in CDDL, and what CDDL does not say.
    private static let types: [(name: String, form: String)] = [
        ("flag", "bool"),
        ("number", "int; the unit and the bounds stand with the field"),
        ("text", "tstr without control characters, but line feeds where the field allows them"),
        ("choice", "tstr; one of the words of the field"),
        (
            "slot",
            "tstr; a word as below: breakfast, lunch, dinner, snack, or the key of an own slot"
        ),
        ("word", "tstr; 1 to 24 of a-z, 0-9, _ and -"),
        ("gtin", "tstr; 14 digits, the last of them a valid check digit"),
        ("zone", "tstr; the name of an IANA time zone: 1 to 64 of a-z, A-Z, 0-9, _, +, - and /"),
        ("day", "int; days since 1970-01-01, in 1900 to 2200"),
        (
            "instant",
            "-2209075200000..7289740800000; milliseconds since 1970-01-01 UTC, in 1900 to 2200 "
                + "or a day beside them"
        ),
        ("reference", "bstr .size 16; the id of another entity"),
        ("hash", "bstr .size 32; a SHA-256"),
        ("local_date", "[day, at: instant / null, zone / null, utc_offset_min: -840..840 / null]"),
        (
            "amount",
            "[milli: 0..1000000000, unit: tstr, mass_mg: 0..50000000 / null]; the unit is 1 to "
                + "24 bytes without control characters"
        ),
        ("shares", "[protein_bp: uint, carbs_bp: uint, fat_bp: uint]; the sum is 9950 to 10050"),
        ("slots", "[0*12 [key: tstr, name: tstr, from_min: 0..1439, to_min: 0..1439]]"),
        ("weekdays", "{* \"1\"..\"7\" => {* field of a goal => int}}; 1 is Monday"),
        ("totals", "{0*64 nutrient => int}; each within the bounds of its nutrient"),
        ("nutrient", "tstr; the key of a nutrient, such as protein or x:betaine"),
        (
            "items",
            "[0*100 [name: tstr, food_id: id / null, recipe_id: id / null, amount / null, totals]]"
        ),
        ("lines", "[0*20 tstr]; each of 1 to 500 bytes without control characters"),
    ]

    private static func name(of shape: FieldShape) -> String {
        switch shape {
        case .flag: "flag"
        case .number: "number"
        case .text: "text"
        case .choice: "choice"
        case .slot: "slot"
        case .word: "word"
        case .gtin: "gtin"
        case .zone: "zone"
        case .day: "day"
        case .instant: "instant"
        case .reference: "reference"
        case .hash: "hash"
        case .localDate: "local_date"
        case .amount: "amount"
        case .shares: "shares"
        case .slots: "slots"
        case .weekdays: "weekdays"
        case .totals: "totals"
        case .nutrient: "nutrient"
        case .items: "items"
        case .lines: "lines"
        }
    }
}

extension JSON {
    /// One line where that fits, otherwise one line for each member or element.
    fileprivate func lines(_ indentation: Int) -> String {
        guard indentation + compact.count > 110 else { return spaced }
        let space = String(repeating: " ", count: indentation + 2)
        let (open, close, parts): (String, String, [String]) =
            switch self {
            case .array(let elements): ("[", "]", elements.map { $0.lines(indentation + 2) })
            case .object(let members):
                (
                    "{", "}",
                    members.map {
                        "\(JSON.string($0.key).compact): \($0.value.lines(indentation + 2))"
                    }
                )
            default: ("", "", [])
            }
        guard !parts.isEmpty else { return compact }
        return open + "\n" + parts.map { space + $0 }.joined(separator: ",\n") + "\n"
            + String(repeating: " ", count: indentation) + close
    }

    /// In one line with spaces after commas and colons.
    private var spaced: String {
        switch self {
        case .array(let elements): "[" + elements.map { $0.spaced }.joined(separator: ", ") + "]"
        case .object(let members):
            "{"
                + members.map { JSON.string($0.key).compact + ": " + $0.value.spaced }
                .joined(separator: ", ") + "}"
        default: compact
        }
    }
}

extension Value {
    /// The value as it is on the wire; bytes as hexadecimal digits.
    var wire: JSON {
        switch self {
        case .null: nil
        case .bool(let value): .bool(value)
        case .int(let value): .integer(value)
        case .text(let text): .string(text.string)
        case .bytes(let bytes): .string(bytes.hexadecimal)
        case .array(let elements): .array(elements.map { $0.wire })
        case .map(let map): map.wire
        }
    }
}

extension ValueMap {
    /// The fields by name.
    var wire: JSON { .object(entries.map { JSON.Member($0.name.string, $0.value.wire) }) }
}

extension [UInt8] {
    var hexadecimal: String {
        map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
