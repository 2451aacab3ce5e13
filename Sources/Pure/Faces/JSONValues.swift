public import MacrologEvents
public import MacrologJSON
public import MacrologNutrition

// Values as JSON, by the convention of `docs/JSON.md`: stable keys, units in their names, full ids,
// null for what is unknown or not set. A type whose name ends in `Face` holds what a room says that is
// not imported here, such as the state of syncing; the program that shows it fills in the fields.

extension JSON {
    /// An id in full.
    public static func id(_ id: Identifier) -> JSON { .string("\(id)") }

    /// An id in full, or null.
    public static func optional(_ id: Identifier?) -> JSON { id.map { .id($0) } ?? .null }

    /// A date such as `2026-11-20`.
    public static func day(_ day: Day) -> JSON { .string("\(day)") }

    /// A text as a string.
    public static func text(_ text: UTF8Text) -> JSON { .string(text.string) }

    /// A list of strings.
    public static func strings(_ texts: [String]) -> JSON { .array(texts.map { .string($0) }) }

    /// Milliseconds since 1970 UTC as `2026-11-20T06:40:00.000Z`; null outside 1900 to 2200, which
    /// only a wrong clock says.
    public static func instant(_ milliseconds: Int64?) -> JSON {
        .optional(milliseconds.flatMap { timeText($0) })
    }

    /// Milliseconds as seconds.
    public static func seconds(_ milliseconds: Int64?) -> JSON {
        milliseconds.map { .decimal($0, scale: 3) } ?? .null
    }

    /// An amount of a nutrient in the unit of ``Nutrient/jsonKey``.
    public static func amount(_ amount: Int64?, of nutrient: Nutrient) -> JSON {
        guard let amount else { return .null }
        return .decimal(amount, scale: nutrient.unit == .nanograms ? 6 : 3)
    }

    /// An object with more members; any other value as it is.
    public func adding(_ more: [Member]) -> JSON {
        guard case .object(let members) = self else { return self }
        return .object(members + more)
    }

    /// A command that found nothing to change.
    public static let unchanged: JSON = ["unchanged": true]

    /// The output of a deletion.
    public static func deleted(_ ids: [Identifier]) -> JSON {
        .object([Member("deleted", .array(ids.map { .id($0) }))])
    }
}

extension LocalDate {
    /// When it was: day, instant, zone and UTC offset.
    public var members: [JSON.Member] {
        [
            JSON.Member("day", .day(day)), JSON.Member("occurred_at", .instant(occurredAt)),
            JSON.Member("zone", .optional(zone?.string)),
            JSON.Member("utc_offset_min", .optional(offsetMinutes)),
        ]
    }
}

extension Amount {
    /// The number, its unit and the mass.
    public var json: JSON {
        .object([
            JSON.Member("number", .decimal(milli, scale: 3)), JSON.Member("unit", .text(unit)),
            JSON.Member("mass_g", milligrams.map { .decimal($0, scale: 3) } ?? .null),
        ])
    }
}

extension CellKey {
    /// The name in JSON: the key of the field, with its unit.
    public func jsonName(in kind: UTF8Text) -> String {
        switch self {
        case .life: "existence"
        case .newer: "newer"
        case .field(let name), .member(let name, _): FieldJSON.key(of: name, in: kind)
        }
    }
}

extension EntityKey {
    /// The kind and the id.
    public var json: JSON {
        .object([JSON.Member("kind", .text(kind)), JSON.Member("id", .id(id))])
    }
}

extension Value {
    /// The value as JSON; bytes as hexadecimal digits.
    public var json: JSON {
        switch self {
        case .null: .null
        case .bool(let value): .bool(value)
        case .int(let value): .integer(value)
        case .text(let text): .text(text)
        case .bytes(let bytes): .string(hexadecimal(bytes))
        case .array(let values): .array(values.map { $0.json })
        case .map(let map):
            .object(map.entries.map { JSON.Member($0.name.string, $0.value.json) })
        }
    }
}

/// Minutes after midnight as `07:40`.
public func clockText(_ minute: Int64) -> String {
    func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(two(minute / 60)):\(two(minute % 60))"
}

/// Milliseconds since 1970 UTC as `2026-11-20T06:40:00.000Z`; `nil` outside 1900 to 2200.
public func timeText(_ milliseconds: Int64) -> String? {
    var (day, rest) = milliseconds.quotientAndRemainder(dividingBy: 86_400_000)
    if rest < 0 { (day, rest) = (day - 1, rest + 86_400_000) }
    guard let date = Day(number: day) else { return nil }
    let seconds = rest / 1_000 % 60
    let text = String(1_000 + rest % 1_000).dropFirst()
    return "\(date)T\(clockText(rest / 60_000)):"
        + "\(seconds < 10 ? "0" : "")\(seconds).\(text)Z"
}
