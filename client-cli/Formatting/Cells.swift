import MacrologArgumentParsing
import MacrologTerminal
import MacrologJSON
public import Macrolog
import MacrologFaces

// Fields and values of events as text, for histories and conflicts.

extension CellKey {
    /// The field in words; for a set with its element; `existence` for the life cell.
    func title(in kind: UTF8Text) -> String {
        if case .field(let name) = self { return shownTitle(of: name, in: kind) }
        return formatted
    }

    /// As ``title(in:)``, with the name of a field as it is stored.
    var formatted: String {
        switch self {
        case .life: "existence"
        case .newer: "a change of a newer version"
        case .field(let name): printable(name.string)
        case .member(let field, let element): "\(printable(field.string)) \(element.formatted)"
        }
    }
}

/// The name of a field in words. One that this version does not know may be any text of another
/// device, so it is made printable.
func shownTitle(of field: UTF8Text, in kind: UTF8Text) -> String {
    printable(
        Kind.named(kind)?.field(field)?.title.string
            ?? String(field.string.map { $0 == "_" ? " " : $0 }))
}

extension Value {
    /// The value in one line, with untrusted text made printable.
    var formatted: String {
        switch self {
        case .null: "–"
        case .bool(let value): value ? "yes" : "no"
        case .int(let value): "\(value)"
        case .text(let text): printable(text.string.replacing("\n", with: " "))
        case .bytes(let bytes):
            Identifier(bytes: bytes).map { "…\($0.lastDigits(4))" } ?? "\(bytes.count) bytes"
        case .array(let values): "[" + values.map(\.formatted).joined(separator: ", ") + "]"
        case .map(let map):
            "{"
                + map.entries.map { "\(printable($0.name.string)): \($0.value.formatted)" }
                .joined(separator: ", ") + "}"
        }
    }
}

/// A field's value as text: numbers in display units.
public func formatted(
    _ value: Value, of field: UTF8Text, in kind: UTF8Text, _ shown: Shown
) -> String {
    switch Kind.named(kind)?.field(field)?.content(of: value) {
    case .localDate(let date): date.formatted
    case .amount(let amount): printable(shown.amount(amount))
    case .day(let day): "\(day)"
    case .instant(let instant): localTimeText(instant)
    case .clock(let minutes): clockText(minutes)
    case .weekday(let number): Day.weekdayNames[Int(min(max(number, 1), 7)) - 1]
    case .height(let millimeters): shown.height(millimeters)
    case .number(let number, let unit):
        Nutrient(key: field).map { shown.amountWithUnit(number, of: $0) }
            ?? formatted(number, unit, shown)
    case nil where field == "meal_slots": slotsText(value) ?? value.formatted
    case nil: value.formatted
    }
}

/// The meal slots of a stored list, each a key, a name and two minutes: `Breakfast 05:00-10:59`; `nil` for
/// another value.
private func slotsText(_ value: Value) -> String? {
    guard case .array(let slots) = value else { return nil }
    var texts: [String] = []
    for slot in slots {
        guard case .array(let parts) = slot, parts.count == 4, let name = parts[1].text,
            let from = parts[2].int, let to = parts[3].int
        else { return nil }
        texts.append("\(printable(name.string)) \(clockText(from))-\(clockText(to))")
    }
    return texts.joined(separator: ", ")
}

private func formatted(_ number: Int64, _ unit: FieldUnit?, _ shown: Shown) -> String {
    switch unit {
    case .grams: shown.weight(number)
    case .millimeters: shown.length(number)
    case .micromoles: shown.ketones(number)
    case .seconds: durationText(number / 60)
    case .microseconds: NumberFormat.grouped.text(number, scale: 3) + " ms"
    case .minutes: durationText(number)
    case .millikilocalories: shown.energyWithUnit(number)
    case .milligrams: Display.decimal(number, scale: 1_000, places: 1) + " g"
    case .microliters: shown.volume(number)
    case .basisPoints: NumberFormat.grouped.text(number, scale: 2) + " %"
    case .thousandths: NumberFormat.grouped.text(number, scale: 3)
    default: "\(number)"
    }
}
