package import MacrologEvents

/// The values that a field accepts.
package enum FieldShape: Hashable, Sendable {
    /// True or false.
    case flag
    /// A whole number of a unit, within hard bounds; outside the soft bounds it is worth a look.
    case number(FieldUnit, hard: ClosedRange<Int64>, soft: ClosedRange<Int64>?)
    /// Text with a length in UTF-8 bytes and no control characters, except line feeds if `lines`.
    case text(bytes: ClosedRange<Int>, lines: Bool)
    /// One of these words.
    case choice([UTF8Text])
    /// A word of 1 to 24 of `a`–`z`, `0`–`9`, `_` and `-`: a meal slot that everybody has, or a person's own slot.
    case slot
    /// A word of 1 to 24 of `a`–`z`, `0`–`9`, `_` and `-`, such as a tracker's name.
    case word
    /// Fourteen digits with a valid check digit (GS1 General Specifications).
    case gtin
    /// An IANA time zone name.
    case zone
    /// A whole number of days since 1970-01-01, 1900 to 2200.
    case day
    /// Milliseconds since 1970-01-01 UTC, 1900 to 2200.
    case instant
    /// Sixteen bytes that name another entity.
    case reference
    /// Thirty-two bytes: the SHA-256 of a photo.
    case hash
    /// See ``LocalDate``.
    case localDate
    /// See ``Amount``.
    case amount
    /// See ``MacroShares``.
    case shares
    /// See ``MealSlot``.
    case slots
    /// See ``WeekdayGoals``.
    case weekdays
    /// A map from nutrients to amounts, as another source totalled them.
    case totals
    /// The key of a nutrient.
    case nutrient
    /// See ``TemplateItem``.
    case items
    /// Up to twenty lines of text, each of 1 to 500 bytes.
    case lines

    /// Whether a value has the form in which an entity can use it, whatever its bounds.
    func isReadable(_ value: Value) -> Bool {
        switch self {
        case .flag: value.bool != nil
        case .number, .instant: value.int != nil
        case .day: value.int.map { Day(number: $0) != nil } ?? false
        case .text, .choice, .slot, .word, .gtin, .zone: value.text != nil
        case .nutrient: value.text.map { Nutrient(key: $0) != nil } ?? false
        case .reference: value.bytes?.count == 16
        case .hash: value.bytes?.count == 32
        case .localDate: LocalDate(value) != nil
        case .amount: Amount(value) != nil
        case .shares: MacroShares(value) != nil
        case .slots: MealSlot.list(value) != nil
        case .weekdays: WeekdayGoals(value) != nil
        case .items: TemplateItem.list(value) != nil
        case .totals: value.map != nil
        case .lines: value.array != nil
        }
    }

    /// Whether the text has a control character (C0, delete, C1).
    static func hasControls(_ text: UTF8Text, allowingLines: Bool = false) -> Bool {
        text.withBytes { bytes in
            var previous: UInt8 = 0
            for byte in bytes {
                if byte < 0x20 || byte == 0x7F || previous == 0xC2 && byte & 0xE0 == 0x80 {
                    guard allowingLines, byte == 0x0A else { return true }
                }
                previous = byte
            }
            return false
        }
    }
}
