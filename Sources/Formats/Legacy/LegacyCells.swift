import MacrologEvents
import MacrologJSON
import MacrologLegacy
import MacrologNutrition

/// The cells of one row of an earlier system, read as what they mean, and what is wrong with them.
struct LegacyCells {
    let row: LegacyRow
    private(set) var problems: [RowFinding] = []
    /// The row, and the objects within it, such as an analysis: the first one that has a name counts.
    private let scopes: [[String: JSON]]

    init(_ row: LegacyRow) {
        self.row = row
        scopes = [row.cells] + Self.nested(row.cells)
    }

    /// A part of a row, such as an ingredient.
    init(_ part: JSON, of row: LegacyRow) {
        self.row = row
        scopes = [Self.members(part) ?? [:]]
    }

    /// Objects in which an analysis, its sums and its nutrients were kept.
    private static func nested(_ cells: [String: JSON]) -> [[String: JSON]] {
        var found: [[String: JSON]] = []
        for name in ["total", "totals", "nutrition", "nutritiondata", "analysis", "result"] {
            guard let value = cells[name].map(Self.opened), let members = members(value) else {
                continue
            }
            found.append(members)
            found += nested(members)
        }
        return found
    }

    private static func members(_ json: JSON) -> [String: JSON]? {
        guard let object = json.object else { return nil }
        var members: [String: JSON] = [:]
        for member in object { members[LegacyFile.key(member.key)] = member.value }
        return members
    }

    /// JSON that a column of a dump holds as text.
    private static func opened(_ value: JSON) -> JSON {
        guard let text = value.string, let first = text.utf8.first,
            first == UInt8(ascii: "{") || first == UInt8(ascii: "["),
            let json = try? JSON.parse(text)
        else { return value }
        return json
    }

    /// The first of these columns that holds something.
    private func value(_ names: [String]) -> JSON? {
        for scope in scopes {
            for name in names {
                if let value = scope[name], value != .null { return Self.opened(value) }
            }
        }
        return nil
    }

    mutating func refuse(_ column: String, _ problem: String, _ hint: String) {
        problems.append(
            RowFinding(line: row.line, column: column, problem: problem, hint: hint))
    }
}

extension LegacyCells {
    /// A text without spaces around it; `nil` for a blank.
    func text(_ names: String...) -> String? {
        let text: String
        switch value(names) {
        case .string(let value): text = value
        case .integer(let value): text = "\(value)"
        case .number(let value): text = value
        default: return nil
        }
        let trimmed = Cell.trimmed(text)
        return Cell.isUnknown(trimmed) ? nil : trimmed
    }

    /// A number × 10^places; `nil` where there is none.
    mutating func number(_ names: String..., places: Int) -> Int64? {
        let text: String
        switch value(names) {
        case .string(let value): text = Cell.trimmed(value)
        case .integer(let value): text = "\(value)"
        case .number(let value): text = value
        default: return nil
        }
        guard !Cell.isUnknown(text) else { return nil }
        guard let number = ExactDecimal(text)?.whole(places: places) else {
            refuse(names[0], "\"\(text)\" is not a number from 0", "correct it in the file")
            return nil
        }
        return number
    }

    mutating func truth(_ names: String...) -> Bool? {
        switch value(names) {
        case .bool(let truth): return truth
        case .string(let text):
            if Cell.isAlike(text, "t") { return true }
            if Cell.isAlike(text, "f") { return false }
            guard let truth = Cell.truth(text) else { fallthrough }
            return truth
        case .integer, .number, .array, .object:
            refuse(names[0], "is neither true nor false", "write t or f")
            return nil
        case .null, nil: return nil
        }
    }

    /// A day, of a date or of an instant as it is written.
    mutating func day(_ names: String...) -> Day? {
        guard let text = value(names)?.string else { return nil }
        guard let day = Day(String(text.prefix(10))) else {
            refuse(names[0], "\"\(text)\" is not a day", "write it as 2026-11-20")
            return nil
        }
        return day
    }

    /// Milliseconds since 1970 UTC of an instant; without a zone it is in UTC, as Prisma stores it.
    mutating func instant(_ names: String...) -> Int64? {
        guard let text = value(names)?.string, text.utf8.count > 10 else { return nil }
        guard let instant = LegacyInstant.milliseconds(text) else {
            refuse(names[0], "\"\(text)\" is not a time", "write it as 2026-11-20T07:40:00Z")
            return nil
        }
        return instant
    }

    /// An array, of JSON or as PostgreSQL writes one: `{soup,"lentil, red"}`.
    func list(_ names: String...) -> [JSON] {
        switch value(names) {
        case .array(let elements): elements
        case .string(let text): LegacyArray.elements(text).map { .string($0) }
        default: []
        }
    }

    /// The nutrients that are there.
    mutating func nutrients() -> Nutrients {
        var nutrients = Nutrients()
        nutrients[.energy] = number(
            "calories", "totalcalories", "kcal", "energy", "energykcal", places: 3)
        nutrients[.protein] = number("protein", "totalprotein", "proteing", "proteins", places: 3)
        nutrients[.carbs] = number(
            "carbs", "totalcarbs", "carbsg", "carbohydrates", "totalcarbohydrates", places: 3)
        nutrients[.fat] = number("fat", "totalfat", "fatg", "fats", "totalfats", places: 3)
        nutrients[.fiber] = number("fiber", "totalfiber", "fiberg", "fibre", places: 3)
        return nutrients
    }
}

/// An instant as databases and JSON write it.
enum LegacyInstant {
    /// `2026-11-20 07:40:00.123+01`, `2026-11-20T07:40:00Z`; `nil` for anything else.
    static func milliseconds(_ text: String) -> Int64? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 16, bytes[10] == UInt8(ascii: "T") || bytes[10] == UInt8(ascii: " "),
            let day = Day(String(decoding: bytes[..<10], as: UTF8.self))
        else { return nil }
        var clock = bytes[11...]
        var offset: Int64 = 0
        if clock.last == UInt8(ascii: "Z") || clock.last == UInt8(ascii: "z") {
            clock.removeLast()
        } else if let sign = clock.lastIndex(where: {
            $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-")
        }) {
            let digits = clock[(sign + 1)...].filter { $0 != UInt8(ascii: ":") }
            guard digits.count == 2 || digits.count == 4, let number = number(digits[...]) else {
                return nil
            }
            let minutes = digits.count == 2 ? number * 60 : number / 100 * 60 + number % 100
            guard minutes <= 14 * 60 else { return nil }
            offset = clock[sign] == UInt8(ascii: "-") ? -minutes : minutes
            clock = clock[..<sign]
        }
        let parts = clock.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count),
            let seconds = Cell.seconds(String(decoding: parts[0], as: UTF8.self))
        else { return nil }
        var thousandths: Int64 = 0
        if parts.count == 2 {
            guard let fraction = number(parts[1].prefix(3)) else { return nil }
            thousandths = fraction * [1, 100, 10, 1][min(3, parts[1].count)]
        }
        return (day.number * 86_400 + seconds - offset * 60) * 1_000 + thousandths
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        guard (1...9).contains(digits.count), digits.allSatisfy({ (48...57).contains($0) }) else {
            return nil
        }
        return digits.reduce(0) { $0 * 10 + Int64($1 - 48) }
    }
}

/// An array as PostgreSQL writes one into a text.
enum LegacyArray {
    /// The elements of `{soup,"lentil, red",NULL}`; a text without braces is one element.
    static func elements(_ text: String) -> [String] {
        let bytes = Array(text.utf8)
        guard bytes.first == UInt8(ascii: "{"), bytes.last == UInt8(ascii: "}") else {
            return bytes.isEmpty ? [] : [text]
        }
        var elements: [String] = []
        var (element, isQuoted, wasQuoted) = ([UInt8](), false, false)
        func end(_ element: [UInt8], _ wasQuoted: Bool) {
            let text = String(decoding: element, as: UTF8.self)
            if wasQuoted || !(text.isEmpty || Cell.isAlike(text, "null")) { elements.append(text) }
        }
        var rest = bytes.dropFirst().dropLast()
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\\"): if let letter = rest.popFirst() { element.append(letter) }
            case UInt8(ascii: "\""): (isQuoted, wasQuoted) = (!isQuoted, true)
            case UInt8(ascii: ",") where !isQuoted:
                end(element, wasQuoted)
                (element, wasQuoted) = ([], false)
            default: element.append(byte)
            }
        }
        end(element, wasQuoted)
        return elements
    }
}
