package import MacrologJSON
package import Macrolog

/// Fields of events as JSON, with the keys and the display units of the entities themselves.
package enum FieldJSON {
    /// An object with the fields that are given; a null says that a field was cleared.
    package static func object(_ fields: ValueMap, in kind: Text) -> JSON {
        var (members, own, newer): ([JSON.Member], [JSON], [JSON]) = ([], [], [])
        for entry in fields.entries {
            if kind == "action" {
                // What `undo` says of an action; no kind of entity.
                members.append(JSON.Member(entry.name.string, entry.value.json))
                continue
            }
            guard let known = Kind(name: kind), let spec = Catalogue.field(entry.name, of: known)
            else {
                newer.append(["field": .text(entry.name), "stored": entry.value.json])
                continue
            }
            if case .number(.thousandths, _, _) = spec.shape, let nutrient = spec.ownNutrient {
                own.append(nutrient.ownJSON(entry.value.int))
            } else {
                members += self.members(entry.value, of: spec, in: kind)
            }
        }
        if !own.isEmpty { members.append(JSON.Member("own_nutrients", .array(own))) }
        if !newer.isEmpty { members.append(JSON.Member("newer_fields", .array(newer))) }
        return .object(members)
    }

    /// The key of a field: its name in events, with the unit that is shown.
    static func key(of field: Text, in kind: Text) -> String {
        guard let known = Kind(name: kind), let spec = Catalogue.field(field, of: known) else {
            return field.string
        }
        return key(of: spec, in: kind)
    }

    /// One element of a set field.
    static func element(_ value: Value, of field: Text, in kind: Text) -> JSON {
        guard let known = Kind(name: kind), let spec = Catalogue.field(field, of: known) else {
            return value.json
        }
        return json(value, spec)
    }

    private static func members(
        _ value: Value, of spec: FieldSpec, in kind: Text
    ) -> [JSON.Member] {
        if spec.shape == .localDate {
            return LocalDate(value)?.members ?? [JSON.Member("day", .null)]
        }
        return [JSON.Member(key(of: spec, in: kind), json(value, spec))]
    }

    // MARK: Keys

    /// Where the JSON of an entity uses another word than its events.
    private static let names: [String: String] = [
        "meal.meal_type": "slot", "meal.dish_name": "name", "meal.photo_sha256s": "photos",
        "food.gtin": "barcode", "food.favourite": "favorite", "food_portion.grams_mg": "mass_g",
        "food_portion.label": "measure", "recipe.yield_servings_milli": "servings",
        "recipe.cooked_mass_mg": "mass_g", "recipe.steps": "instructions",
        "body_measure.kind": "place", "body_measure.value_mm": "length_cm",
        "activity.energy_kind": "energy_counts", "activity.met_milli": "intensity_met",
        "activity.duration_s": "duration_min", "energy_day.date": "day", "day_log.date": "day",
        "goal_plan.start_date": "from", "goal_plan.energy_adjust_mkcal": "adjust_kcal",
        "goal_plan.energy_adjust_bp": "adjust_percent", "goal_plan.sodium_mg": "sodium_mg",
        "goal_plan.weekday_overrides": "weekday_goals", "goal_plan.macro_pct": "shares",
        "profile.custom_macro_pct": "shares", "profile.fat_pct_bp": "fat_percent",
        "preferences.tz": "zone", "preferences.day_start_min": "day_start",
        "reminder.time_min": "time", "fast.cancelled": "canceled",
        "custom_nutrient.key": "nutrient", "photo.mime": "media_type",
        "analysis.error": "failure", "external_ids": "external_refs",
        "fast.offset_min": "utc_offset_min", "photo.bytes": "size_bytes", "photo.width": "width_px",
        "photo.height": "height_px",
    ]

    private static func key(of spec: FieldSpec, in kind: Text) -> String {
        let name = spec.name.string
        if let other = names["\(kind).\(name)"] ?? names[name] { return other }
        guard case .number(let unit, _, _) = spec.shape, let shown = unit.json else { return name }
        let stem = shown.stored.isEmpty ? name : String(name.dropLast(shown.stored.utf8.count))
        return name.hasSuffix(shown.stored) ? stem + shown.suffix : name + shown.suffix
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
        case .slots: MealSlot.list(value).map { .array($0.map(\.json)) } ?? value.json
        case .weekdays: WeekdayGoals(value)?.json ?? value.json
        case .items: TemplateItem.list(value).map { .array($0.map(\.json)) } ?? value.json
        case .totals: value.map.map { totals($0) } ?? value.json
        default: value.json
        }
    }

    private static func number(_ number: Int64, _ unit: FieldUnit, _ spec: FieldSpec) -> JSON {
        switch spec.name.string {
        case "time_min", "day_start_min": .string(clockText(number))
        case "week_start": .string(Weekdays.names[Int((max(1, min(7, number)))) - 1])
        case "weekdays": .weekdays(number)
        case "sodium_mg": .integer(number)
        case "duration_s": .decimal(Rounding.scaled(number, by: 10, over: 60), scale: 1)
        default: .decimal(number, scale: unit.json?.scale ?? 0)
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
    /// The suffixes of stored and shown numbers, and the decimals between them; `nil` for counts.
    fileprivate var json: (stored: String, suffix: String, scale: Int)? {
        switch self {
        case .millikilocalories: ("_mkcal", "_kcal", 3)
        case .grams: ("_g", "_kg", 3)
        case .milligrams: ("_mg", "_g", 3)
        case .nanograms: ("_ng", "_mg", 6)
        case .microliters: ("_ul", "_ml", 3)
        case .millimeters: ("_mm", "_cm", 1)
        case .basisPoints: ("_bp", "_percent", 2)
        case .meters: ("_m", "_km", 3)
        case .micromoles: ("_umol", "_mmol_l", 3)
        case .minutes: ("_min", "_min", 0)
        case .seconds: ("_s", "_s", 0)
        case .milliseconds: ("_ms", "_s", 3)
        case .bytes: ("_bytes", "_bytes", 0)
        case .thousandths: ("_milli", "", 3)
        case .count: nil
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
    var json: JSON {
        let days = map.entries.compactMap { entry -> JSON? in
            guard let weekday = Int(entry.name.string), (1...7).contains(weekday),
                case .object(let goals) = FieldJSON.object(
                    entry.value.map ?? ValueMap(), in: Kind.goalPlan.name)
            else { return nil }
            return .object(
                [JSON.Member("weekday", .string(Weekdays.names[weekday - 1]))] + goals)
        }
        return .array(days)
    }
}

extension TemplateItem {
    var json: JSON {
        .object([
            JSON.Member("name", .string(name)),
            JSON.Member("food_id", foodID.map { .id($0) } ?? .null),
            JSON.Member("recipe_id", recipeID.map { .id($0) } ?? .null),
            JSON.Member("amount", amount?.json ?? .null),
            JSON.Member("nutrients", nutrients.json),
        ])
    }
}

extension JSON {
    /// The days of a set of weekdays: bit 0 is Monday.
    static func weekdays(_ bits: Int64) -> JSON {
        .array(
            (1...7).filter { bits & (1 << ($0 - 1)) != 0 }.map { .string(Weekdays.names[$0 - 1]) })
    }
}
