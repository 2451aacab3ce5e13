import MacrologArgumentParsing
import MacrologTerminal
import MacrologJSON
package import Macrolog

// Fields and values of events, as text and as JSON, for histories and conflicts.

extension CellKey {
    /// The field in words; for a set with its element; `existence` for the life cell.
    var formatted: String {
        switch self {
        case .life: "existence"
        case .newer: "a change of a newer version"
        case .field(let name): name.string
        case .member(let field, let element): "\(field) \(element.formatted)"
        }
    }
}

extension CellKey {
    /// The name in JSON: the key of the field, with its unit.
    func jsonName(in kind: Text) -> String {
        switch self {
        case .life: "existence"
        case .newer: "newer"
        case .field(let name), .member(let name, _): FieldJSON.key(of: name, in: kind)
        }
    }
}

extension EntityKey {
    var json: JSON {
        .object([JSON.Member("kind", .text(kind)), JSON.Member("id", .id(id))])
    }
}

extension Value {
    /// The value in one line, with untrusted text made printable.
    var formatted: String {
        switch self {
        case .null: "–"
        case .bool(let value): value ? "yes" : "no"
        case .int(let value): "\(value)"
        case .text(let text): printable(text.string)
        case .bytes(let bytes):
            Identifier(bytes: bytes).map { "…\($0.lastDigits(4))" } ?? "\(bytes.count) bytes"
        case .array(let values): "[" + values.map(\.formatted).joined(separator: ", ") + "]"
        case .map(let map):
            "{" + map.entries.map { "\($0.name): \($0.value.formatted)" }.joined(separator: ", ")
                + "}"
        }
    }

    /// The value as JSON; bytes as hexadecimal digits.
    var json: JSON {
        switch self {
        case .null: .null
        case .bool(let value): .bool(value)
        case .int(let value): .integer(value)
        case .text(let text): .text(text)
        case .bytes(let bytes): .string(hexadecimal(bytes))
        case .array(let values): .array(values.map(\.json))
        case .map(let map):
            .object(map.entries.map { JSON.Member($0.name.string, $0.value.json) })
        }
    }
}

/// Bytes as lower-case hexadecimal digits.
func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

/// A field's value as text: numbers in display units.
package func formatted(
    _ value: Value, of field: Text, in kind: Text, _ shown: Shown
) -> String {
    if let date = LocalDate(value), field == "local_date" {
        return date.clock.isEmpty ? "\(date.day)" : "\(date.day) \(date.clock)"
    }
    if let amount = Amount(value), field == "amount" || field == "serving" {
        return printable(shown.amount(amount))
    }
    guard let number = value.int, let kind = Kind(name: kind) else { return value.formatted }
    if Catalogue.holdsNutrients(kind), let nutrient = Nutrient(key: field) {
        return shown.amountWithUnit(number, of: nutrient)
    }
    let name = field.string
    if name == "weight_g" || name == "target_weight_g" { return shown.weight(number) }
    if name == "height_mm" { return shown.height(number) }
    if name == "value_mm" { return shown.length(number) }
    if name == "level_umol" { return shown.ketones(number) }
    if name == "duration_s" { return durationText(number / 60) }
    if name == "target_min" { return durationText(number) }
    if name.hasSuffix("_mkcal") { return shown.energyWithUnit(number) }
    if name.hasSuffix("_mg") { return Display.decimal(number, scale: 1_000, places: 1) + " g" }
    if name.hasSuffix("_ul") { return shown.volume(number) }
    if name.hasSuffix("_bp") { return NumberFormat.grouped.text(number, scale: 2) + " %" }
    if name == "date" || name == "start_date" || name == "birth_date", let day = Day(number: number)
    {
        return "\(day)"
    }
    if name == "day_start_min" { return clockText(number) }
    if name == "consumed_at" || name == "started_at" || name == "ended_at" {
        return localTimeText(number)
    }
    return value.formatted
}
