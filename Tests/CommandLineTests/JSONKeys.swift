import MacrologJSON
import Foundation

/// The keys of JSON answers, and what is wrong with them by the convention of `docs/JSON.md`.
struct JSONKeys {
    private(set) var names: Set<String> = []
    private(set) var mistakes: Set<String> = []
    /// The type of each key's values, null left out.
    private var types: [String: String] = [:]

    /// Checks an answer.
    mutating func add(_ text: String, of command: String) throws {
        guard let json = try? JSON.parse(Array(text.utf8)) else {
            mistakes.insert(
                "\(command) does not answer with one JSON document: \(text.prefix(120))")
            return
        }
        add(json)
    }

    /// Checks an answer.
    mutating func add(_ json: JSON) { walk(json, key: "", parent: "") }

    private mutating func walk(_ value: JSON, key: String, parent: String) {
        switch value {
        case .object(let members):
            for member in members {
                check(member.key, member.value, parent: key)
                walk(member.value, key: member.key, parent: key)
            }
        case .array(let elements):
            for element in elements { walk(element, key: key, parent: parent) }
        case .integer, .number: check(number: value, key, parent: parent)
        case .string(let text): check(text: text, key)
        case .null, .bool: break
        }
    }

    private mutating func check(_ key: String, _ value: JSON, parent: String) {
        names.insert(key)
        if key.wholeMatch(of: /[a-z][a-z0-9]*(_[a-z0-9]+)*/) == nil {
            mistakes.insert("\(key) is not in snake_case")
        }
        if Self.forbidden.contains(key) { mistakes.insert("\(key) is forbidden") }
        for suffix in Self.storedUnits where key.hasSuffix(suffix) && key != "hrv_ms" {
            mistakes.insert("\(key) ends in the unit of storage \(suffix)")
        }
        for prefix in ["is_", "has_"] where key.hasPrefix(prefix) {
            mistakes.insert("\(key) begins with \(prefix)")
        }
        guard let type = Self.type(of: value) else { return }
        if let other = types.updateValue(type, forKey: key), other != type {
            mistakes.insert("\(key) is now \(other), now \(type)")
        }
    }

    /// A number says its unit, or is one of those without.
    private mutating func check(number: JSON, _ key: String, parent: String) {
        if case .integer(let number) = number, abs(number) > 1_000_000_000_000 {
            mistakes.insert("\(key) looks like milliseconds since 1970: \(number)")
        }
        let isCount =
            key.hasSuffix("_count") || Self.counts.contains { key.hasPrefix($0) }
            || parent == "parts_known" || Self.plain.contains(key)
        if !isCount, !Self.units.contains(where: { key.hasSuffix("_\($0)") }) {
            mistakes.insert("\(key) in \(parent) is a number without a unit")
        }
    }

    private mutating func check(text: String, _ key: String) {
        let isInstant =
            text.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/) != nil
        if isInstant != key.hasSuffix("_at") {
            mistakes.insert("\(key) holds \(text.prefix(40)): instants, and only they, end in _at")
        }
        if !isInstant, text.firstMatch(of: /^\d{4}-\d\d-\d\dT/) != nil {
            mistakes.insert("\(key) holds no instant of ISO 8601: \(text.prefix(40))")
        }
        let isID = key == "id" || key.hasSuffix("_id") || key.hasSuffix("_ids")
        if isID, text.wholeMatch(of: /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/) == nil {
            mistakes.insert("\(key) is not an id in full: \(text.prefix(40))")
        }
    }

    private static func type(of value: JSON) -> String? {
        switch value {
        case .null: nil
        case .bool: "a truth"
        case .integer, .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }

    /// Units that people read.
    static let units = [
        "kcal", "kj", "g", "mg", "kg", "lb", "ml", "cm", "km", "percent", "min", "s", "days",
        "years",
        "hours", "bytes", "px", "mmol_l", "kg_per_week", "met", "bpm",
    ]
    /// Counts of a part of the things that are named.
    static let counts = ["events_", "rows_", "items_", "photos_", "entries_", "entities_"]
    /// Numbers without a unit.
    static let plain: Set = [
        "n", "first_n", "last_n", "seq", "epoch", "cursor", "head", "unsealed", "exit_code",
        "number",
        "servings", "steps", "score", "mean_score", "score_change", "mood",
        "soreness", "energy_level", "stress", "hrv_ms", "health_score",
        "unknown_operation", "new_lines", "same_lines", "changed_lines", "deleted_lines",
        "rejected_lines", "line_number",
    ]
    /// Units of storage. People read the variability of a heart rate in milliseconds all the same.
    static let storedUnits = [
        "_ms", "_millis", "_mkcal", "_ug", "_ng", "_ul", "_bp", "_mm", "_umol", "_milli",
    ]
    /// Words that have another one in `GLOSSARY.md` or in the convention.
    static let forbidden: Set = [
        "hub", "waiting", "good", "told", "holds", "lacks", "this", "device", "session",
        "account",
        "group", "favourite", "fibre", "fibre_g", "cancelled", "set_back", "left", "timestamp",
        "dish_name", "meal_type", "gtin", "tz", "local_date",
    ]
}
