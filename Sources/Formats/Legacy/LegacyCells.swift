import MacrologEvents
import MacrologJSON
import MacrologLegacy
import MacrologNutrition

/// The cells of one row of an earlier system, read as what they mean, and what is wrong with them.
struct LegacyCells {
    let row: LegacyRow
    private(set) var problems: [RowFinding] = []
    /// What is said of cells that are not imported, although the row is.
    private(set) var warnings: [String] = []
    private let columns: LegacyColumns
    private let isPart: Bool
    /// The row, and the objects within it, such as an analysis: the first one that has a name counts.
    private let scopes: [[String: JSON]]

    init(_ row: LegacyRow, _ columns: LegacyColumns) {
        self.init(row, [row.cells] + Self.nested(row.cells), columns, isPart: false)
    }

    /// A part of a row, such as an ingredient.
    init(_ part: JSON, of whole: LegacyCells) {
        self.init(whole.row, [Self.members(part) ?? [:]], whole.columns, isPart: true)
    }

    private init(
        _ row: LegacyRow, _ scopes: [[String: JSON]], _ columns: LegacyColumns, isPart: Bool
    ) {
        (self.row, self.scopes, self.columns, self.isPart) = (row, scopes, columns, isPart)
        for scope in scopes { columns.note(scope, row.kind, isOfPart: isPart) }
        if scopes.count > 1 {
            columns.noteRead(Self.nestedNames, row.kind, isOfPart: isPart)
        }
    }

    /// Objects in which an analysis, its sums and its nutrients were kept.
    private static func nested(_ cells: [String: JSON]) -> [[String: JSON]] {
        var found: [[String: JSON]] = []
        for name in nestedNames {
            guard let value = cells[name].map(Self.opened), let members = members(value) else {
                continue
            }
            found.append(members)
            found += nested(members)
        }
        return found
    }

    private static let nestedNames = [
        "total", "totals", "nutrition", "nutritiondata", "analysis", "result",
    ]

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
        columns.noteRead(names, row.kind, isOfPart: isPart)
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
    mutating func day(_ names: String...) -> Day? { day(names) }

    private mutating func day(_ names: [String]) -> Day? {
        guard let text = value(names)?.string else { return nil }
        guard let day = Day(String(text.prefix(10))) else {
            refuse(names[0], "\"\(text)\" is not a day", "write it as 2026-11-20")
            return nil
        }
        return day
    }

    /// Milliseconds since 1970 UTC of an instant; without a zone it is in UTC, as Prisma stores it.
    mutating func instant(_ names: String...) -> Int64? {
        if let instant = instant(ofNumber: names) { return instant }
        guard let text = value(names)?.string, text.utf8.count > 10 else { return nil }
        guard let instant = LegacyInstant.milliseconds(text) else {
            refuse(names[0], "\"\(text)\" is not a time", "write it as 2026-11-20T07:40:00Z")
            return nil
        }
        return instant
    }

    /// The day of birth, of a date or of an instant.
    ///
    /// - Parameter minutesAhead: What the clocks of this device are ahead of UTC at an instant.
    mutating func birthDay(_ names: String..., minutesAhead: (Int64) throws -> Int64) rethrows
        -> Day?
    {
        guard let instant = instant(ofNumber: names) else { return day(names) }
        let local = instant + (try minutesAhead(instant)) * 60_000
        return Day(number: (local - (local % 86_400_000 + 86_400_000) % 86_400_000) / 86_400_000)
    }

    /// Milliseconds since 1970 UTC of an instant that is a number.
    private mutating func instant(ofNumber names: [String]) -> Int64? {
        let text: String
        switch value(names) {
        case .integer(let number): text = "\(number)"
        case .number(let number): text = number
        default: return nil
        }
        guard let instant = LegacyInstant.milliseconds(ofNumber: text) else {
            refuse(names[0], "\(text) is not a time", "write it as 2026-11-20T07:40:00Z")
            return nil
        }
        return instant
    }

    /// One of the choices whose name fits a word, both without case and signs; another word is warned about.
    mutating func choice<C: Choice>(
        _ names: String..., fits: (_ word: String, _ name: String) -> Bool
    ) -> C? {
        guard let text = value(names)?.string.map(Cell.trimmed), !Cell.isUnknown(text) else {
            return nil
        }
        let word = LegacyFile.key(text)
        let found = C.allCases.first { fits(word, LegacyFile.key($0.name.string)) }
        if found == nil {
            let name = names.first { value([$0]) != nil } ?? names[0]
            warnings.append("\(columns.title(name)): \"\(text)\" has no equivalent here")
        }
        return found
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
