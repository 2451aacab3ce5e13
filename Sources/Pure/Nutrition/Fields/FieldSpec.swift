public import MacrologEvents

/// A field of a kind without its Swift type: its name in events, what it accepts, and what it is called.
public struct FieldSpec: Hashable, Sendable {
    /// The name in events; a unit at its end is the unit of the number.
    public let name: UTF8Text
    /// What a value, or one element of a set, must be.
    package let shape: FieldShape
    /// How many elements a person may put into a set; `nil` for a field that holds one value. Elements
    /// of a set are added and removed one by one, and devices may put in more together.
    package let elementsMax: Int?
    /// Whether an entity cannot do without it: it is never set to null.
    package internal(set) var isRequired = false
    /// The name for people, without a unit: `meal slot` for `meal_type`.
    public internal(set) var title: UTF8Text
    /// The key in JSON, where the rules of `docs/JSON.md` do not derive it from the name.
    package internal(set) var key: UTF8Text?
    /// How it is shown, where its shape does not say.
    package internal(set) var presentation: Presentation?
    /// The meaning of a field that is not set; `nil` for unknown.
    package internal(set) var unset: Value?

    /// Whether elements are added and removed, rather than a value set.
    package var isSet: Bool { elementsMax != nil }

    /// How a number is shown, where its unit does not say.
    package enum Presentation: Hashable, Sendable {
        /// Minutes after midnight, as a time of day.
        case clock
        /// 1 for Monday to 7, by name.
        case weekday
        /// A sum of 1 for Monday, 2 for Tuesday, 4 … 64, as a list of names.
        case weekdays
        /// A length, as people say how tall they are.
        case height
        /// The stored number in the stored unit.
        case stored
    }

    init(_ name: UTF8Text, _ shape: FieldShape, elementsMax: Int? = nil) {
        self.name = name
        self.shape = shape
        self.elementsMax = elementsMax
        title = FieldSpec.title(of: name, shape)
    }

    /// `energy` for `energy_mkcal`, `taken at` for `taken_at`.
    private static func title(of name: UTF8Text, _ shape: FieldShape) -> UTF8Text {
        var bytes = Array(name.string.utf8)
        if case .number(let unit, _, _) = shape {
            let suffix = Array(unit.suffix.utf8)
            if bytes.count > suffix.count, bytes.suffix(suffix.count).elementsEqual(suffix) {
                bytes.removeLast(suffix.count)
            }
        }
        let stem = UTF8Text(String(decoding: bytes, as: UTF8.self))
        return Nutrient(key: stem).map { UTF8Text($0.formatted) } ?? stem.spaced
    }
}

extension Kind {
    /// The name of a field for people: `weight` for `weight_g`, `meal slot` for `meal_type`. A field that
    /// this version does not know has its name in events, with spaces.
    package static func title(of field: UTF8Text, in kind: UTF8Text) -> String {
        named(kind)?.field(field)?.title.string ?? field.spaced.string
    }
}

extension Finding {
    /// A finding that names its kind and its field in words.
    package init(
        _ severity: Severity, kind: UTF8Text, field: UTF8Text, problem: String, hint: String
    ) {
        let title = Kind.named(kind)?.title ?? kind.spaced.string
        self.init(
            severity, kind: kind, field: field,
            subject: "\(title) \(Kind.title(of: field, in: kind))", problem: problem, hint: hint)
    }
}

extension UTF8Text {
    /// With a space for each underscore.
    var spaced: UTF8Text {
        UTF8Text(
            String(
                decoding: string.utf8.map { $0 == UInt8(ascii: "_") ? UInt8(ascii: " ") : $0 },
                as: UTF8.self))
    }
}

/// A stored value of a field, as what it is: to be shown in a person's units and zone.
public enum FieldContent: Hashable, Sendable {
    /// A day with its time and zone.
    case localDate(LocalDate)
    /// An amount with its unit.
    case amount(Amount)
    /// A day.
    case day(Day)
    /// Milliseconds since 1970 UTC.
    case instant(Int64)
    /// Minutes after midnight.
    case clock(Int64)
    /// 1 for Monday to 7.
    case weekday(Int64)
    /// The height of a person, in millimetres.
    case height(Int64)
    /// A number in its unit; `nil` for a count, and for what has no better form than its number.
    case number(Int64, FieldUnit?)
}

extension FieldSpec {
    /// What a stored value is; `nil` for text, for a choice, for a list, and for a value that this field
    /// does not hold.
    public func content(of value: Value) -> FieldContent? {
        switch (shape, value) {
        case (.localDate, _): LocalDate(value).map { .localDate($0) }
        case (.amount, _): Amount(value).map { .amount($0) }
        case (.day, .int(let number)): Day(number: number).map { .day($0) }
        case (.instant, .int(let number)): .instant(number)
        case (.number(let unit, _, _), .int(let number)):
            switch presentation {
            case .clock: .clock(number)
            case .weekday: .weekday(number)
            case .height: .height(number)
            case .weekdays: .number(number, nil)
            case .stored: .number(number, unit == .minutes ? nil : unit)
            case nil: .number(number, unit)
            }
        default: nil
        }
    }

    /// The numbers that the field accepts, and those that are usual, in its unit; `nil` for a field that
    /// holds no number.
    public var bounds: (accepted: ClosedRange<Int64>, usual: ClosedRange<Int64>)? {
        if case .number(_, let hard, let soft) = shape { (hard, soft ?? hard) } else { nil }
    }
}
