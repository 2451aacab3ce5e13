public import MacrologEvents
public import MacrologJSON
public import MacrologNutrition

/// Fields of events as JSON, with the keys and the display units of the entities themselves.
public enum FieldJSON {
    /// An object with the fields that are given; a null says that a field was cleared.
    public static func object(_ fields: ValueMap, in kind: UTF8Text) -> JSON {
        var (members, own, newer): ([JSON.Member], [JSON], [JSON]) = ([], [], [])
        for entry in fields.entries {
            if kind == "action" {
                // What `undo` says of an action; no kind of entity.
                members.append(JSON.Member(entry.name.string, entry.value.json))
                continue
            }
            guard let spec = Kind.named(kind)?.field(entry.name) else {
                newer.append(["field": .text(entry.name), "stored": entry.value.json])
                continue
            }
            if case .number(.thousandths, _, _) = spec.shape, let nutrient = spec.ownNutrient {
                own.append(nutrient.ownJSON(entry.value.int))
            } else {
                members += self.members(entry.value, of: spec)
            }
        }
        if !own.isEmpty { members.append(JSON.Member("own_nutrients", .array(own))) }
        if !newer.isEmpty { members.append(JSON.Member("newer_fields", .array(newer))) }
        return .object(members)
    }

    /// The key of a field: its name in events, with the unit that is shown.
    public static func key(of field: UTF8Text, in kind: UTF8Text) -> String {
        guard let spec = Kind.named(kind)?.field(field) else {
            return field.string
        }
        return key(of: spec)
    }

    /// One element of a set field.
    public static func element(_ value: Value, of field: UTF8Text, in kind: UTF8Text) -> JSON {
        guard let spec = Kind.named(kind)?.field(field) else {
            return value.json
        }
        return json(value, spec)
    }

    private static func members(_ value: Value, of spec: FieldSpec) -> [JSON.Member] {
        if spec.shape == .localDate {
            return LocalDate(value)?.members ?? [JSON.Member("day", .null)]
        }
        return [JSON.Member(key(of: spec), json(value, spec))]
    }

    // MARK: Keys

    /// The key of a field.
    package static func key(of spec: FieldSpec) -> String {
        let name = spec.name.string
        if let key = spec.key { return key.string }
        guard case .number(let unit, _, _) = spec.shape, unit != .count else { return name }
        let hasSuffix = name.hasSuffix(unit.suffix)
        return (hasSuffix ? String(name.dropLast(unit.suffix.utf8.count)) : name) + unit.json.suffix
    }

    // MARK: Values

    private static func json(_ value: Value, _ spec: FieldSpec) -> JSON {
        switch spec.shape {
        case .number(let unit, _, _): value.int.map { number($0, unit, spec) } ?? value.json
        case .day: value.int.flatMap { Day(number: $0) }.map { .day($0) } ?? value.json
        case .instant: value.int.map { .instant($0) } ?? value.json
        case .reference:
            value.bytes.flatMap { Identifier(bytes: $0) }.map { .id($0) } ?? value.json
        case .amount: Amount(value)?.json ?? value.json
        case .shares: MacroShares(value)?.json ?? value.json
        case .slots: MealSlot.list(value).map { .array($0.map { $0.json }) } ?? value.json
        case .weekdays: WeekdayGoals(value)?.json ?? value.json
        case .items: TemplateItem.list(value).map { .array($0.map { $0.json }) } ?? value.json
        case .totals: value.map.map { totals($0) } ?? value.json
        default: value.json
        }
    }

    private static func number(_ number: Int64, _ unit: FieldUnit, _ spec: FieldSpec) -> JSON {
        switch (spec.presentation, unit) {
        case (.clock, _): .string(clockText(number))
        case (.weekday, _): .string(Day.weekdayName(ofNumber: number))
        case (.weekdays, _): .weekdays(number)
        case (.stored, _): .integer(number)
        case (_, .seconds): .decimal(Rounding.scaled(number, by: 10, over: 60), scale: 1)
        default: .decimal(number, scale: unit.json.scale)
        }
    }

    private static func totals(_ map: ValueMap) -> JSON {
        let known = map.entries.compactMap { entry in
            Nutrient(key: entry.name).map {
                JSON.Member($0.jsonKey, .amount(entry.value.int, of: $0))
            }
        }
        return .object(known)
    }
}

extension FieldSpec {
    /// The nutrient that a person defined, if the field holds one.
    fileprivate var ownNutrient: Nutrient? {
        Nutrient(key: name).flatMap { Nutrient.known.contains($0) ? nil : $0 }
    }
}

extension FieldUnit {
    /// The suffix of a number that is shown, and the decimals between it and the stored one.
    package var json: (suffix: String, scale: Int) {
        switch self {
        case .millikilocalories: ("_kcal", 3)
        case .grams: ("_kg", 3)
        case .milligrams: ("_g", 3)
        case .nanograms: ("_mg", 6)
        case .microliters: ("_ml", 3)
        case .millimeters: ("_cm", 1)
        case .basisPoints: ("_percent", 2)
        case .meters: ("_km", 3)
        case .micromoles: ("_mmol_l", 3)
        case .minutes, .seconds: ("_min", 0)
        case .milliseconds: ("_s", 3)
        case .microseconds: ("_ms", 3)
        case .bytes: ("_bytes", 0)
        case .thousandths: ("", 3)
        case .count: ("", 0)
        }
    }
}

extension MealSlot {
    fileprivate var json: JSON {
        [
            "slot": .text(key), "name": .text(name), "from_time": .string(clockText(fromMinute)),
            "to_time": .string(clockText(toMinute)),
        ]
    }
}

extension WeekdayGoals {
    /// One object for each weekday with goals of its own.
    public var json: JSON {
        let days = map.entries.compactMap { entry -> JSON? in
            guard let weekday = Int(entry.name.string), (1...7).contains(weekday),
                case .object(let goals) = FieldJSON.object(
                    entry.value.map ?? ValueMap(), in: Kind.goalPlan.name)
            else { return nil }
            return .object(
                [JSON.Member("weekday", .string(Day.weekdayNames[weekday - 1]))] + goals)
        }
        return .array(days)
    }
}

extension JSON {
    /// The days of a set of weekdays: bit 0 is Monday.
    public static func weekdays(_ bits: Int64) -> JSON {
        .array(
            (1...7).filter { bits & (1 << ($0 - 1)) != 0 }.map { .string(Day.weekdayNames[$0 - 1]) }
        )
    }
}
