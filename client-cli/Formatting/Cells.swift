import MacrologArgumentParsing
import MacrologTerminal
import MacrologJSON
public import Macrolog
import MacrologFaces

// Fields and values of events as text, for histories and conflicts.

extension CellKey {
    /// The field in words; for a set with its element; `existence` for the life cell.
    func title(in kind: UTF8Text) -> String {
        if case .field(let name) = self { return Kind.title(of: name, in: kind) }
        return formatted
    }

    /// As ``title(in:)``, with the name of a field as it is stored.
    var formatted: String {
        switch self {
        case .life: "existence"
        case .newer: "a change of a newer version"
        case .field(let name): name.string
        case .member(let field, let element): "\(field) \(element.formatted)"
        }
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
}

/// A field's value as text: numbers in display units.
public func formatted(
    _ value: Value, of field: UTF8Text, in kind: UTF8Text, _ shown: Shown
) -> String {
    guard let spec = Kind.named(kind)?.field(field) else { return value.formatted }
    return switch (spec.shape, value) {
    case (.localDate, _): LocalDate(value)?.formatted ?? value.formatted
    case (.amount, _): Amount(value).map { printable(shown.amount($0)) } ?? value.formatted
    case (.day, .int(let number)): Day(number: number).map { "\($0)" } ?? value.formatted
    case (.instant, .int(let number)): localTimeText(number)
    case (.number(let unit, _, _), .int(let number)):
        Nutrient(key: field).map { shown.amountWithUnit(number, of: $0) }
            ?? formatted(number, unit, spec.presentation, shown)
    default: value.formatted
    }
}

private func formatted(
    _ number: Int64, _ unit: FieldUnit, _ presentation: FieldSpec.Presentation?, _ shown: Shown
) -> String {
    switch (presentation, unit) {
    case (.clock, _): clockText(number)
    case (.weekday, _): Day.weekdayName(ofNumber: number)
    case (.height, _): shown.height(number)
    case (_, .grams): shown.weight(number)
    case (_, .millimeters): shown.length(number)
    case (_, .micromoles): shown.ketones(number)
    case (_, .seconds): durationText(number / 60)
    case (nil, .minutes): durationText(number)
    case (_, .millikilocalories): shown.energyWithUnit(number)
    case (_, .milligrams): Display.decimal(number, scale: 1_000, places: 1) + " g"
    case (_, .microliters): shown.volume(number)
    case (_, .basisPoints): NumberFormat.grouped.text(number, scale: 2) + " %"
    case (_, .thousandths): NumberFormat.grouped.text(number, scale: 3)
    default: "\(number)"
    }
}
