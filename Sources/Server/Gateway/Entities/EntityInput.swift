/// From a request to the fields of an entity: the inverse of `Faces`, by the declaration of the kind.
import MacrologDiary
import MacrologEvents
import MacrologFaces
import MacrologFormats
import MacrologJSON
import MacrologNutrition
import MacrologNutritionModels
import MacrologSystem

/// The fields that a body of the declared form sets; a null clears one.
struct EntityInput: Sendable {
    private(set) var fields: [(name: UTF8Text, value: Value?)] = []
    /// The members that say when it was; `nil` if the body has none.
    private(set) var moment: [JSON.Member]?

    /// - Throws: ``APIProblem`` where a value has the form, and is no value of the field.
    init(_ body: JSON, of kind: Kind, at pointer: String = "") throws(APIProblem) {
        for member in body.object ?? [] {
            if Self.momentKeys.contains(member.key), kind.dayField?.shape == .localDate {
                moment = (moment ?? []) + [member]
            } else if member.key == "nutrients", kind.holdsNutrients {
                guard member.value != .null else {
                    throw .invalid(
                        pointer + "/nutrients", "Name the nutrients to clear: {\"fat_g\": null}.")
                }
                fields += try Self.nutrients(member.value, at: pointer + "/nutrients")
            } else if let spec = kind.fields.first(where: { FieldJSON.key(of: $0) == member.key }) {
                let value = try Self.value(member.value, spec, at: pointer + "/" + member.key)
                fields.append((spec.name, value))
            }
        }
    }

    /// The name of a field's member.
    static func key(of spec: FieldSpec) -> String { FieldJSON.key(of: spec) }

    private static let momentKeys = ["day", "occurred_at", "zone", "utc_offset_min"]

    /// The fields of an entity after the change.
    func applied(to old: ValueMap) -> ValueMap {
        var map = old
        for field in fields { map[field.name] = field.value }
        return map
    }

    // MARK: When it was

    /// The day with its clock.
    ///
    /// - Parameters:
    ///   - old: What an entity says that exists; `nil` for a new one, in which null is as left out.
    ///   - dayStart: When the person's day begins, in minutes after midnight.
    ///   - decide: The day of an instant, by the person's zone and start of the day; now for `nil`.
    func localDate(
        from old: LocalDate?, dayStart: Int64, deciding decide: (Int64?) throws -> LocalDate
    ) throws -> LocalDate {
        guard let moment else { return try old ?? decide(nil) }
        let given = JSON.object(old == nil ? moment.filter { $0.value != .null } : moment)
        var date: LocalDate
        if let text = given["occurred_at"]?.string {
            guard let read = Self.moment(text) else { throw Self.noTime }
            do { date = try decide(read.instant) } catch let error as DiaryError {
                // Its day, where the person is, is not between 1900 and 2200.
                guard case .refused(let refusal) = error.cause, case .noSuchTime = refusal.code
                else { throw error }
                throw Self.noTime
            }
            if let offset = read.offset,
                let zoned = LocalDate(
                    instant: read.instant, zone: nil, offsetMinutes: offset),
                offset != date.offsetMinutes
            {
                date = zoned
            }
        } else if let old {
            date = old
            if given["occurred_at"] == .null { date.occurredAt = nil }
        } else {
            date = try decide(nil)
            if given["day"] != nil { date = LocalDate(day: date.day) }
        }
        if let text = given["day"]?.string {
            guard let day = Day(text) else {
                throw APIProblem.invalid("/day", "day must be a date such as 2026-11-20.")
            }
            if let at = date.occurredAt, given["occurred_at"] == nil, old != nil {
                // The time of the day stays, as where a meal is moved, also where the zone's clock has changed.
                var moved = at + (day.number - date.day.number) * 86_400_000
                if let rules = date.zone.flatMap({ ZoneRules(named: $0.string) }),
                    let offset = date.offsetMinutes, rules.offsetMinutes(at: at) == offset
                {
                    moved += (offset - rules.offsetMinutes(at: moved)) * 60_000
                    date.offsetMinutes = rules.offsetMinutes(at: moved)
                }
                date.occurredAt = moved
            }
            date.day = day
        }
        let rules = try Self.requireZone(given["zone"])
        if let zone = given["zone"] { date.zone = zone.string.map { UTF8Text($0) } }
        // An offset alone is of no zone that is known.
        let isOffsetAlone = old == nil && given["zone"] == nil && given["utc_offset_min"] != nil
        if isOffsetAlone { date.zone = nil }
        // What is sent back as it was shown stays as it is.
        let isOther = given["occurred_at"] != nil || date.zone != old?.zone
        if let offset = given["utc_offset_min"] {
            date.offsetMinutes = offset.scaled(0)
        } else if isOther, let rules, let at = date.occurredAt {
            date.offsetMinutes = rules.offsetMinutes(at: at)
        }
        if isOther, rules != nil || isOffsetAlone, given["day"] == nil, let at = date.occurredAt,
            let offset = date.offsetMinutes
        {
            guard let day = Day(instant: at, offsetMinutes: offset, dayStartMinutes: dayStart)
            else { throw Self.noTime }
            date.day = day
        }
        guard LocalDate(date.value) != nil else {
            throw APIProblem.invalid("/zone", "zone must be an IANA name such as Europe/Zurich.")
        }
        return date
    }

    /// The rules of a zone; `nil` for none. A zone without rules on this system is refused: its days would be
    /// counted in UTC.
    @discardableResult
    static func requireZone(_ zone: JSON?) throws(APIProblem) -> ZoneRules? {
        guard let name = zone?.string else { return nil }
        guard let rules = ZoneRules(named: name) else {
            throw .invalid(
                "/zone", "This server knows no zone of that name; send one such as Europe/Zurich.")
        }
        return rules
    }

    private static let noTime = APIProblem.invalid(
        "/occurred_at",
        "occurred_at must be a time such as 2026-11-20T07:40:00+01:00, from 1900 to 2200.")

    /// Reads a time of RFC 3339, with any number of decimals; `nil` also for one that is, in UTC, beyond what an
    /// answer can show.
    static func moment(_ text: String) -> OwnMoment? {
        read(text).flatMap { JSON.instant($0.instant) == .null ? nil : $0 }
    }

    private static func read(_ text: String) -> OwnMoment? {
        guard let point = text.firstIndex(of: ".") else { return OwnMoment(text) }
        let digits = text[text.index(after: point)...].prefix { $0.isASCII && $0.isNumber }
        guard !digits.isEmpty else { return nil }
        let three = (digits + "000").prefix(3)
        return OwnMoment(String(text[...point]) + String(three) + String(text[digits.endIndex...]))
    }

    // MARK: Values

    private static func nutrients(
        _ body: JSON, at pointer: String
    ) throws(APIProblem) -> [(name: UTF8Text, value: Value?)] {
        var fields: [(name: UTF8Text, value: Value?)] = []
        for member in body.object ?? [] where member.key != "own_nutrients" {
            guard let nutrient = Nutrient.known.first(where: { $0.jsonKey == member.key }) else {
                continue
            }
            let scale = nutrient.unit == .nanograms ? 6 : 3
            fields.append((nutrient.key, member.value.scaled(scale).map { .int($0) }))
        }
        for (index, own) in (body["own_nutrients"]?.array ?? []).enumerated() {
            guard let nutrient = own["nutrient"]?.string.flatMap({ Nutrient(key: UTF8Text($0)) }),
                nutrient.isOwn
            else {
                throw .invalid(
                    "\(pointer)/own_nutrients/\(index)/nutrient",
                    "nutrient must be x: and a name of your own.")
            }
            fields.append((nutrient.key, own["number"]?.scaled(3).map { .int($0) }))
        }
        return fields
    }

    private static func value(
        _ json: JSON, _ spec: FieldSpec, at pointer: String
    ) throws(APIProblem) -> Value? {
        if json == .null { return nil }
        if spec.isSet {
            var values: [Value] = []
            for (index, element) in (json.array ?? []).enumerated() {
                let value = try single(element, spec, at: "\(pointer)/\(index)")
                if !values.contains(value) { values.append(value) }
            }
            return values.isEmpty ? nil : .array(values)
        }
        return try single(json, spec, at: pointer)
    }

    private static func single(
        _ json: JSON, _ spec: FieldSpec, at pointer: String
    ) throws(APIProblem) -> Value {
        guard let value = try read(json, spec, at: pointer) else {
            let key = FieldJSON.key(of: spec)
            guard spec.shape != .shares else {
                throw .invalid(pointer, "\(key) must have three percentages that add up to 100.")
            }
            throw .invalid(pointer, "\(key) is not \(spec.title.string).")
        }
        return value
    }

    private static func read(
        _ json: JSON, _ spec: FieldSpec, at pointer: String
    ) throws(APIProblem) -> Value? {
        switch spec.shape {
        case .flag: json.bool.map { .bool($0) }
        case .number(let unit, _, _): number(json, unit, spec).map { .int($0) }
        case .text, .choice, .slot, .word, .zone, .nutrient:
            json.string.map { .text(UTF8Text($0)) }
        case .gtin: json.string.flatMap { Barcode($0)?.gtin }.map { .text($0) }
        case .day: json.string.flatMap { Day($0) }.map { .int($0.number) }
        case .instant: json.string.flatMap { moment($0) }.map { .int($0.instant) }
        case .reference: identifier(json).map { .bytes($0.bytes) }
        case .hash: json.string.flatMap { bytes($0) }.map { .bytes($0) }
        case .localDate: nil
        case .amount: amount(json)?.value
        case .shares: shares(json)?.value
        case .slots: slots(json)
        case .weekdays: try weekdays(json, at: pointer)
        case .totals: try totals(json, at: pointer)
        case .items: try items(json, at: pointer)
        case .lines: .array((json.array ?? []).compactMap { $0.string.map { .text(UTF8Text($0)) } })
        }
    }

    private static func number(_ json: JSON, _ unit: FieldUnit, _ spec: FieldSpec) -> Int64? {
        switch spec.presentation {
        case .clock?: return json.string.flatMap { clock($0) }
        case .weekday?: return json.string.flatMap { weekday($0) }.map { Int64($0) }
        case .weekdays?:
            return (json.array ?? []).reduce(0) { bits, name in
                (name.string.flatMap { weekday($0) }).map { bits | 1 << ($0 - 1) } ?? bits
            }
        case .stored?: return json.scaled(0)
        case .height?, nil:
            guard unit == .seconds else { return json.scaled(unit.json.scale) }
            return json.scaled(1).map { $0 * 6 }
        }
    }

    private static func weekday(_ name: String) -> Int? {
        Day.weekdayNames.firstIndex(of: name).map { $0 + 1 }
    }

    /// Minutes after midnight of `07:40`.
    private static func clock(_ text: String) -> Int64? {
        (0..<1_440).first { clockText($0) == text }
    }

    static func identifier(_ json: JSON?) -> Identifier? { json?.string.flatMap { Identifier($0) } }

    private static func bytes(_ digits: String) -> [UInt8]? {
        let values = digits.compactMap { $0.hexDigitValue.map { UInt8($0) } }
        guard values.count == 64, digits.utf8.count == 64 else { return nil }
        return stride(from: 0, to: 64, by: 2).map { values[$0] << 4 | values[$0 + 1] }
    }

    private static func amount(_ json: JSON?) -> Amount? {
        guard let json, let milli = json["number"]?.scaled(3), let unit = json["unit"]?.string
        else {
            return nil
        }
        // Grams are their own mass.
        let mass = json["mass_g"]?.scaled(3) ?? (unit == "g" ? milli : nil)
        return Amount(milli: milli, unit: UTF8Text(unit), milligrams: mass)
    }

    private static func shares(_ json: JSON) -> MacroShares? {
        guard let protein = json["protein_percent"]?.scaled(2),
            let carbs = json["carbs_percent"]?.scaled(2), let fat = json["fat_percent"]?.scaled(2)
        else { return nil }
        return MacroShares(protein: protein, carbs: carbs, fat: fat)
    }

    private static func slots(_ json: JSON) -> Value? {
        var slots: [MealSlot] = []
        for part in json.array ?? [] {
            guard let key = part["slot"]?.string, let name = part["name"]?.string,
                let from = part["from_time"]?.string.flatMap({ clock($0) }),
                let to = part["to_time"]?.string.flatMap({ clock($0) }),
                let slot = MealSlot(
                    key: UTF8Text(key), name: UTF8Text(name), fromMinute: from, toMinute: to)
            else { return nil }
            slots.append(slot)
        }
        return MealSlot.value(slots)
    }

    private static func weekdays(_ json: JSON, at pointer: String) throws(APIProblem) -> Value? {
        var goals = WeekdayGoals()
        for day in json.array ?? [] {
            guard let weekday = day["weekday"]?.string.flatMap({ weekday($0) }) else { return nil }
            for spec in GoalPlan.goals {
                guard let given = day[FieldJSON.key(of: spec)], given != .null else { continue }
                guard let number = try read(given, spec, at: pointer)?.int else { return nil }
                goals[weekday, spec.name] = number
            }
        }
        return goals.value
    }

    private static func totals(_ json: JSON, at pointer: String) throws(APIProblem) -> Value {
        var map = ValueMap()
        for field in try nutrients(json, at: pointer) { map[field.name] = field.value }
        return .map(map)
    }

    private static func items(_ json: JSON, at pointer: String) throws(APIProblem) -> Value {
        var items: [Value] = []
        for (index, part) in (json.array ?? []).enumerated() {
            items.append(
                .array([
                    .text(UTF8Text(part["name"]?.string ?? "")),
                    identifier(part["food_id"]).map { .bytes($0.bytes) } ?? .null,
                    identifier(part["recipe_id"]).map { .bytes($0.bytes) } ?? .null,
                    amount(part["amount"])?.value ?? .null,
                    try totals(part["nutrients"] ?? [:], at: "\(pointer)/\(index)/nutrients"),
                ]))
        }
        return .array(items)
    }
}
